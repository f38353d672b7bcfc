import { unauthenticated } from "../accounts/authenticate.ts";
import { DomainError } from "../errors.ts";
import { checkLimit, RATE_LIMITS, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import { MAKER_LOST_ROLE, roleOf, roleTooWeak } from "../members/permission.ts";
import type { Agent } from "../model/agent.ts";
import type { Caller, DeploymentTokenCaller, LimitedSessionCaller } from "../model/caller.ts";
import { requireUnfrozenSite, siteExpired, siteFrozen } from "../model/freeze.ts";
import type { Manifest } from "../model/manifest.ts";
import { mayActivate, requireMayActivate } from "../model/permission.ts";
import { excessOf, overQuota, type Quota, quotaInForce, type Room } from "../model/quota.ts";
import { may, type Role } from "../model/role.ts";
import { includesSite, MAX_AGENT_SITES, scopeOf } from "../model/scope.ts";
import type { Site } from "../model/site.ts";
import { requireSiteName } from "../model/site-name.ts";
import type { UnpackedArchive } from "../ports/archive.ts";
import type { Publisher } from "../ports/publisher.ts";
import type {
  DeploymentCredential,
  DeployRequest,
  Permit,
  Publication,
  PublicationRefusal,
  PublicationResult,
  Published,
  StartedPermit,
} from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { isServed } from "../rules/clean-urls.ts";
import { parseHeaders } from "../rules/headers-file.ts";
import { parseRedirects } from "../rules/redirects-file.ts";
import { warnAboutSite } from "../rules/site-warnings.ts";
import { generateSiteName } from "../sites/generate-name.ts";
import { requireAliasLabel } from "./alias-label.ts";
import { requireAliasWithoutDomain, tooManyAliases } from "./previews.ts";
import { missingStartPageOf, type StartPages } from "./start-page.ts";
import { warnAboutPrivateKeys, warnAboutUpload } from "./upload-warnings.ts";

interface DeployPorts {
  readonly store: Pick<Store, "sites" | "claims" | "quotas" | "rateLimits">;
  /** The server's default; a user may have another quota. */
  readonly quota: Quota;
  readonly rates: Pick<Rates, "deploy" | "ownerDeploy">;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** The label of the server's own host below the sites domain; null if its host is elsewhere. */
  readonly ownLabel: string | null;
}

/** The dependencies that a publisher's threads need. */
export interface PublicationPorts {
  readonly store: Pick<Store, "deployments" | "sites" | "claims">;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly startPages: StartPages;
}

/**
 * Returns the permit for a deployment. Throws `invalid` for an invalid site name, `forbidden` if the credential cannot
 * deploy the site or the site is frozen, `limit_exceeded` if the owner's quota is used up, and `too_many_requests`.
 * Publication checks again, because the site may get another owner and the credential may be revoked during the upload.
 * A credential that only expires meanwhile stays valid for the upload. `address` is the client's, for the audit log, and
 * `agent` the program that asks over MCP.
 */
export async function permitDeployment(
  ports: DeployPorts,
  caller: Caller,
  given: DeployRequest,
  address: string,
  agent: Agent | null = null,
): Promise<Permit> {
  const request = await withCurrentName(ports, given);
  labelOf(ports, { alias: request.alias, siteName: request.siteName ?? "" });
  const permit = askedBy(agent, await permitOwner(ports, caller, request, address));
  const site = await ports.store.sites.find(permit.siteName);
  if (site?.ownerId === permit.ownerId) {
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

function askedBy(agent: Agent | null, permit: Permit): Permit {
  const { requestedBy } = permit;
  return agent && requestedBy ? { ...permit, requestedBy: { ...requestedBy, agent } } : permit;
}

/** A site that was renamed is found by its former name for a while. */
async function withCurrentName({ store }: DeployPorts, request: DeployRequest): Promise<DeployRequest> {
  const site = request.siteName === null ? null : await store.sites.find(request.siteName);
  return { ...request, siteName: site?.name ?? request.siteName };
}

/** A public site is made private only by those who may change its access. */
async function requireMayProtect(
  { store }: DeployPorts,
  caller: Caller,
  { makePrivate }: DeployRequest,
  site: Site,
): Promise<void> {
  if (!makePrivate || site.private) return;
  const role = await roleOf(store, caller, site);
  if (role !== null && !may(role, "change_access")) throw roleTooWeak(role, "change_access");
}

/** An upload is expensive whatever its result, so it is counted before it is read. */
async function countDeployment({ store, rates, clock }: DeployPorts, caller: Caller, ownerId: number): Promise<void> {
  if (rates.deploy === null && rates.ownerDeploy === null) return;
  const now = clock.now();
  const owner = String(ownerId);
  await checkLimit(store.rateLimits, RATE_LIMITS.ownerDeploy, rates.ownerDeploy, owner, now);
  if (caller.kind !== "session") {
    const token = caller.kind === "deployment_token" ? caller.tokenId : `session ${caller.sessionId}`;
    await takeFromLimit(store.rateLimits, RATE_LIMITS.deploy, rates.deploy, token, now);
  }
  await takeFromLimit(store.rateLimits, RATE_LIMITS.ownerDeploy, rates.ownerDeploy, owner, now);
}

async function permitOwner(
  ports: DeployPorts,
  caller: Caller,
  request: DeployRequest,
  address: string,
): Promise<Permit> {
  const asked = { ...request, generated: false, privateIfNew: false, onlyPreviews: !mayActivate(caller) };
  if (caller.kind === "deployment_token") return permitToken(caller, asked, address);
  if (caller.kind === "limited_session") {
    const isNew = request.siteName === null && caller.limit.newSites === true;
    return isNew ? permitNewSite(ports, caller, asked, address) : permitLimited(ports, caller, asked, address);
  }
  const generated = request.siteName === null;
  const siteName = request.siteName ?? generateSiteName(ports.secrets);
  requireSiteName(siteName);
  const site = await ports.store.sites.find(siteName);
  // A site that existed before its name became reserved stays its owner's.
  if (!site) requireSiteName(siteName, ports.ownLabel);
  const { user, kind, sessionId } = caller;
  if (site && !generated) requireDeployer(site, await roleOf(ports.store, caller, site));
  if (!site && !user.mayOwn) throw cannotDeploy(`${user.login} may not own sites: ask the operator`);
  const isOwn = site !== null && !generated;
  const ownerId = isOwn ? site.ownerId : user.id;
  const canCreateAgain = ownerId === user.id && user.mayOwn && siteName !== ports.ownLabel;
  return {
    ...asked,
    siteName,
    generated,
    ownerId,
    makerId: user.id,
    onlySiteId: isOwn && !canCreateAgain ? site.id : null,
    privateIfNew: isOwn && site.private,
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
  { secrets }: DeployPorts,
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

/** Permits a session of limited scope to deploy to the sites in its scope. */
async function permitLimited(
  { store }: DeployPorts,
  caller: LimitedSessionCaller,
  asked: Asked,
  address: string,
): Promise<Permit> {
  const { user, sessionId, limit } = caller;
  const { siteName } = asked;
  const scope = scopeOf(limit);
  const site = siteName === null ? null : await store.sites.find(siteName);
  const isGranted = site !== null && includesSite(limit, site);
  // The scope has the names at the time of the consent.
  const isNamed = isGranted || limit.sites.some(({ name }) => name === siteName);
  if (siteName === null || !isNamed) throw cannotDeploy(`the scope of this token is "${scope}"`);
  if (!isGranted) throw cannotDeploy(`${siteName} is not the site that this token was granted any more`);
  requireDeployer(site, await roleOf(store, caller, site));
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

/**
 * Unpacks an archive file and publishes it in one transaction, as the site's active deployment or as a preview, and
 * creates the site if necessary. When this returns, the deployment survives a power cut and every later request sees
 * it. When it throws, nothing was published. Returns the active deployment as `unchanged` if the permit asks for that.
 * Throws the errors of `Publisher.publish`, `forbidden`, `limit_exceeded` and `disk_full`.
 */
export async function deploy(ports: DeployPorts, permit: Permit, archive: string): Promise<Published> {
  let wanted = permit;
  for (let attempt = 1; ; attempt++) {
    const started = { ...wanted, startedAt: ports.clock.now() };
    const result = await ports.publisher.publish(archive, started, await quotaRoomOf(ports, permit.ownerId));
    if (result.outcome === "published" || result.outcome === "unchanged") return result;
    const next = attempt < MAX_ATTEMPTS ? nextAttempt(ports, wanted, result) : null;
    if (next === null) throw refusal(wanted, result);
    wanted = next;
  }
}

/** How often an archive is unpacked and published. */
const MAX_ATTEMPTS = 3;

/** Returns the permit to try again with; null if the refusal is final. */
function nextAttempt({ secrets }: DeployPorts, permit: Permit, { outcome }: PublicationRefusal): Permit | null {
  // Content was swept or purged meanwhile. Unpacking again stores it.
  if (outcome === "content_gone") return permit;
  const isTaken = outcome === "not_owner" || outcome === "name_retired";
  return isTaken && permit.generated ? { ...permit, siteName: generateSiteName(secrets) } : null;
}

/**
 * Publishes unpacked content under a permit, and returns the result. Throws `disk_full`, and `forbidden` if a custom
 * domain shows the alias by now.
 */
export async function publishUnpacked(
  ports: PublicationPorts,
  permit: StartedPermit,
  unpacked: UnpackedArchive,
): Promise<PublicationResult> {
  await requireMovableAlias(ports, permit);
  const described = describe(unpacked);
  const publication = {
    ...permit,
    ...described,
    alias: labelOf(ports, permit),
    reused: unpacked.reused,
    legacyTexts: unpacked.legacyTexts.map(({ digest }) => digest),
    withoutStartPage: await missingStartPageOf(ports, permit.siteName, described.manifest),
    createdAt: ports.clock.now(),
  };
  return ports.store.deployments.publish(publication, ports.quota);
}

/** Throws `forbidden` if a custom domain shows the alias, and the credential may only make previews. */
async function requireMovableAlias(
  ports: { readonly store: Pick<Store, "sites" | "claims">; readonly secrets: Secrets },
  permit: Permit,
): Promise<void> {
  const alias = permit.onlyPreviews ? labelOf(ports, permit) : null;
  const site = alias === null ? null : await ports.store.sites.find(permit.siteName);
  if (site && alias !== null) await requireAliasWithoutDomain(ports.store, site.id, alias);
}

/** Returns the label of the permit's alias, which depends on the site's name; null for none. */
function labelOf(
  { secrets }: Pick<DeployPorts, "secrets">,
  { alias, siteName }: Pick<Permit, "alias" | "siteName">,
): string | null {
  return alias === null ? null : requireAliasLabel(alias, siteName, secrets.sha256, ["header", "X-Service-Alias"]);
}

/** Parses the rules of the archive once. A problem in them is a warning, never a failure. */
function describe(unpacked: UnpackedArchive): Pick<Publication, "manifest" | "warnings"> {
  const served = new Set(unpacked.files.map((file) => file.path).filter(isServed));
  const redirects = parseRedirects(unpacked.redirectsText ?? "", served);
  const headers = parseHeaders(unpacked.headersText ?? "");
  const manifest: Manifest = { files: unpacked.files, redirects: redirects.rules, headers: headers.rules };
  const aboutRules = [...redirects.warnings, ...headers.warnings];
  const others = [...aboutRules, ...warnAboutSite(served, manifest), ...warnAboutUpload(unpacked)];
  return { manifest, warnings: [...warnAboutPrivateKeys(unpacked), ...others] };
}

/** Returns the owner's quota and usage; null without a limit, so that the usage need not be added up. */
async function quotaRoomOf({ store, quota: standard }: DeployPorts, ownerId: number): Promise<Room | null> {
  const quota = quotaInForce(standard, await store.quotas.own(ownerId));
  if (quota.sites === null && quota.bytes === null) return null;
  return { quota, usage: await store.quotas.usage(ownerId) };
}

function refusal(permit: Permit, result: PublicationRefusal): DomainError {
  switch (result.outcome) {
    case "not_owner":
      return cannotDeploy(`${permit.siteName} belongs to someone else`);
    case "role_lost":
      return cannotDeploy(`the person who deploys is no member of ${permit.siteName} any more`);
    case "role_too_weak":
      return roleTooWeak(result.role, "change_access");
    case "owner_gone":
      return cannotDeploy("the account was removed while the upload was under way");
    case "credential_revoked":
      return unauthenticated(`${endedCredential(permit.credential)} while the upload was under way`);
    case "site_gone":
      return cannotDeploy(`${permit.siteName} was deleted while the upload was under way`);
    case "name_retired":
      return cannotDeploy(`${permit.siteName} was deleted within the last 30 days: choose another name`);
    case "expired":
      return siteExpired(permit.siteName);
    case "frozen":
      return siteFrozen(permit.siteName, result.freeze);
    case "over_quota":
      return overQuota(result.excess);
    case "too_many_aliases":
      return tooManyAliases(permit.siteName);
    case "content_gone":
      return new DomainError("unavailable", "the content store is being swept: try again", { retryAfter: 5 });
  }
}

/** A token is deleted with its site, so it is unknown which of the two was deleted. */
function endedCredential({ kind }: DeploymentCredential): string {
  return kind === "session" ? "the session was ended" : "the deployment token was revoked or its site deleted";
}

function cannotDeploy(why: string): DomainError {
  return new DomainError("forbidden", `credential cannot deploy this site: ${why}`);
}

function requireDeployer({ name }: Site, role: Role | null): void {
  if (role === null) throw cannotDeploy(`${name} belongs to someone else`);
  if (!may(role, "deploy")) throw roleTooWeak(role, "deploy");
}

function tokenMismatch(requested: string | null, own: string): string {
  return requested === null
    ? `send X-Service-Site: ${own} with this deployment token`
    : `this deployment token belongs to ${own}`;
}
