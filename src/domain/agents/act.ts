import { firstCharacters } from "../characters.ts";
import { requireAliasLabel } from "../deployments/alias-label.ts";
import { requireDeployment } from "../deployments/history.ts";
import { noSuchAlias } from "../deployments/previews.ts";
import { DomainError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { includesSite } from "../model/scope.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords, Secrets } from "../ports/system.ts";
import { type CreatedShare, createShare } from "../shares/manage.ts";
import { DAY } from "../timestamp.ts";
import type { AgentCaller } from "./tokens.ts";

const SHARE_LIFETIME = 7 * DAY;

/** Returns the sites in the scope of a caller. */
export async function sitesInScope(
  { store }: { readonly store: Pick<Store, "sites"> },
  caller: Caller,
): Promise<readonly Site[]> {
  if (caller.kind === "deployment_token") {
    const site = await store.sites.find(caller.siteName);
    return site?.id === caller.siteId ? [site] : [];
  }
  const sites = await store.sites.listOfMember(caller.user.id, caller.at);
  return caller.kind === "session" ? sites : sites.filter((site) => includesSite(caller.limit, site));
}

/**
 * Returns the caller for an operation that the API gives to sessions alone, but that an agent may use on the sites in
 * its scope: the person themselves. Throws like `requireSite` for a site outside of the scope. The role of the person is
 * judged by the operation, and a deployment token stays what it is.
 */
export async function asPerson(
  { store }: { readonly store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
): Promise<Caller> {
  if (caller.kind !== "limited_session") return caller;
  await requireSite(store, caller, siteName, "list_deployments");
  return { kind: "session", user: caller.user, sessionId: caller.sessionId, at: caller.at, signedInAt: null };
}

interface SharePorts {
  readonly store: Pick<Store, "sites" | "shares" | "deployments" | "previews">;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: Pick<Passwords, "hash">;
}

/** A preview to share; one of the two is null. */
interface SharedPreview {
  readonly siteName: string;
  readonly deploymentNumber: number | null;
  readonly alias: string | null;
}

/**
 * Creates a link to a preview that the same agent made. A link to an alias is one to its deployment: what others point
 * the alias to later is not the agent's to share. Throws `forbidden` for anything else, and the errors of `createShare`.
 */
export async function sharePreview(
  ports: SharePorts,
  { caller, agent }: AgentCaller,
  shared: SharedPreview,
): Promise<CreatedShare> {
  const { store } = ports;
  const { siteName } = shared;
  const site = await requireSite(store, caller, siteName, "list_deployments");
  const number = await deploymentOf(ports, site, shared);
  const deployment = await requireDeployment(store.deployments, site, number);
  if (deployment.activatedAt !== null || deployment.agent?.id !== agent.id) {
    throw new DomainError("forbidden", `deployment ${number} is no preview that you made: share one that you did`);
  }
  const request = {
    label: firstCharacters(`By ${agent.name}`, 100),
    kind: "link",
    target: { alias: null, deploymentNumber: number },
    lifetime: SHARE_LIFETIME,
    password: null,
  } as const;
  return createShare(ports, await asPerson(ports, caller, siteName), siteName, request);
}

// --- internal ---

async function deploymentOf(
  { store, secrets }: SharePorts,
  site: Site,
  { deploymentNumber, alias }: SharedPreview,
): Promise<number> {
  if (deploymentNumber !== null && alias === null) return deploymentNumber;
  if (deploymentNumber !== null || alias === null) {
    throw new DomainError("invalid", "give a deployment_number or an alias");
  }
  const label = requireAliasLabel(alias, site.name, secrets.sha256, ["body", "alias"]);
  const route = await store.previews.findRoute(site.id, label);
  if (route === null) throw noSuchAlias(site.name, label);
  return route.deploymentNumber;
}
