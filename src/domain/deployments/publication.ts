import { formatSubject } from "../audit/audit.ts";
import type { Deployment } from "../model/deployment.ts";
import { deploymentPublished, type Happened, previewCreated } from "../model/events.ts";
import type { Freeze } from "../model/freeze.ts";
import { sizeOf } from "../model/manifest.ts";
import { type Alias, type AliasState, aliasEvents, hasRoomForAlias } from "../model/preview.ts";
import { excessOf, type Room } from "../model/quota.ts";
import { may, type Role } from "../model/role.ts";
import type { Site } from "../model/site.ts";
import { expiryAfter, type SiteExpiry } from "../model/site-expiry.ts";
import type { AuditEntry } from "../ports/store/audit.ts";
import type { Publication, PublicationRefusal } from "../ports/store/deployments.ts";
import { warnAboutLostStartPage } from "./start-page.ts";
import { timeAfter } from "./time-after.ts";

/** State read inside the publish transaction. */
export interface PublicationState {
  /** Null if the account was deleted. */
  readonly owner: { readonly frozen: Freeze | null } | null;
  readonly credentialRevoked: boolean;
  /** The site with the name, frozen itself or through its owner. Null if there is none. */
  readonly site: PublishedSite | null;
  /** The role on the site of the person for whom the credential acts; null for none. */
  readonly role: Role | null;
  /** The former owner of the name, and until when it is reserved. */
  readonly retired: { readonly ownerId: number; readonly freeAt: number } | null;
  /** Null if no quota applies to the owner. */
  readonly room: Room | null;
  /** True if all files equal those of the active deployment, and the publication asks to skip it then. */
  readonly isUnchanged: boolean;
  /** True if reused content has been swept. */
  readonly contentGone: boolean;
  /** The default lifetime of the site's previews, in milliseconds. */
  readonly previewLifetime: number;
  readonly aliases: AliasState;
}

export interface PublishedSite
  extends Pick<Site, "id" | "ownerId" | "private" | "lastDeployedAt" | "frozen" | "expired"> {
  /** The number of the newest deployment. */
  readonly lastNumber: number;
  readonly active: Pick<Deployment, "id" | "number" | "activatedAt" | "startPageGone"> | null;
}

/** The changes of a publication, to be applied in one transaction. */
export interface PublicationPlan {
  /** The site's new values. The site is created if it does not exist. */
  readonly site: Pick<PublishedSite, "private" | "lastNumber" | "lastDeployedAt"> & Partial<SiteExpiry>;
  /** The deployment to create, and to activate if it is `active`; null if nothing changed. */
  readonly deployment: Omit<Deployment, "id" | "siteId"> | null;
  /** The alias to point to it, or to the active deployment if nothing changed. */
  readonly alias: (Pick<Alias, "name" | "expiresAt"> & { readonly at: number }) | null;
  readonly events: readonly Happened[];
  /** Null if the publication was not requested over the API. */
  readonly audit: AuditEntry | null;
}

/** Returns a plan, or the reason why the deployment is refused. */
export function planPublication(
  state: PublicationState,
  publication: Publication,
): { readonly refusal: PublicationRefusal } | PublicationPlan {
  const refusal = refusalOf(state, publication);
  if (refusal) return { refusal };
  return state.site?.active && state.isUnchanged
    ? planUnchanged(state, state.site, state.site.active.number, publication)
    : planDeployment(state, publication);
}

// --- internal ---

/** Checks in this order: the credential, the quota, the site and its name, the content. */
function refusalOf(state: PublicationState, publication: Publication): PublicationRefusal | null {
  const { owner, site, room } = state;
  if (owner === null) return { outcome: "owner_gone" };
  if (state.credentialRevoked) return { outcome: "credential_revoked" };
  const bytes = state.isUnchanged ? 0 : sizeOf(publication.manifest);
  const excess = room && excessOf(room.quota, room.usage, { sites: site ? 0 : 1, bytes });
  if (excess) return { outcome: "over_quota", excess };
  if (site && site.ownerId !== publication.ownerId) return { outcome: "not_owner" };
  if (publication.onlySiteId !== null && publication.onlySiteId !== site?.id) return { outcome: "site_gone" };
  if (site && !may(state.role, "deploy")) return { outcome: "role_lost" };
  if (site && !site.private && publication.makePrivate && !may(state.role, "change_access")) {
    return { outcome: "role_too_weak", role: state.role as Role };
  }
  const freeze = site ? site.frozen : owner.frozen;
  if (freeze) return { outcome: "frozen", freeze };
  if (site?.expired) return { outcome: "expired" };
  if (site === null && isNameKept(state, publication)) return { outcome: "name_retired" };
  if (publication.alias && !hasRoomForAlias(state.aliases)) return { outcome: "too_many_aliases" };
  return state.contentGone ? { outcome: "content_gone" } : null;
}

/** The owner of a deleted site may use its name again at once, others only later. */
function isNameKept({ retired }: PublicationState, { ownerId, createdAt }: Publication): boolean {
  return retired !== null && retired.ownerId !== ownerId && retired.freeAt > createdAt;
}

/** The site becomes private, and the alias moves, even if no deployment is created. */
function planUnchanged(
  state: PublicationState,
  site: PublishedSite,
  number: number,
  publication: Publication,
): PublicationPlan {
  const { lastNumber, lastDeployedAt } = site;
  return {
    site: { private: site.private || publication.makePrivate, lastNumber, lastDeployedAt },
    deployment: null,
    ...planAlias(state, publication, number, publication.createdAt),
    audit: auditEntry(state, publication, { deployment_number: String(number), unchanged: "yes" }),
  };
}

function planDeployment(state: PublicationState, publication: Publication): PublicationPlan {
  const { site } = state;
  const { siteName, isPreview, origin, alias: label, siteLifetime } = publication;
  const createdAt = timeAfter(site?.lastDeployedAt ?? null, publication.createdAt);
  const number = (site?.lastNumber ?? 0) + 1;
  const lostStartPage = warnAboutLostStartPage(site?.active ?? null, publication.withoutStartPage, publication);
  const deployment = {
    number,
    active: !isPreview,
    createdAt,
    activatedAt: isPreview ? null : timeAfter(site?.active?.activatedAt ?? null, createdAt),
    source: publication.credential.kind,
    actor: publication.actor,
    agent: publication.requestedBy?.agent ?? null,
    fileCount: publication.manifest.files.length,
    sizeBytes: sizeOf(publication.manifest),
    warnings: lostStartPage === null ? publication.warnings : [lostStartPage, ...publication.warnings],
    startPageGone: lostStartPage !== null,
    ...origin,
    expiresAt: isPreview ? expiryOf(state, publication, createdAt) : null,
  };
  const made = isPreview ? previewCreated(siteName, deployment, label) : deploymentPublished(siteName, deployment);
  const { alias, events } = planAlias(state, publication, number, createdAt);
  const wasPrivate = site ? site.private : publication.privateIfNew;
  return {
    site: {
      private: wasPrivate || publication.makePrivate,
      lastNumber: number,
      lastDeployedAt: createdAt,
      ...(site === null && siteLifetime ? expiryAfter(createdAt, siteLifetime) : {}),
    },
    deployment,
    alias,
    events: [made, ...events],
    audit: auditEntry(state, publication, {
      deployment_number: String(number),
      ...(isPreview ? { preview: "yes" } : {}),
    }),
  };
}

/** Previews and their aliases expire. An alias of an activated deployment expires only on request. */
function expiryOf(state: PublicationState, { isPreview, lifetime }: Publication, at: number): number | null {
  if (lifetime !== null) return at + lifetime;
  return isPreview ? at + state.previewLifetime : null;
}

function planAlias(
  state: PublicationState,
  publication: Publication,
  deploymentNumber: number,
  at: number,
): Pick<PublicationPlan, "alias" | "events"> {
  const { siteName, alias: name } = publication;
  if (!name) return { alias: null, events: [] };
  return {
    alias: { name, expiresAt: expiryOf(state, publication, at), at },
    events: aliasEvents(state.aliases, { siteName, alias: name, deploymentNumber }),
  };
}

function auditEntry(
  { site: existing, role }: PublicationState,
  publication: Publication,
  about: Readonly<Record<string, string>>,
): AuditEntry | null {
  const { requestedBy, createdAt: at, credential, actor, siteName: site, alias } = publication;
  if (requestedBy === null) return null;
  const { scope, agent, ...by } = requestedBy;
  const isMember = existing !== null && credential.kind === "session" && role !== null && role !== "owner";
  const subject = formatSubject({
    ...about,
    ...(alias ? { alias } : {}),
    ...(isMember ? { role } : {}),
    ...(scope ? { scope } : {}),
    ...(agent ? { client: agent.name } : {}),
  });
  return { at, kind: agent ? "mcp" : credential.kind, actor, ...by, action: "POST /deploy", site, subject };
}
