import { siteNameProblem } from "../../src/domain/model/site-name.ts";
import { proposedSiteName } from "../../src/domain/sites/proposed-name.ts";
import type { Site } from "../api/types.ts";

/** The effect of deploying to a name, shown before the deployment. */
export type Target =
  | { readonly kind: "create" }
  | { readonly kind: "update"; readonly site: Site }
  /** The list of sites is not loaded yet. */
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** Returns the effect of deploying to `name`; if empty, the server generates a name. */
export function targetOf(name: string, sites: readonly Site[] | undefined): Target {
  if (name === "") return { kind: "create" };
  const problem = siteNameProblem(name);
  if (problem !== null) return { kind: "refused", reason: `Choose another name: ${problem}.${suggestion(name)}` };
  if (sites === undefined) return { kind: "unknown" };
  const site = sites.find((known) => known.name === name);
  if (!site) return { kind: "create" };
  if (site.frozen) return { kind: "refused", reason: `${name} is frozen. Ask the operator of this server.` };
  return { kind: "update", site };
}

function suggestion(name: string): string {
  const usable = proposedSiteName(name);
  return usable === "" || siteNameProblem(usable) !== null ? "" : ` Try ${usable}.`;
}
