import { Elysia, t } from "elysia";
import { findChanges, makeListChanges } from "../../domain/deployments/changes.ts";
import { activateDeployment, exportDeployment, listDeployments } from "../../domain/deployments/history.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  DeploymentChangesResponse,
  deploymentChangesResponse,
  deploymentWithChangesResponse,
  SiteDeploymentResponse,
  siteDeploymentResponse,
} from "../schemas/deployments.ts";
import { deploymentParams, pageOf, pageQuery, siteParams } from "../schemas/params.ts";

const tags = ["Deploy and sites"];
const errors = OWNED_SITE;

/** A page without `limit` is as long as a page may be: the specification knows no pages, and expects them all. */
const MAX_PAGE = 1000;
/** A comparison may take 30 ms. */
const MAX_PAGE_WITH_CHANGES = 100;

const listQuery = t.Object({
  ...pageQuery(MAX_PAGE, "deployments with a lower number").properties,
  include: t.Optional(
    t.Literal("changes", {
      description: `Adds to each deployment how many files it changed; a page then has at most ${MAX_PAGE_WITH_CHANGES}`,
    }),
  ),
});

export function deploymentRoutes(ports: ApiPorts) {
  const listChanges = makeListChanges(ports);
  return new Elysia()
    .use(authenticated(ports))
    .get(
      "/sites/:name/deployments",
      async ({ caller, params, query }) => {
        if (query.include === "changes") {
          const { limit, before } = pageOf(query, MAX_PAGE_WITH_CHANGES);
          const page = { limit: Math.min(limit, MAX_PAGE_WITH_CHANGES), before };
          const listed = await listChanges(caller, params.name, page);
          return listed.map((one) => deploymentWithChangesResponse(ports.links, params.name, one));
        }
        const deployments = await listDeployments(ports, caller, params.name, pageOf(query, MAX_PAGE));
        return deployments.map((deployment) => siteDeploymentResponse(ports.links, params.name, deployment));
      },
      {
        params: siteParams,
        query: listQuery,
        response: { 200: t.Array(SiteDeploymentResponse) },
        detail: describe({ summary: "List a site's deployments, newest first", tags, credential: "any", errors }),
      },
    )
    .post(
      "/sites/:name/deployments/:deployment_number/activate",
      async ({ caller, params }) => {
        const deployment = await activateDeployment(ports, caller, params.name, params.deployment_number);
        return siteDeploymentResponse(ports.links, params.name, deployment);
      },
      {
        params: deploymentParams,
        response: { 200: SiteDeploymentResponse },
        detail: describe({
          summary: "Activate a deployment",
          description: "Makes an earlier deployment live, from the next request on.",
          tags,
          credential: "any",
          errors,
        }),
      },
    )
    .get(
      "/sites/:name/deployments/:deployment_number/changes",
      async ({ caller, params }) => {
        const changes = await findChanges(ports, caller, params.name, params.deployment_number);
        return deploymentChangesResponse(params.deployment_number, changes);
      },
      {
        params: deploymentParams,
        response: { 200: DeploymentChangesResponse },
        detail: describe({
          summary: "Compare a deployment with the one before it",
          description: "Files are compared by content. The counts are whole; the list ends after 500 files.",
          tags,
          errors,
        }),
      },
    )
    .get(
      "/sites/:name/deployments/:deployment_number/archive",
      async ({ caller, params }) => {
        const { manifest } = await exportDeployment(ports, caller, params.name, params.deployment_number);
        return new Response(ports.exportArchive(manifest), {
          headers: {
            "Content-Type": "application/zip",
            "Content-Disposition": `attachment; filename="${params.name}-${params.deployment_number}.zip"`,
            "Cache-Control": "private, no-store",
          },
        });
      },
      {
        params: deploymentParams,
        detail: describe({
          summary: "Download a deployment",
          description: "Returns the deployment as a ZIP archive that deploys again to the same bytes.",
          tags,
          errors,
          produces: "application/zip",
        }),
      },
    );
}
