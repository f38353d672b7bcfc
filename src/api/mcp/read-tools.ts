import { Type as t } from "@sinclair/typebox";
import { asPerson, sitesInScope } from "../../domain/agents/act.ts";
import { listDeployments } from "../../domain/deployments/history.ts";
import { explainVisit } from "../../domain/deployments/visit-explanation.ts";
import { DomainError } from "../../domain/errors.ts";
import type { Caller } from "../../domain/model/caller.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import type { OfSite } from "../../domain/model/site.ts";
import { reportOf } from "../../domain/report/report-of.ts";
import { SECOND, timestamp } from "../../domain/timestamp.ts";
import type { Links } from "../schemas/links.ts";
import { deploymentReportResponse } from "../schemas/reports.ts";
import { momentOrNull } from "../schemas/values.ts";
import { visitExplanationResponse, visitedUrl } from "../schemas/visit-explanation.ts";
import { type AgentCall, READ_ONLY, tool } from "./tool.ts";

export const Site = t.String({ description: "The site's name, from sites_list", examples: ["brisk-otter-4821"] });

export const DeploymentNumber = t.Integer({ minimum: 1, description: "From deployments_list", examples: [3] });

/** Most reports are ready after a second or two. */
const REPORT_WAIT_MS = 20 * SECOND;

/** More would crowd out a conversation. */
const MAX_SITES = 100;
const MAX_DEPLOYMENTS = 20;
const MAX_FINDINGS = 50;

/** Tools that change nothing. */
export const readTools = [
  tool({
    name: "sites_list",
    title: "List sites",
    description: "Lists the sites that you may use here, with their URLs and which deployment is live.",
    input: t.Object({}, { examples: [{}] }),
    annotations: READ_ONLY,
    run: async ({ caller, ports }) => {
      const sites = await sitesInScope(ports, caller);
      const listed = sites.slice(0, MAX_SITES).map((site) => ({
        site: site.name,
        url: ports.links.site(site.name),
        private: site.private,
        live_deployment: site.activeDeployment,
        last_deployed_at: timestamp(site.lastDeployedAt),
        ...(site.expiresAt === null ? {} : { expires_at: timestamp(site.expiresAt) }),
        ...(site.frozen ? { frozen: true } : {}),
      }));
      return { sites: listed, not_listed: sites.length - listed.length };
    },
  }),

  tool({
    name: "deployments_list",
    title: "List deployments",
    description: `Lists the newest ${MAX_DEPLOYMENTS} deployments of a site: what is live, what was live, and previews with their URLs.`,
    input: t.Object({ site: Site }, { examples: [{ site: "brisk-otter-4821" }] }),
    annotations: READ_ONLY,
    run: async ({ caller, ports }, { site }) => {
      const page = { limit: MAX_DEPLOYMENTS, before: null };
      const deployments = await listDeployments(ports, caller, site, page);
      return { deployments: deployments.map((deployment) => deploymentLine(ports.links, deployment)) };
    },
  }),

  tool({
    name: "explain",
    title: "Explain an address",
    description:
      "Tells what visitors of an address get, and why: the status, the file, and the rule of _redirects or _headers that decided. Never the file's content.",
    input: t.Object(
      {
        site: Site,
        address: t.String({ description: "A path such as /about, or a whole URL at one of the site's hosts" }),
      },
      { examples: [{ site: "brisk-otter-4821", address: "/about" }] },
    ),
    annotations: READ_ONLY,
    run: async ({ caller, ports }, { site, address }) => {
      const requested = { siteName: site, deploymentNumber: null, ...visitedUrl(address, ports.maxUrlLength) };
      const explanation = await explainVisit(ports, await asPerson(ports, caller, site), requested);
      const { nearby_rules: _, header_sources: __, ...answer } = visitExplanationResponse(explanation);
      return answer;
    },
  }),

  tool({
    name: "report",
    title: "Read a deployment's report",
    description:
      "Tells what is broken in a deployment: links, missing files, wrong spelling of paths, and secrets that should not be there. New errors come first. Waits a short time for a report that is not ready. Without deployment_number, of the newest deployment.",
    input: t.Object(
      { site: Site, deployment_number: t.Optional(DeploymentNumber) },
      { examples: [{ site: "brisk-otter-4821", deployment_number: 3 }] },
    ),
    annotations: READ_ONLY,
    run: async ({ caller, ports }, { site, deployment_number }) => {
      const number = deployment_number ?? (await newestOf(ports, caller, site));
      const report = await reportOf(ports, caller, { siteName: site, number, wait: REPORT_WAIT_MS });
      const { findings, totals: _, truncated, ...answer } = deploymentReportResponse(report);
      const listed = findings.slice(0, MAX_FINDINGS);
      const more = truncated || listed.length < findings.length;
      return { deployment_number: number, ...answer, findings: listed, truncated: more };
    },
  }),
];

/** Returns what an agent needs of a deployment. */
export function deploymentLine(links: Links, deployment: OfSite<Deployment>) {
  return {
    deployment_number: deployment.number,
    active: deployment.active,
    preview: deployment.activatedAt === null,
    url: links.deployment(deployment.siteName, deployment.number),
    created_at: timestamp(deployment.createdAt),
    expires_at: momentOrNull(deployment.expiresAt),
    message: deployment.message,
    made_by: deployment.agent?.name ?? deployment.actor,
    files: deployment.fileCount,
    bytes: deployment.sizeBytes,
    warnings: deployment.warnings.length,
  };
}

// --- internal ---

async function newestOf(ports: AgentCall["ports"], caller: Caller, site: string): Promise<number> {
  const [newest] = await listDeployments(ports, caller, site, { limit: 1, before: null });
  if (newest) return newest.number;
  throw new DomainError("not_found", `${site} has no deployment yet`);
}
