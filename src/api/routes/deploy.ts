import { Type as t } from "@sinclair/typebox";
import { agentWith } from "../../domain/agents/tokens.ts";
import { deploy } from "../../domain/deployments/deploy.ts";
import { permitDeployment } from "../../domain/deployments/permit.ts";
import { connectionOf } from "../connection.ts";
import { DEPLOY_HEADERS, readAgentName, readDeployHeaders } from "../deploy-headers.ts";
import { type AuditSubject, reply, route } from "../route.ts";
import { DeploySiteResponse, deploymentOf, deploySiteResponse } from "../schemas/deployments.ts";
import { withArchive } from "../upload.ts";

/** The body is written to the spool while it arrives, and only after the caller's permission was checked. */
export const deployRoutes = [
  route({
    endpoint: "POST /deploy",
    operation: "deploy",
    summary: "Deploy a site",
    description:
      "Publishes a ZIP archive as the site's active deployment, in one step, or as a preview: see X-Service-Activate and X-Service-Alias. Without X-Service-Site a new site is made under a generated name. 200 means that nothing was made: see X-Service-If-Changed.",
    tag: "Deploy and sites",
    auth: "credential",
    headers: DEPLOY_HEADERS,
    bodyFormat: "raw",
    body: t.Object({ file: t.String({ format: "binary", description: "The ZIP archive" }) }),
    response: { 200: DeploySiteResponse, 201: DeploySiteResponse },
    errors: {
      400: "archive is invalid: index.html: the content does not match its checksum",
      403: "credential cannot deploy this site",
      408: "the upload is too slow",
      409: "brisk-otter-4821 has 100 aliases, which is the limit: remove one first",
      413: "a deployment limit was exceeded",
      429: "too many uploads of this owner are under way, or too many deployments with this token",
      503: "too many uploads are waiting",
      507: "the disk is full",
    },
    recordsItself: true,
    audit: (subject) => `${deployed(subject)}${subject.alias ? ` and pointed the alias ${subject.alias} to it` : ""}`,
    handler: async ({ caller, request, ports }) => {
      const { address } = connectionOf(request);
      const wanted = readDeployHeaders(request.headers);
      const name = readAgentName(request.headers);
      const agent = name === null ? null : agentWith(caller, name);
      const permit = await permitDeployment(ports, caller, wanted, address, agent);
      const published = await withArchive(ports, request, permit.ownerId, ({ path }) => deploy(ports, permit, path));
      const body = deploySiteResponse(ports.links, published, wanted.siteName);
      const location = body.active ? body.url : body.deployment_url;
      return body.unchanged ? body : reply(body, { status: 201, headers: { location } });
    },
  }),
];

// --- internal ---

function deployed(subject: AuditSubject): string {
  if (subject.unchanged) return `Deployed the files of ${deploymentOf(subject)} again: nothing changed`;
  return subject.preview ? `Made ${deploymentOf(subject)} as a preview` : `Published ${deploymentOf(subject)}`;
}
