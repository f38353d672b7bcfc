import { eq } from "drizzle-orm";
import { hasSameFiles } from "../../domain/deployments/changes.ts";
import {
  type PublicationPlan,
  type PublicationState,
  type PublishedSite,
  planPublication,
} from "../../domain/deployments/publication.ts";
import { sitePublished } from "../../domain/events/changes.ts";
import { rulesOf, sizeOf } from "../../domain/model/manifest.ts";
import { DEFAULT_PREVIEW_LIFETIME } from "../../domain/model/preview.ts";
import { type Quota, quotaInForce, type Room } from "../../domain/model/quota.ts";
import type { DeploymentCredential, Publication, PublicationResult } from "../../domain/ports/store/deployments.ts";
import { columnsOf } from "../records/columns.ts";
import { encodeRules } from "../records/manifest-rows.ts";
import { type Comparison, type FoundSite, NotPublished } from "../records/publication.ts";
import { appendEntry } from "./audit.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { selectDeployments, setActive, toDeployment } from "./deployment-rows.ts";
import { manifestStatements, manifestWriter } from "./manifests.ts";
import type { Outbox } from "./outbox.ts";
import { aliasState, writeAlias } from "./previews.ts";
import { ownQuota, usageOf } from "./quotas.ts";
import { deployments, deploymentTokens, manifests, retiredNames, sessions, sites, users } from "./schema.ts";
import { frozen, selectSites, withOwnerAndDeployment } from "./sites.ts";

/** Data that is prepared before the transaction starts, so that nobody waits for it. */
interface Prepared {
  readonly publication: Publication;
  readonly comparison: Comparison | null;
  /** Null if the files are those of the active deployment. */
  readonly rules: Buffer | null;
  readonly sortedFiles: Publication["manifest"]["files"];
  readonly standard: Quota;
}

export async function publish(
  connection: Connection,
  outbox: Outbox,
  publication: Publication,
  standard: Quota,
): Promise<PublicationResult> {
  const comparison = publication.onlyIfChanged ? compareWithActive(connection, publication) : null;
  const rules = comparison?.isSame ? null : encodeRules(rulesOf(publication.manifest));
  const sortedFiles = publication.manifest.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const prepared = { publication, comparison, rules, sortedFiles, standard };
  const writers = { outbox, files: manifestWriter(connection), announce: connection.announce };
  try {
    return await connection.writeRouting((tx, affects) => publishIn(tx, affects, prepared, writers));
  } catch (error) {
    if (!(error instanceof NotPublished)) throw error;
    return error.refusal ?? publish(connection, outbox, publication, standard);
  }
}

// --- internal ---

/** Reads the manifest only if number and size of the files are the same. */
function compareWithActive(connection: Connection, { siteName, manifest }: Publication): Comparison {
  const { id, fileCount, sizeBytes } = deployments;
  const active = connection.db
    .select({ id, fileCount, sizeBytes })
    .from(deployments)
    .innerJoin(sites, eq(sites.activeDeploymentId, id))
    .where(eq(sites.name, siteName))
    .get();
  if (!active) return { activeId: null, isSame: false };
  const mayBeSame = active.fileCount === manifest.files.length && active.sizeBytes === sizeOf(manifest);
  const former = mayBeSame ? manifestStatements(connection).read(active.id) : null;
  return { activeId: active.id, isSame: former !== null && hasSameFiles(former.files, manifest.files) };
}

interface Writers extends Pick<Connection, "announce"> {
  readonly outbox: Outbox;
  readonly files: ReturnType<typeof manifestWriter>;
}

function publishIn(
  tx: Drizzle,
  affects: (siteId: number) => void,
  prepared: Prepared,
  writers: Writers,
): PublicationResult {
  const { publication, comparison, standard } = prepared;
  const { outbox, files, announce } = writers;
  const isUnchanged = comparison?.isSame === true;
  const site = findSite(tx, publication.siteName);
  if (comparison && comparison.activeId !== (site?.active?.id ?? null)) throw new NotPublished(null);
  const known = isUnchanged ? new Map<string, number>() : files.findContents(publication.reused);
  const read = readState(tx, publication, site, standard);
  const plan = planPublication({ ...read, isUnchanged, contentGone: known === null }, publication);
  if ("refusal" in plan) throw new NotPublished(plan.refusal);
  const siteId = writeSite(tx, site, publication, plan);
  affects(siteId);
  const deploymentId = plan.deployment
    ? writeDeployment(tx, siteId, plan.deployment, prepared, { files, known: known! })
    : site!.active!.id;
  if (plan.alias) writeAlias(tx, siteId, deploymentId, plan.alias);
  const accessChanged = site !== null && site.private !== plan.site.private;
  announce(sitePublished(siteId, { isNew: site === null, accessChanged }));
  const notified = plan.events.length > 0 ? outbox.find(siteId) : null;
  if (notified) outbox.note(notified, plan.site.lastDeployedAt, plan.events);
  if (plan.audit) appendEntry(tx, plan.audit);
  return {
    outcome: plan.deployment ? "published" : "unchanged",
    site: selectSites(tx).where(eq(sites.id, siteId)).get()!,
    deployment: toDeployment(selectDeployments(tx).where(eq(deployments.id, deploymentId)).get()!),
    alias: plan.alias,
  };
}

function findSite(tx: Drizzle, name: string): FoundSite | null {
  const columns = {
    ...columnsOf(sites, "id", "ownerId", "private", "lastNumber", "lastDeployedAt", "previewLifetime"),
    frozen,
    active: columnsOf(deployments, "id", "number", "activatedAt"),
  };
  const withActive = withOwnerAndDeployment(tx.select(columns).from(sites).$dynamic());
  return withActive.where(eq(sites.name, name)).get() ?? null;
}

/** Read within the transaction, so that the second of two concurrent deployments sees the first. */
function readState(
  tx: Drizzle,
  { siteName, ownerId, credential, alias }: Publication,
  site: FoundSite | null,
  standard: Quota,
): Omit<PublicationState, "isUnchanged" | "contentGone"> {
  const owner = tx.select({ frozen: users.frozen }).from(users).where(eq(users.id, ownerId)).get();
  const retired = site ? undefined : tx.select().from(retiredNames).where(eq(retiredNames.name, siteName)).get();
  return {
    owner: owner ?? null,
    credentialRevoked: !isAvailable(tx, credential),
    site,
    retired: retired ?? null,
    room: roomOf(tx, ownerId, standard),
    previewLifetime: site?.previewLifetime ?? DEFAULT_PREVIEW_LIFETIME,
    aliases: site && alias ? aliasState(tx, site.id, alias) : { count: 0, existing: null },
  };
}

function isAvailable(tx: Drizzle, credential: DeploymentCredential): boolean {
  const row =
    credential.kind === "session"
      ? tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, credential.sessionId))
      : tx
          .select({ id: deploymentTokens.id })
          .from(deploymentTokens)
          .where(eq(deploymentTokens.id, credential.tokenId));
  return row.get() !== undefined;
}

/** Null without a limit, to avoid adding up the usage. */
function roomOf(tx: Drizzle, ownerId: number, standard: Quota): Room | null {
  const quota = quotaInForce(standard, ownQuota(tx, ownerId));
  if (quota.sites === null && quota.bytes === null) return null;
  return { quota, usage: usageOf(tx, ownerId) };
}

/** Changes or creates the site. Returns its id. */
function writeSite(tx: Drizzle, site: PublishedSite | null, publication: Publication, plan: PublicationPlan): number {
  if (site) {
    tx.update(sites).set(plan.site).where(eq(sites.id, site.id)).run();
    return site.id;
  }
  const { siteName: name, ownerId } = publication;
  tx.delete(retiredNames).where(eq(retiredNames.name, name)).run();
  const row = { ...plan.site, name, ownerId, createdAt: plan.site.lastDeployedAt };
  return tx.insert(sites).values(row).returning({ id: sites.id }).get().id;
}

function writeDeployment(
  tx: Drizzle,
  siteId: number,
  { active: _, ...deployment }: NonNullable<PublicationPlan["deployment"]>,
  { rules, sortedFiles }: Prepared,
  { files, known }: Pick<Writers, "files"> & { readonly known: Map<string, number> },
): number {
  const { createdAt, activatedAt } = deployment;
  const row = { ...deployment, siteId, warnings: [...deployment.warnings] };
  const { id } = tx.insert(deployments).values(row).returning({ id: deployments.id }).get();
  tx.insert(manifests).values({ deploymentId: id, rules: rules! }).run();
  files.addFiles(id, sortedFiles, known, createdAt);
  if (activatedAt !== null) setActive(tx, siteId, id, activatedAt);
  return id;
}
