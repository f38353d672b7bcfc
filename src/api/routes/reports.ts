import { Type as t } from "@sinclair/typebox";
import { reportOf } from "../../domain/report/report-of.ts";
import { SECOND } from "../../domain/timestamp.ts";
import { route } from "../route.ts";
import { deploymentNumber } from "../schemas/params.ts";
import { DeploymentReportResponse, deploymentReportResponse } from "../schemas/reports.ts";

export const reportRoutes = [
  route({
    endpoint: "GET /sites/:name/deployments/:deployment_number/report",
    summary: "Read the report of a deployment",
    description:
      "What is broken in the deployment: links and what pages load are judged as the server answers visitors, without a " +
      "request to another host. The report is made after the publication, and compared with the deployment that was " +
      "live then, or when this one was activated.",
    tag: "Deploy and sites",
    auth: "site",
    operation: "read_report",
    params: { deployment_number: deploymentNumber },
    query: {
      wait: t.Optional(
        t.Integer({ minimum: 0, maximum: 60, default: 0, description: "Seconds to wait for a pending report" }),
      ),
      with: t.Optional(t.Integer({ minimum: 1, description: "Compares with this deployment instead" })),
    },
    response: { 200: DeploymentReportResponse },
    handler: async ({ caller, params: { name, deployment_number: number }, query, ports }) => {
      const { wait = 0, with: comparedWith = null } = query;
      const request = { siteName: name, number, wait: wait * SECOND, comparedWith };
      return deploymentReportResponse(await reportOf(ports, caller, request));
    },
  }),
];
