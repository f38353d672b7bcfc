import { DomainError } from "../errors.ts";
import { checkLimit, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { MAKER_LOST_ROLE, roleOf, roleTooWeak, whyNoRole } from "../members/permission.ts";
import type { Agent } from "../model/agent.ts";
import type { Caller, DeploymentTokenCaller, LimitedSessionCaller, SessionCaller } from "../model/caller.ts";
import { requireUnfrozenSite } from "../model/freeze.ts";
import { mayActivate, requireMayActivate } from "../model/permission.ts";
import { excessOf, overQuota, type Quota, quotaInForce, type Room } from "../model/quota.ts";
import { may } from "../model/role.ts";
import { includesSite, MAX_AGENT_SITES, scopeOf } from "../model/scope.ts";
import type { Site } from "../model/site.ts";
import { requireSiteName } from "../model/site-name.ts";
import { accessOfNewSite, mayMakePublic, type SitePolicy } from "../model/site-policy.ts";
import type { User } from "../model/user.ts";
import type { DeployRequest, Permit } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { generateSiteName } from "../sites/generate-name.ts";
import { requireAliasLabel } from "./alias-label.ts";
import { requireAliasWithoutDomain } from "./previews.ts";

interface PermitPorts {
  readonly store: Pick<Store, "sites" | "claims" | "quotas" | "rateLimits">;
  /** The server's default; a user may have another quota. */
  readonly quota: Quota;
  readonly rates: Pick<Rates, "deploy" | "ownerDeploy">;
  readonly policy: SitePolicy;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** The label of the server's own host below the sites domain; null if its host is elsewhere. */
  readonly ownLabel: string | null;
}

/**
 * Returns the permit for a deployment. Throws `invalid` for an invalid site name, `forbidden` if the credential cannot
 * deploy the site or the site is frozen, `limit_exceeded` if the owner's quota is used up, and `too_many_requests`.
 * Publication checks again, because the site may get another owner and the credential may be revoked during the upload.
 * A credential that only expires meanwhile stays valid for the upload. `address` is the client's, for the audit log, and
 * `agent` the program that asks over MCP.
 */
export async function permitDeployment(
  ports: PermitPorts,
  caller: Caller,
  given: DeployRequest,
  address: string,
  agent: Agent | null = null,
): Promise<Permit> {
  const site = given.siteName === null ? null : await ports.store.sites.find(given.siteName);
  // A site that was renamed is found by its former name for a while.
  const request = { ...given, siteName: site?.name ?? given.siteName };
  labelOf(ports, { alias: request.alias, siteName: request.siteName ?? "" });
  const permit = askedBy(agent, await permitOwner(ports, caller, request, site, address));
  if (site) {
    if (site.private && request.makePublic) throw alreadyPrivate(site.name);
    await requireMayProtect(ports, caller, request, site);
    requireUnfrozenSite(site);
  }
  await requireMovableAlias(ports, permit);
  const room = await quotaRoomOf(ports, permit.ownerId);
  const excess = room && excessOf(room.quota, room.usage, { sites: site ? 0 : 1, bytes: 0 });
  if (excess) throw overQuota(excess);
  await countDeployment(ports, caller, permit.ownerId);
  return permit;
}

/** Throws `forbidden` if a custom domain shows the alias, and the credential may only make previews. */
export async function requireMovableAlias(
  ports: { readonly store: Pick<Store, "sites" | "claims">; readonly secrets: Secrets },
  permit: Permit,
): Promise<void> {
  const alias = permit.onlyPreviews ? labelOf(ports, permit) : null;
  const site = alias === null ? null : await ports.store.sites.find(permit.siteName);
  if (site && alias !== null) await requireAliasWithoutDomain(ports.store, site.id, alias);
}

/** Returns the label of the permit's alias, which depends on the site's name; null for none. */
export function labelOf(
  { secrets }: { readonly secrets: Secrets },
  { alias, siteName }: Pick<Permit, "alias" | "siteName">,
): string | null {
  return alias === null ? null : requireAliasLabel(alias, siteName, secrets.sha256, ["header", "X-Service-Alias"]);
}

/** Returns the owner's quota and usage; null without a limit, so that the usage need not be added up. */
export async function quotaRoomOf(
  { store, quota: standard }: { readonly store: Pick<Store, "quotas">; readonly quota: Quota },
  ownerId: number,
): Promise<Room | null> {
  const quota = quotaInForce(standard, await store.quotas.own(ownerId));
  if (quota.sites === null && quota.bytes === null) return null;
  return { quota, usage: await store.quotas.usage(ownerId) };
}

/** The error for a deployment that the credential does not permit. */
export function cannotDeploy(why: string): DomainError {
  return new DomainError("forbidden", `credential cannot deploy this site: ${why}`);
}

// --- internal ---

function askedBy(agent: Agent | null, permit: Permit): Permit {
  const { requestedBy } = permit;
  return agent && requestedBy ? { ...permit, requestedBy: { ...requestedBy, agent } } : permit;
}

/** A public site is made private only by those who may change its access. */
async function requireMayProtect(
  { store }: PermitPorts,
  caller: Caller,
  { makePrivate }: DeployRequest,
  site: Site,
): Promise<void> {
  if (!makePrivate || site.private) return;
  const role = await roleOf(store, caller, site);
  if (role !== null && !may(role, "change_access")) throw roleTooWeak(role, "change_access");
}

/** An upload is expensive whatever its result, so it is counted before it is read. */
async function countDeployment(ports: PermitPorts, caller: Caller, ownerId: number): Promise<void> {
  const now = ports.clock.now();
  const owner = String(ownerId);
  await checkLimit(ports, "ownerDeploy", owner, now);
  if (caller.kind !== "session") {
    const token = caller.kind === "deployment_token" ? caller.tokenId : `session ${caller.sessionId}`;
    await takeFromLimit(ports, "deploy", token, now);
  }
  await takeFromLimit(ports, "ownerDeploy", owner, now);
}

/** `site` is the one that the request names; null if there is none. */
async function permitOwner(
  ports: PermitPorts,
  caller: Caller,
  request: DeployRequest,
  site: Site | null,
  address: string,
): Promise<Permit> {
  const asked = { ...request, generated: false, privateIfNew: false, onlyPreviews: !mayActivate(caller) };
  if (caller.kind === "deployment_token") return permitToken(caller, asked, address);
  if (caller.kind === "limited_session") {
    const isNew = request.siteName === null && caller.limit.newSites === true;
    return isNew ? permitNewSite(ports, caller, asked, address) : permitLimited(ports, caller, asked, site, address);
  }
  const generated = request.siteName === null;
  const siteName = request.siteName ?? generateSiteName(ports.secrets);
  requireSiteName(siteName);
  // A site that existed before its name became reserved stays its owner's.
  if (!site) requireSiteName(siteName, ports.ownLabel);
  const { user, kind, sessionId } = caller;
  if (site) await requireDeployer(ports.store, caller, site);
  else if (!user.mayOwn) throw cannotDeploy(`${user.login} may not own sites: ask the operator`);
  const ownerId = site ? site.ownerId : user.id;
  const canCreateAgain = ownerId === user.id && user.mayOwn && siteName !== ports.ownLabel;
  return {
    ...asked,
    siteName,
    generated,
    ownerId,
    makerId: user.id,
    onlySiteId: site && !canCreateAgain ? site.id : null,
    privateIfNew: site ? site.private || !mayMakePublic(ports.policy, user) : isNewPrivate(ports, user, request),
    credential: { kind, sessionId },
    actor: user.login,
    requestedBy: { userId: user.id, address },
  };
}

/** What every permit has, whatever the credential. */
type Asked = DeployRequest & Pick<Permit, "generated" | "privateIfNew" | "onlyPreviews">;

/** Permits a deployment token to deploy to its own site. */
function permitToken(caller: DeploymentTokenCaller, asked: Asked, address: string): Permit {
  const { kind, tokenId, siteName, ownerId, makerId, tokenName: actor, siteId: onlySiteId } = caller;
  if (asked.siteName !== siteName) throw cannotDeploy(tokenMismatch(asked.siteName, siteName));
  if (!asked.isPreview || asked.makePrivate) requireMayActivate(caller);
  if (!may(caller.makerRole, "deploy")) throw cannotDeploy(MAKER_LOST_ROLE);
  const credential = { kind, tokenId };
  return {
    ...asked,
    siteName,
    ownerId,
    makerId,
    onlySiteId,
    credential,
    actor,
    requestedBy: { userId: null, address },
  };
}

/** Permits an agent whose scope says so to create a site, which is live at once. */
function permitNewSite(
  { secrets, policy }: PermitPorts,
  { user, sessionId, limit }: LimitedSessionCaller,
  asked: Asked,
  address: string,
): Permit {
  if (!user.mayOwn) throw cannotDeploy(`${user.login} may not own sites: ask the operator`);
  if (limit.sites.length >= MAX_AGENT_SITES) {
    throw cannotDeploy(`the scope has ${MAX_AGENT_SITES} sites, the maximum: connect the agent again`);
  }
  return {
    ...asked,
    privateIfNew: isNewPrivate({ policy }, user, asked),
    siteName: generateSiteName(secrets),
    generated: true,
    ownerId: user.id,
    makerId: user.id,
    onlySiteId: null,
    credential: { kind: "session", sessionId },
    actor: user.login,
    requestedBy: { userId: user.id, address, scope: scopeOf(limit) },
  };
}

function isNewPrivate(
  { policy }: Pick<PermitPorts, "policy">,
  user: User,
  { makePrivate, makePublic = false }: DeployRequest,
): boolean {
  const wanted = makePrivate ? "private" : makePublic ? "public" : null;
  return accessOfNewSite(policy, user, wanted) === "private";
}

function alreadyPrivate(name: string): DomainError {
  return new DomainError("conflict", `${name} is private: make it public first, or leave X-Service-Access out`);
}

/** Permits a session of limited scope to deploy to the sites in its scope. */
async function permitLimited(
  { store }: PermitPorts,
  caller: LimitedSessionCaller,
  asked: Asked,
  site: Site | null,
  address: string,
): Promise<Permit> {
  const { user, sessionId, limit } = caller;
  const { siteName } = asked;
  const scope = scopeOf(limit);
  const isGranted = site !== null && includesSite(limit, site);
  // The scope has the names at the time of the consent.
  const isNamed = isGranted || limit.sites.some(({ name }) => name === siteName);
  if (siteName === null || !isNamed) throw cannotDeploy(`the scope of this token is "${scope}"`);
  if (!isGranted) throw cannotDeploy(`${siteName} is not the site that this token was granted any more`);
  await requireDeployer(store, caller, site);
  if (!asked.isPreview || asked.makePrivate) requireMayActivate(caller);
  return {
    ...asked,
    siteName,
    ownerId: site.ownerId,
    makerId: user.id,
    onlySiteId: site.id,
    credential: { kind: "session", sessionId },
    actor: user.login,
    requestedBy: { userId: user.id, address, scope },
  };
}

async function requireDeployer(
  store: Pick<Store, "sites">,
  caller: SessionCaller | LimitedSessionCaller,
  site: Site,
): Promise<void> {
  const role = await roleOf(store, caller, site);
  if (role === null) throw cannotDeploy(await whyNoRole(store, caller, site));
  if (!may(role, "deploy")) throw roleTooWeak(role, "deploy");
}

function tokenMismatch(requested: string | null, own: string): string {
  return requested === null
    ? `send X-Service-Site: ${own} with this deployment token`
    : `this deployment token belongs to ${own}`;
}
