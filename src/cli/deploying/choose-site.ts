import { basename, dirname, resolve } from "node:path";
import type { Site } from "../../api/schemas/types.ts";
import { proposedSiteName } from "../../domain/sites/proposed-name.ts";
import { ApiError } from "../client/api-error.ts";
import type { ApiClient } from "../client/client.ts";
import { askText, confirm } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";

/**
 * Asks for the site of a path that was not deployed before, and proposes one that is named after it. Returns `site` null
 * to let the server choose a name, as without a terminal; null if the site exists and must not change.
 */
export async function chooseSite(
  terminal: Terminal,
  client: ApiClient,
  path: string,
): Promise<{ readonly site: string | null } | null> {
  // A deployment token has one site, and must name it.
  if (!terminal.canAsk || client.token?.startsWith("vtd_")) return { site: null };
  const proposed = proposedSite(path);
  const question = proposed === "" ? "Name of the site (Enter for a random one): " : `Name of the site [${proposed}]: `;
  const site = (await askText(terminal, question)) || proposed;
  if (site === "") return { site: null };
  const isOwn = (await ownSites(client)).some(({ name }) => name === site);
  if (isOwn && !(await confirm(terminal, `You have a site ${site}. Update it?`, "Name it with --site."))) return null;
  return { site };
}

/** Returns a name after the folder or file, or after the folder of a project if its build is called dist; else empty. */
export function proposedSite(path: string): string {
  const target = resolve(path);
  const names = [basename(target).replace(/\.(zip|html?)$/i, ""), basename(dirname(target))];
  return names.map(proposedSiteName).find((name) => name !== "") ?? "";
}

// --- internal ---

/** A sign-in that may not list sites finds out when it deploys. */
async function ownSites(client: ApiClient): Promise<readonly Site[]> {
  return client.list<Site>("/sites").catch((error) => {
    if (error instanceof ApiError && error.httpStatus === 403) return [];
    throw error;
  });
}
