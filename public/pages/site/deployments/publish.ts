import { call } from "../../../api/client.ts";
import { refresh } from "../../../api/resource.ts";
import type { Site } from "../../../api/types.ts";
import { announce } from "../../../parts/toasts.tsx";

/**
 * Makes a deployment live and offers to undo it. The previous one is loaded first, because the page may be out of date.
 */
export async function publish(site: string, number: number): Promise<void> {
  // The activation continues without an undo if the previous one is unknown.
  const before = await findLive(site).catch(() => null);
  await activate(site, number, before === null ? null : () => activate(site, before, null));
}

async function findLive(site: string): Promise<number | null> {
  const sites = await call<Site[]>("GET", "/sites");
  return sites.find(({ name }) => name === site)?.active_deployment ?? null;
}

async function activate(site: string, number: number, undo: (() => Promise<void>) | null): Promise<void> {
  await call("POST", `/sites/${site}/deployments/${number}/activate`);
  refresh("/sites");
  announce(`Deployment ${number} is live.`, undo);
}
