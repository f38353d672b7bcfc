import { Type as t } from "@sinclair/typebox";
import { findChanges } from "../../domain/deployments/changes.ts";
import { deleteDeployment } from "../../domain/deployments/delete.ts";
import { listFiles } from "../../domain/deployments/files.ts";
import { activateDeployment, exportDeployment, listDeployments } from "../../domain/deployments/history.ts";
import { route } from "../route.ts";
import {
  DeploymentChangesResponse,
  DeploymentFilesResponse,
  deploymentChangesResponse,
  deploymentFilesResponse,
  deploymentOf,
  deploymentWithChangesResponse,
  SiteDeploymentResponse,
  siteDeploymentResponse,
} from "../schemas/deployments.ts";
import { deploymentNumber, pageOf, pageQuery } from "../schemas/params.ts";

const common = { tag: "Deploy and sites", auth: "site" } as const;
const params = { deployment_number: deploymentNumber };

/** The default is the maximum, because the specification has no pages, and expects all deployments. */
const MAX_PAGE = 1000;
/** A comparison may take 30 ms. */
const MAX_PAGE_WITH_CHANGES = 100;

const MAX_FILES_PAGE = 500;
const MAX_SEARCH = 200;
/** A path of an upload has at most as many bytes. */
const MAX_PATH = 1024;

export const deploymentRoutes = [
  route({
    ...common,
    endpoint: "GET /sites/:name/deployments",
    summary: "List a site's deployments, newest first",
    operation: "list_deployments",
    query: {
      ...pageQuery(MAX_PAGE, "deployments with a lower number"),
      include: t.Optional(
        t.Literal("changes", {
          description: `Adds to each deployment how many files it changed; a page then has at most ${MAX_PAGE_WITH_CHANGES}`,
        }),
      ),
    },
    response: { 200: t.Array(SiteDeploymentResponse) },
    handler: async ({ caller, params, query, ports }) => {
      if (query.include === "changes") {
        const { limit, before } = pageOf(query, MAX_PAGE_WITH_CHANGES);
        const page = { limit: Math.min(limit, MAX_PAGE_WITH_CHANGES), before };
        const listed = await ports.listChanges(caller, params.name, page);
        return listed.map((one) => deploymentWithChangesResponse(ports.links, one));
      }
      const deployments = await listDeployments(ports, caller, params.name, pageOf(query, MAX_PAGE));
      return deployments.map((deployment) => siteDeploymentResponse(ports.links, deployment));
    },
  }),

  route({
    ...common,
    endpoint: "POST /sites/:name/deployments/:deployment_number/activate",
    summary: "Activate a deployment",
    description: "Makes an earlier deployment live, from the next request on.",
    operation: "activate",
    params,
    response: { 200: SiteDeploymentResponse },
    audit: (subject) => `Activated ${deploymentOf(subject)}`,
    handler: async ({ caller, params, ports }) => {
      const deployment = await activateDeployment(ports, caller, params.name, params.deployment_number);
      return siteDeploymentResponse(ports.links, deployment);
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /sites/:name/deployments/:deployment_number",
    summary: "Delete a deployment",
    description:
      "From the next request on its URLs answer 410, for 30 days and then 404, its shares end, and the live site no longer " +
      "serves its files. Content that nothing else refers to is deleted within a minute. Its number is never used again.",
    operation: "delete_deployment",
    params,
    errors: {
      404: "site or deployment does not exist",
      409: "the deployment is active, or aliases point to this deployment: pr-12",
    },
    audit: (subject) => `Deleted ${deploymentOf(subject)}`,
    handler: ({ caller, params, ports }) => deleteDeployment(ports, caller, params.name, params.deployment_number),
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/deployments/:deployment_number/changes",
    summary: "Compare a deployment with what it replaced, or would replace",
    description:
      "A preview is compared with the active deployment, any other with the one before it that was ever active. Files are " +
      "compared by content. The counts are whole; the list ends after 500 files.",
    operation: "read_deployments",
    params,
    query: {
      with: t.Optional(t.Integer({ minimum: 1, description: "Compares with this deployment instead" })),
    },
    response: { 200: DeploymentChangesResponse },
    handler: async ({ caller, params, query, ports }) => {
      const compared = { number: params.deployment_number, base: query.with ?? null };
      const changes = await findChanges(ports, caller, params.name, compared);
      return deploymentChangesResponse(params.deployment_number, changes);
    },
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/deployments/:deployment_number/files",
    summary: "List the files of a deployment",
    description:
      "Lists what is in a folder, or with `search` all files with a text in their path, in pages. A folder's path ends " +
      "with a slash; its size and `file_count` are those of all files in it.",
    operation: "read_deployments",
    params,
    query: {
      folder: t.Optional(
        t.String({ maxLength: MAX_PATH, description: "`assets/` for the content of a folder; the root without it" }),
      ),
      search: t.Optional(
        t.String({ minLength: 1, maxLength: MAX_SEARCH, description: "Lists files of all folders; not with `folder`" }),
      ),
      after: t.Optional(t.String({ maxLength: MAX_PATH, description: "`next` of the page before" })),
      limit: t.Optional(t.Integer({ minimum: 1, maximum: MAX_FILES_PAGE })),
    },
    response: { 200: DeploymentFilesResponse },
    errors: { 414: "the URL is too long" },
    handler: async ({ caller, params, query, ports }) => {
      const { name: siteName, deployment_number: number } = params;
      const { folder = "", search, after = "", limit = MAX_FILES_PAGE } = query;
      const within =
        search === undefined ? { folder: folder.replace(/\/?$/, folder === "" ? "" : "/") } : { text: search };
      const page = await listFiles(ports, caller, { siteName, number }, { within, after, limit });
      return deploymentFilesResponse(ports.links, number, page);
    },
  }),

  route({
    ...common,
    endpoint: "GET /sites/:name/deployments/:deployment_number/archive",
    summary: "Download a deployment",
    description: "Returns the deployment as a ZIP archive that deploys again to the same bytes.",
    operation: "read_deployments",
    params,
    produces: "application/zip",
    handler: async ({ caller, params, ports }) => {
      const { siteName, manifest } = await exportDeployment(ports, caller, params.name, params.deployment_number);
      return new Response(ports.exportArchive(manifest), {
        headers: {
          "Content-Type": "application/zip",
          "Content-Disposition": `attachment; filename="${siteName}-${params.deployment_number}.zip"`,
          "Cache-Control": "private, no-store",
        },
      });
    },
  }),
];
