import { unauthenticated } from "../accounts/authenticate.ts";
import type { Caller, LimitedSessionCaller } from "../accounts/caller.ts";
import { excessOf, overQuota, type Quota, quotaInForce, type Room } from "../accounts/quota.ts";
import { scopeOf } from "../accounts/scope.ts";
import { DomainError } from "../errors.ts";
import type { UnpackedArchive } from "../ports/archive.ts";
import type { Clock } from "../ports/clock.ts";
import type { Publisher } from "../ports/publisher.ts";
import type { Secrets } from "../ports/secrets.ts";
import type {
  DeploymentCredential,
  Publication,
  PublicationRefusal,
  PublicationResult,
  Published,
  Requester,
} from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import { checkLimit, RATE_LIMITS, type Rates, takeFromLimit } from "../rate-limit.ts";
import { requireUnfrozenSite, siteFrozen } from "../sites/freeze.ts";
import { generateSiteName, requireSiteName } from "../sites/name.ts";
import { requireMayActivate } from "../tokens/permission.ts";
import { requireAliasLabel } from "./alias-label.ts";
import { isServed } from "./clean-urls.ts";
import type { DeploymentOrigin } from "./deployment.ts";
import { parseHeaders } from "./headers-file.ts";
import type { Manifest, Warning } from "./manifest.ts";
import { tooManyAliases } from "./previews.ts";
import { parseRedirects } from "./redirects-file.ts";
import { warnAboutSite } from "./site-warnings.ts";

export interface DeployPorts {
  readonly store: Pick<Store, "sites" | "quotas" | "rateLimits">;
  /** The server's; the operator may have given the owner another. */
  readonly quota: Quota;
  readonly rates: Pick<Rates, "deploy" | "ownerDeploy">;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** What the server itself is called below the sites domain; null where its address lies elsewhere. */
  readonly ownLabel: string | null;
}

/** What a publisher's threads are plugged into. */
export interface PublicationPorts {
  readonly store: Pick<Store, "deployments">;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** What a deployment asks for besides its content. */
export interface DeployRequest {
  /** Null generates a name for a new site. */
  readonly siteName: string | null;
  /** Publishes and protects in one step; false keeps the site as it is. */
  readonly makePrivate: boolean;
  readonly origin: DeploymentOrigin;
  /** Makes no deployment where all files are those of the site's active one. */
  readonly onlyIfChanged: boolean;
  /** Leaves the site as it is. */
  readonly isPreview: boolean;
  /** The alias to point to the deployment, as it was given; null for none. */
  readonly alias: string | null;
  /** Milliseconds after which preview and alias expire; null for the site's default. */
  readonly lifetime: number | null;
  /** The client's, for the audit log. */
  readonly address: string;
}

/** A deployment that this caller may make: judged before a byte of the archive is read. */
export interface Permit {
  readonly siteName: string;
  readonly generated: boolean;
  readonly ownerId: number;
  /** The one site that it may go to, for whoever could not make it anew; null for who could. */
  readonly onlySiteId: number | null;
  readonly makePrivate: boolean;
  /** Whether the site was private: its owner may delete it during the upload, and it is then made anew as it was. */
  readonly privateIfNew: boolean;
  readonly origin: DeploymentOrigin;
  readonly onlyIfChanged: boolean;
  readonly isPreview: boolean;
  readonly alias: string | null;
  readonly lifetime: number | null;
  readonly credential: DeploymentCredential;
  readonly actor: string;
  readonly requestedBy: Requester;
}

/**
 * Returns the permit for a deployment. Throws `invalid` for a site name that cannot be, and `forbidden` where the
 * credential cannot deploy that site or the site is frozen, and `limit_exceeded` where the owner's quota has no room even
 * for an empty one, and `too_many_requests`. Publication judges again: while bytes arrived, the site may have changed hands
 * and the credential may have been revoked. One that only expired was good when the upload began, and stays so for it.
 */
export async function permitDeployment(ports: DeployPorts, caller: Caller, request: DeployRequest): Promise<Permit> {
  labelOf(ports, { alias: request.alias, siteName: request.siteName ?? "" });
  const permit = await permitOwner(ports, caller, request);
  const site = await ports.store.sites.find(permit.siteName);
  if (site?.ownerId === permit.ownerId) requireUnfrozenSite(site);
  const room = await roomOf(ports, permit.ownerId);
  const excess = room && excessOf(room.quota, room.usage, { sites: site ? 0 : 1, bytes: 0 });
  if (excess) throw overQuota(excess);
  await countDeployment(ports, caller, permit.ownerId);
  return permit;
}

/** Whatever becomes of an upload, it costs: so it is counted before a byte of it is read. */
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

async function permitOwner(ports: DeployPorts, caller: Caller, request: DeployRequest): Promise<Permit> {
  const { siteName: _, address, ...wanted } = request;
  if (caller.kind === "deployment_token") {
    if (request.siteName !== caller.siteName) throw cannotDeploy(tokenMismatch(request.siteName, caller.siteName));
    if (!request.isPreview || request.makePrivate) requireMayActivate(caller);
    const { kind, tokenId, siteName, ownerId, tokenName: actor, siteId: onlySiteId } = caller;
    const credential = { kind, tokenId };
    const requestedBy = { userId: null, address };
    return {
      ...wanted,
      siteName,
      generated: false,
      ownerId,
      onlySiteId,
      privateIfNew: false,
      credential,
      actor,
      requestedBy,
    };
  }
  if (caller.kind === "limited_session") return permitLimited(ports, caller, request);
  const generated = request.siteName === null;
  const siteName = request.siteName ?? generateSiteName(ports.secrets);
  requireSiteName(siteName);
  const site = await ports.store.sites.find(siteName);
  // A site that was there before the server moved to its address stays its owner's.
  if (!site) requireSiteName(siteName, ports.ownLabel);
  if (site && site.ownerId !== caller.user.id && !generated) throw cannotDeploy(`${siteName} belongs to someone else`);
  if (!site && !caller.user.mayOwn) throw cannotDeploy(`${caller.user.login} may not own sites: ask the operator`);
  const { id: ownerId, login: actor } = caller.user;
  const isOwn = site !== null && !generated;
  const mayMakeAnew = caller.user.mayOwn && siteName !== ports.ownLabel;
  const onlySiteId = isOwn && !mayMakeAnew ? site.id : null;
  const { kind, sessionId } = caller;
  const credential = { kind, sessionId };
  return {
    ...wanted,
    siteName,
    generated,
    ownerId,
    onlySiteId,
    privateIfNew: isOwn && site.private,
    credential,
    actor,
    requestedBy: { userId: caller.user.id, address },
  };
}

/** For a session that a person limited to some of their sites: it makes none. */
async function permitLimited(
  { store }: DeployPorts,
  caller: LimitedSessionCaller,
  { siteName, address, ...wanted }: DeployRequest,
): Promise<Permit> {
  const { user, sessionId, limit } = caller;
  const scope = scopeOf(limit);
  const granted = limit.sites.find(({ name }) => name === siteName);
  if (siteName === null || !granted) throw cannotDeploy(`the scope of this token is "${scope}"`);
  const site = await store.sites.find(siteName);
  if (site?.id !== granted.id || site.ownerId !== user.id) {
    throw cannotDeploy(`${siteName} is not the site that this token was granted any more`);
  }
  if (!wanted.isPreview || wanted.makePrivate) requireMayActivate(caller);
  return {
    ...wanted,
    siteName,
    generated: false,
    ownerId: user.id,
    onlySiteId: site.id,
    privateIfNew: false,
    credential: { kind: "session", sessionId },
    actor: user.login,
    requestedBy: { userId: user.id, address, scope },
  };
}

/**
 * Unpacks an archive file and publishes it as the site's active deployment, in one step, or as a preview, making the site if it does
 * not exist. When this returns, the deployment survives a power cut and every next request sees it; when it throws,
 * nothing was published. Returns the active deployment as
 * `unchanged` where the permit asks for that. Throws what `Publisher.publish` does, `forbidden`, `limit_exceeded` and `disk_full`.
 */
export async function deploy(ports: DeployPorts, permit: Permit, archive: string): Promise<Published> {
  for (let attempt = 1; ; attempt++) {
    const result = await ports.publisher.publish(archive, permit, await roomOf(ports, permit.ownerId));
    if (result.outcome === "published" || result.outcome === "unchanged") return result;
    // Content that was relied on was swept in between: a second unpacking stores it anew.
    if (result.outcome === "content_gone" && attempt < 3) continue;
    throw refusal(permit, result);
  }
}

/**
 * Publishes what was unpacked under the permit's name, and returns what became of it; a generated name that turns out to
 * be taken is generated again. Throws `disk_full`.
 */
export async function publishUnpacked(
  ports: PublicationPorts,
  permit: Permit,
  unpacked: UnpackedArchive,
): Promise<PublicationResult> {
  const contents = describe(unpacked);
  for (let attempt = 1; ; attempt++) {
    const siteName = permit.generated && attempt > 1 ? generateSiteName(ports.secrets) : permit.siteName;
    const named = { ...permit, siteName };
    const alias = labelOf(ports, named);
    const publication = { ...contents, ...named, alias, reused: unpacked.reused, createdAt: ports.clock.now() };
    const result = await ports.store.deployments.publish(publication, ports.quota);
    const taken = result.outcome === "not_owner" || result.outcome === "name_retired";
    if (!(taken && permit.generated && attempt < 5)) return result;
  }
}

/** Returns the label of the alias that a permit asks for, which depends on the site's name; null for none. */
function labelOf(
  { secrets }: Pick<DeployPorts, "secrets">,
  { alias, siteName }: Pick<Permit, "alias" | "siteName">,
): string | null {
  return alias === null ? null : requireAliasLabel(alias, siteName, secrets.sha256, ["header", "X-Service-Alias"]);
}

/** Parses the rules that came with the files, once; what is wrong with them is a warning, never a failure. */
function describe(unpacked: UnpackedArchive): Pick<Publication, "manifest" | "warnings"> {
  const served = new Set(unpacked.files.map((file) => file.path).filter(isServed));
  const redirects = parseRedirects(unpacked.redirectsText ?? "", served);
  const headers = parseHeaders(unpacked.headersText ?? "");
  const manifest: Manifest = { files: unpacked.files, redirects: redirects.rules, headers: headers.rules };
  const aboutRules = [...redirects.warnings, ...headers.warnings];
  return { manifest, warnings: [...aboutRules, ...warnAboutSite(served, manifest), ...unseenFiles(unpacked)] };
}

/** A `.git` folder or a folder of dotfiles can hold thousands of files; nobody reads more warnings than these. */
const MAX_UNSEEN_WARNINGS = 100;

/** Returns a warning for what the owner uploaded and nobody will see. The two rule files are meant not to be seen. */
function unseenFiles({ files, leftOut }: UnpackedArchive): Warning[] {
  const dotfiles = files.map((file) => file.path).filter((path) => !isServed(path) && /(^|\/)\./.test(path));
  return [
    ...leftOut.map((file): Warning => ({ file, line: 0, message: "was left out: it is not part of a site" })),
    ...dotfiles.map((file): Warning => ({ file, line: 0, message: "is kept, but never served" })),
  ].slice(0, MAX_UNSEEN_WARNINGS);
}

/** Returns what the owner may have and has already; null where nothing limits it, so that nothing need be summed up. */
async function roomOf({ store, quota: standard }: DeployPorts, ownerId: number): Promise<Room | null> {
  const quota = quotaInForce(standard, await store.quotas.own(ownerId));
  if (quota.sites === null && quota.bytes === null) return null;
  return { quota, usage: await store.quotas.usage(ownerId) };
}

function refusal(permit: Permit, result: PublicationRefusal): DomainError {
  switch (result.outcome) {
    case "not_owner":
      return cannotDeploy(`${permit.siteName} belongs to someone else`);
    case "owner_gone":
      return cannotDeploy("the account was removed while the upload was under way");
    case "credential_revoked":
      return unauthenticated(`${whatEnded(permit.credential)} while the upload was under way`);
    case "site_gone":
      return cannotDeploy(`${permit.siteName} was deleted while the upload was under way`);
    case "name_retired":
      return cannotDeploy(`${permit.siteName} was deleted within the last 30 days: choose another name`);
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

/** A token goes with its site, and nobody knows afterwards which of the two it was. */
function whatEnded({ kind }: DeploymentCredential): string {
  return kind === "session" ? "the session was ended" : "the deployment token was revoked or its site deleted";
}

function cannotDeploy(why: string): DomainError {
  return new DomainError("forbidden", `credential cannot deploy this site: ${why}`);
}

function tokenMismatch(asked: string | null, own: string): string {
  return asked === null
    ? `send X-Service-Site: ${own} with this deployment token`
    : `this deployment token belongs to ${own}`;
}
