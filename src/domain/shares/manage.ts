import { countCharacters } from "../characters.ts";
import { requireAliasLabel } from "../deployments/alias-label.ts";
import { requireDeployment } from "../deployments/history.ts";
import { noSuchAlias } from "../deployments/previews.ts";
import { DomainError, fieldError } from "../errors.ts";
import { requireChangeableSite, requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { arePreviewsPrivate, isAliasPrivate } from "../model/preview.ts";
import {
  LIVE_TARGET,
  MAX_SHARE_PASSWORD_LENGTH,
  MAX_SHARES,
  MIN_SHARE_PASSWORD_LENGTH,
  type Share,
  type ShareKind,
  type ShareTarget,
} from "../model/share.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Passwords, Secrets } from "../ports/system.ts";
import { newSecret } from "../tokens/secret.ts";

type Ports = { readonly store: Pick<Store, "sites" | "shares" | "deployments" | "previews"> };

export interface ShareRequest {
  readonly label: string;
  readonly kind: ShareKind;
  /** At most one of the two; both null for the live site. */
  readonly target: { readonly alias: string | null; readonly deploymentNumber: number | null };
  /** In milliseconds. */
  readonly lifetime: number;
  readonly password: string | null;
}

/** A new share, with its secret, which cannot be read again; null for a password, which the owner knows. */
export interface CreatedShare {
  /** The site's own name, also if the request had a former one. */
  readonly siteName: string;
  readonly share: Share;
  readonly secret: string | null;
}

/** Returns the shares of the caller's site, newest first. Throws `not_found` and `forbidden`. */
export async function listShares({ store }: Ports, caller: Caller, siteName: string): Promise<readonly Share[]> {
  const site = await requireSite(store, caller, siteName, "manage_shares");
  return store.shares.listOfSite(site.id);
}

/**
 * Creates access to the caller's private site, or to a private preview, without an account. Throws `validation` for an
 * invalid password or target, `not_found` if there is no such deployment or alias, `site_not_private`, and `conflict`
 * above the limit.
 */
export async function createShare(
  ports: Ports & { readonly clock: Clock; readonly secrets: Secrets; readonly passwords: Pick<Passwords, "hash"> },
  caller: Caller,
  siteName: string,
  request: ShareRequest,
): Promise<CreatedShare> {
  const { store, clock, secrets, passwords } = ports;
  const password = requirePassword(request);
  const targetOn = (name: string) => targetOf(request, name, secrets.sha256);
  // An invalid target is refused before a missing site. The request may have a former name of the site.
  targetOn(siteName);
  const site = await requireChangeableSite(store, caller, siteName, "manage_shares");
  const target = targetOn(site.name);
  await requirePrivate(ports, site, target);
  const secret = password === null ? newSecret(secrets, "vtv") : null;
  const createdAt = clock.now();
  const share = {
    id: secrets.random(10).toHex(),
    siteId: site.id,
    label: request.label,
    kind: request.kind,
    target,
    createdAt,
    expiresAt: createdAt + request.lifetime,
  };
  const hashes = {
    secretHash: secret === null ? null : secrets.sha256(secret),
    passwordHash: password === null ? null : await passwords.hash(password),
  };
  if (!(await store.shares.add({ ...share, ...hashes }, MAX_SHARES))) {
    throw new DomainError("conflict", `${site.name} has ${MAX_SHARES} shares, the maximum: revoke one first`);
  }
  return { siteName: site.name, share: { ...share, uses: 0, lastUsedAt: null }, secret };
}

/** Revokes a share. Its visitors are refused from the next request on. Throws `not_found` and `forbidden`. */
export async function revokeShare({ store }: Ports, caller: Caller, siteName: string, id: string): Promise<void> {
  const site = await requireSite(store, caller, siteName, "manage_shares");
  if (!(await store.shares.delete(site.id, id))) throw new DomainError("not_found", "share does not exist");
}

// --- internal ---

function requirePassword({ kind, password }: ShareRequest): string | null {
  const loc = ["body", "password"];
  if (kind !== "password") {
    if (password === null) return null;
    throw fieldError(loc, "Only a share of the kind password has a password");
  }
  const length = countCharacters(password ?? "");
  if (password !== null && length >= MIN_SHARE_PASSWORD_LENGTH && length <= MAX_SHARE_PASSWORD_LENGTH) return password;
  throw fieldError(
    loc,
    `Give a password of ${MIN_SHARE_PASSWORD_LENGTH} to ${MAX_SHARE_PASSWORD_LENGTH} characters`,
    password === null ? "missing" : "string_length",
  );
}

function targetOf({ target }: ShareRequest, siteName: string, sha256: Secrets["sha256"]): ShareTarget {
  const { alias, deploymentNumber } = target;
  if (alias !== null && deploymentNumber !== null) {
    throw fieldError(["body", "target"], "Give an alias or a deployment, not both");
  }
  if (alias !== null) return requireAliasLabel(alias, siteName, sha256, ["body", "target", "alias"]);
  return deploymentNumber === null ? LIVE_TARGET : String(deploymentNumber);
}

async function requirePrivate({ store }: Ports, site: Site, target: ShareTarget): Promise<void> {
  if (await isTargetPrivate(store, site, target)) return;
  throw new DomainError("site_not_private", "site is not private: everybody can open this URL already");
}

async function isTargetPrivate(store: Ports["store"], site: Site, target: ShareTarget): Promise<boolean> {
  if (target === LIVE_TARGET) return site.private;
  const { access } = await store.previews.policy(site.id);
  // Digits alone are never an alias. `Number` also reads labels such as `1e3` and `0x10`.
  if (!/^\d+$/.test(target)) {
    const alias = await store.previews.findRoute(site.id, target);
    if (alias === null) throw noSuchAlias(site.name, target);
    return isAliasPrivate(access, site.private, alias.activatedAt);
  }
  const number = Number(target);
  const deployment = await requireDeployment(store.deployments, site, number);
  return deployment.activatedAt === null ? arePreviewsPrivate(access, site.private) : site.private;
}
