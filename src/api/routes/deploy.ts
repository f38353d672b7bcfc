import { Elysia, t } from "elysia";
import { deploy, permitDeployment } from "../../domain/deployments/deploy.ts";
import { fieldError } from "../../domain/errors.ts";
import { callerOf } from "../authenticate.ts";
import { concerns } from "../change-notes.ts";
import { connectionOf } from "../connection.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { DeploySiteResponse, deploySiteResponse } from "../schemas/deployments.ts";
import { receiveArchive } from "../upload.ts";

/** POST /deploy: the body goes to the spool while it arrives, and only after the caller was judged. */
export function deployRoutes(ports: ApiPorts) {
  return new Elysia().post(
    "/deploy",
    async ({ request, set }) => {
      const caller = await callerOf(ports, request);
      const permit = await permitDeployment(ports, caller, {
        siteName: request.headers.get("x-service-site"),
        makePrivate: readAccess(request.headers.get("x-service-access")),
      });
      connectionOf(request).allowSlowBody();
      const archive = await receiveArchive(request, ports.spool, ports.limits.archiveBytes);
      try {
        const { site, deployment } = await deploy(ports, permit, archive.path);
        concerns(request, { name: site.name, deployment_number: String(deployment.number) });
        const answer = deploySiteResponse(ports.links, site, deployment);
        set.status = 201;
        set.headers.location = answer.url;
        return answer;
      } finally {
        await archive.discard();
      }
    },
    {
      parse: "none",
      response: { 201: DeploySiteResponse },
      detail: {
        ...describe({
          summary: "Deploy a site",
          description:
            "Publishes a ZIP archive as the site's active deployment, in one step. Without X-Service-Site a new site is made under a generated name.",
          tags: ["Deploy and sites"],
          credential: "any",
          errors: {
            400: "archive is invalid: index.html: the content does not match its checksum",
            403: "credential cannot deploy this site",
            413: "a deployment limit was exceeded",
            429: "too many deployments with this token: try again later",
            503: "too many deployments are waiting",
            507: "the disk is full",
          },
        }),
        parameters: [
          header("X-Service-Site", "The site to deploy to; a deployment token must send its own site's name"),
          header("X-Service-Access", "`private` publishes and protects the site in one step", ["private"]),
        ],
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["file"],
                properties: { file: { type: "string", format: "binary", description: "The ZIP archive" } },
              },
            },
          },
        },
      },
      headers: t.Object({}, { additionalProperties: true }),
    },
  );
}

/** Absent keeps the site as it is. Anything but `private` could only be a misunderstanding. */
function readAccess(value: string | null): boolean {
  if (value === null) return false;
  if (value === "private") return true;
  throw fieldError(["header", "X-Service-Access"], "Send private, or leave the header out", "literal_error");
}

function header(name: string, description: string, values?: string[]) {
  return {
    name,
    in: "header" as const,
    required: false,
    description,
    schema: { type: "string" as const, ...(values ? { enum: values } : {}) },
  };
}
