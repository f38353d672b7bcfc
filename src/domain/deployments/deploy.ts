import { unauthenticated } from "../accounts/authenticate.ts";
import { DomainError } from "../errors.ts";
import { roleTooWeak } from "../members/permission.ts";
import { siteExpired, siteFrozen } from "../model/freeze.ts";
import type { Manifest } from "../model/manifest.ts";
import { overQuota, type Quota } from "../model/quota.ts";
import type { UnpackedArchive } from "../ports/archive.ts";
import type { Publisher } from "../ports/publisher.ts";
import type {
  DeploymentCredential,
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
import { cannotDeploy, labelOf, quotaRoomOf, requireMovableAlias } from "./permit.ts";
import { tooManyAliases } from "./previews.ts";
import { missingStartPageOf, type StartPages } from "./start-page.ts";
import { warnAboutPrivateKeys, warnAboutUpload } from "./upload-warnings.ts";

interface DeployPorts {
  readonly store: Pick<Store, "quotas">;
  /** The server's default; a user may have another quota. */
  readonly quota: Quota;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly secrets: Secrets;
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

// --- internal ---

/** How often an archive is unpacked and published. */
const MAX_ATTEMPTS = 3;

/** Returns the permit to try again with; null if the refusal is final. */
function nextAttempt({ secrets }: DeployPorts, permit: Permit, { outcome }: PublicationRefusal): Permit | null {
  // Content was swept or purged meanwhile. Unpacking again stores it.
  if (outcome === "content_gone") return permit;
  const isTaken = outcome === "not_owner" || outcome === "name_retired";
  return isTaken && permit.generated ? { ...permit, siteName: generateSiteName(secrets) } : null;
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
