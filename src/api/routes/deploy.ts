import { Elysia, t } from "elysia";
import { deploy, permitDeployment } from "../../domain/deployments/deploy.ts";
import { callerOf } from "../authenticate.ts";
import { connectionOf } from "../connection.ts";
import { DEPLOY_HEADERS, readDeployHeaders } from "../deploy-headers.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { DeploySiteResponse, deploySiteResponse } from "../schemas/deployments.ts";
import { withArchive } from "../upload.ts";

/** POST /deploy: the body goes to the spool while it arrives, and only after the caller was judged. */
export function deployRoutes(ports: ApiPorts) {
  return new Elysia().post(
    "/deploy",
    async ({ request, set }) => {
      const caller = await callerOf(ports, request);
      const wanted = { ...readDeployHeaders(request.headers), address: connectionOf(request).address };
      const permit = await permitDeployment(ports, caller, wanted);
      const published = await withArchive(ports, request, permit.ownerId, ({ path }) => deploy(ports, permit, path));
      const answer = deploySiteResponse(ports.links, published);
      set.status = answer.unchanged ? 200 : 201;
      if (!answer.unchanged) set.headers.location = answer.url;
      return answer;
    },
    {
      parse: "none",
      response: { 200: DeploySiteResponse, 201: DeploySiteResponse },
      detail: {
        ...describe({
          summary: "Deploy a site",
          description:
            "Publishes a ZIP archive as the site's active deployment, in one step. Without X-Service-Site a new site is made under a generated name. 200 means that nothing was made: see X-Service-If-Changed.",
          tags: ["Deploy and sites"],
          credential: "any",
          errors: {
            400: "archive is invalid: index.html: the content does not match its checksum",
            403: "credential cannot deploy this site",
            408: "the upload is too slow",
            413: "a deployment limit was exceeded",
            429: "too many uploads of this owner are under way, or too many deployments with this token",
            503: "too many uploads are waiting",
            507: "the disk is full",
          },
        }),
        parameters: DEPLOY_HEADERS,
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
