import { Type as t } from "@sinclair/typebox";
import { listJobs, runJob } from "../../domain/operators/jobs.ts";
import { reply, route } from "../route.ts";
import { JobResponse, jobResponse } from "../schemas/admin-maintenance.ts";

const common = { tag: "Operators", auth: "operator" } as const;

/** How the server does, and what it does by itself. */
export const adminMaintenanceRoutes = [
  route({
    ...common,
    method: "GET",
    path: "/admin/jobs",
    summary: "List the server's jobs",
    description: "What the server does by itself, with the latest run of each job. It is kept over restarts.",
    response: { 200: t.Array(JobResponse) },
    handler: async ({ caller, ports }) => (await listJobs(ports, caller)).map(jobResponse),
  }),

  route({
    ...common,
    method: "POST",
    path: "/admin/jobs/:job_name/run",
    summary: "Run a job now",
    description: "Returns as soon as the job has started.",
    response: { 202: JobResponse },
    errors: { 404: "the job does not exist", 409: "the job is running", 503: "another node runs the jobs" },
    audit: ({ job_name }) => `Ran the job ${job_name}`,
    handler: async ({ caller, params, ports }) =>
      reply(jobResponse(await runJob(ports, caller, params.job_name)), { status: 202 }),
  }),
];
