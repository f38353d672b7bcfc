import { and, eq, gt, or, sql } from "drizzle-orm";
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
import type { Quota } from "../../domain/model/quota.ts";
import type { Baseline } from "../../domain/model/report.ts";
import { type Role, strongest } from "../../domain/model/role.ts";
import type {
  DeploymentCredential,
  Publication,
  PublicationResult,
  Published,
} from "../../domain/ports/store/deployments.ts";
import { encodeRules } from "../visits/manifest-rows.ts";
import { appendEntry } from "./audit.ts";
import { columnsOf } from "./columns.ts";
import { affectingNobody, type Connection, type Drizzle } from "./connection.ts";
import { werePurged } from "./contents.ts";
import { selectDeployments, setActive, toDeployment } from "./deployment-rows.ts";
import { ResponseLost } from "./failures.ts";
import { announce } from "./live-events.ts";
import { addFiles, findContents, markLegacyTexts, readManifest } from "./manifests.ts";
import { findNotifiedSite, note } from "./outbox.ts";
import { prepared } from "./prepared.ts";
import { aliasState, findAlias, WITH_PRIVACY, writeAlias } from "./previews.ts";
import { type Comparison, type FoundSite, NotPublished } from "./publication.ts";
import { takeRoom } from "./quotas.ts";
import { addReport } from "./reports.ts";
import { groupsOf, personAt } from "./roles.ts";
import { first } from "./rows.ts";
import {
  deployments,
  deploymentTokens,
  formerNames,
  manifests,
  members,
  retiredNames,
  sessions,
  sites,
  users,
} from "./schema.ts";
import { endRedirects } from "./site-names.ts";
import { frozen, selectSites, withOwnerAndDeployment } from "./sites.ts";

/** Data that is prepared before the transaction starts, so that nobody waits for it. */
interface Prepared {
  /** Identifies the deployment if the response to the commit was lost. */
  readonly id: string;
  readonly publication: Publication;
  readonly comparison: Comparison | null;
  readonly rules: Uint8Array;
  readonly standard: Quota;
}

export async function publish(
  connection: Connection,
  publication: Publication,
  standard: Quota,
): Promise<PublicationResult> {
  const comparison = publication.onlyIfChanged ? await compareWithActive(connection, publication) : null;
  const rules = encodeRules(rulesOf(publication.manifest));
  const prepared = { id: crypto.randomUUID(), publication, comparison, rules, standard };
  try {
    return await connection.writeRouting((tx, affects) => publishIn(tx, affects, prepared));
  } catch (error) {
    if (error instanceof ResponseLost) {
      const made = await findOnAllNodes(connection, prepared).catch(() => {
        // The database is still away: only the first error says that the deployment may have been made.
        throw error;
      });
      if (made) return made;
    } else if (!(error instanceof NotPublished)) throw error;
    else if (error.refusal) return error.refusal;
    return publish(connection, publication, standard);
  }
}

// --- internal ---

/**
 * Finds a deployment whose commit was not answered. It is a routing change that affects no site, so it returns after all
 * nodes have applied what was committed before it.
 */
function findOnAllNodes({ writeRouting }: Connection, prepared: Prepared): Promise<Published | null> {
  return writeRouting(affectingNobody((tx) => findPublished(tx, prepared)));
}

/** Reads the manifest only if number and size of the files are the same. */
async function compareWithActive({ read }: Connection, { siteName, manifest }: Publication): Promise<Comparison> {
  const { id, fileCount, sizeBytes } = deployments;
  return read(async (db) => {
    const pointed = db.select({ id, fileCount, sizeBytes }).from(deployments);
    const ofSite = pointed.innerJoin(sites, eq(sites.activeDeploymentId, id)).where(eq(sites.name, siteName));
    const active = await first(ofSite);
    if (!active) return { activeId: null, isSame: false };
    const mayBeSame = active.fileCount === manifest.files.length && active.sizeBytes === sizeOf(manifest);
    const former = mayBeSame ? await readManifest(db, active.id) : null;
    return { activeId: active.id, isSame: former !== null && hasSameFiles(former.files, manifest.files) };
  });
}

async function publishIn(
  tx: Drizzle,
  affects: (siteId: number) => void,
  prepared: Prepared,
): Promise<PublicationResult> {
  const { comparison } = prepared;
  const isUnchanged = comparison?.isSame === true;
  const state = await readState(tx, prepared);
  const { site } = state;
  const publication = site ? { ...prepared.publication, siteName: site.name } : prepared.publication;
  if (comparison && comparison.activeId !== (site?.active?.id ?? null)) throw new NotPublished(null);
  const forMarking = (publication.legacyTexts ?? []).length > 0;
  const known = isUnchanged ? new Map<string, number>() : await findContents(tx, publication.reused, { forMarking });
  const plan = planPublication({ ...state, isUnchanged, contentGone: known === null }, publication);
  if ("refusal" in plan) throw new NotPublished(plan.refusal);
  const siteId = site?.id ?? (await addSite(tx, affects, publication, plan));
  const accessChanged = site !== null && site.private !== plan.site.private;
  if (site) {
    const change = { ...plan.site, ...(accessChanged ? WITH_PRIVACY : {}) };
    await tx.update(sites).set(change).where(eq(sites.id, siteId));
  }
  affects(siteId);
  const deploymentId = plan.deployment
    ? await writeDeployment(tx, siteId, plan.deployment, prepared, baselineOf(site), known ?? new Map())
    : (site?.active?.id as number);
  if (plan.alias) await writeAlias(tx, siteId, deploymentId, plan.alias);
  await announce(tx, sitePublished(siteId, { isNew: site === null, accessChanged }));
  const notified = plan.events.length > 0 ? await findNotifiedSite(tx, siteId) : null;
  if (notified) await note(tx, notified, plan.site.lastDeployedAt, plan.events);
  if (plan.audit) await appendEntry(tx, plan.audit);
  const made = await readMade(tx, deploymentId);
  return { outcome: plan.deployment ? "published" : "unchanged", ...made, alias: plan.alias };
}

type ReadState = Omit<PublicationState, "isUnchanged" | "contentGone" | "site"> & { readonly site: FoundSite | null };

/**
 * Reads the state, and locks what must not change meanwhile, so that the second of two concurrent deployments sees the
 * first.
 */
async function readState(tx: Drizzle, { publication, standard }: Prepared): Promise<ReadState> {
  const { siteName, ownerId, credential, alias, createdAt } = publication;
  const person = tx.select({ frozen: users.frozen }).from(users).where(eq(users.id, ownerId));
  const owner = await first(person.for("key share"));
  const credentialRevoked = !(await isAvailable(tx, credential));
  const room = await takeRoom(tx, ownerId, standard);
  const site = await findSite(tx, siteName, createdAt);
  const role = site && (await takeRole(tx, site, publication));
  const retired = site ? null : await first(tx.select().from(retiredNames).where(eq(retiredNames.name, siteName)));
  const aliases = site && alias ? await aliasState(tx, site.id, alias) : { count: 0, existing: null };
  const previewLifetime = site?.previewLifetime ?? DEFAULT_PREVIEW_LIFETIME;
  return { owner, credentialRevoked, site, role, retired, room, previewLifetime, aliases };
}

/** A concurrent removal of the member waits for this publication, or makes it fail. */
async function takeRole(
  tx: Drizzle,
  { id, ownerId }: PublishedSite,
  { makerId, credential, createdAt }: Publication,
): Promise<Role | null> {
  if (ownerId === makerId) return "owner";
  const inGroup = sql`${members.group} IN (${groupsOf(personAt(makerId, createdAt))})`;
  // The role of a token is its maker's own.
  const isTheirs = or(eq(members.userId, makerId), credential.kind === "session" ? inGroup : undefined);
  const ofSite = tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.siteId, id), isTheirs));
  return strongest((await ofSite.for("key share")).map(({ role }) => role));
}

/**
 * Locks the row first, because a statement with a join that waits for a lock sees the joined rows as they were before.
 * Returns null if there was nothing to lock: a site that was created since is not locked, so others may publish to it.
 */
async function findSite(tx: Drizzle, name: string, at: number): Promise<FoundSite | null> {
  const row = tx.select({ id: sites.id }).from(sites).where(eq(sites.name, name));
  const found = (await first(row.for("no key update"))) ?? (await findRenamed(tx, name, at));
  return found && first(foundById(tx, { id: found.id }));
}

/** The site may have been renamed during the upload. */
async function findRenamed(tx: Drizzle, name: string, at: number): Promise<{ readonly id: number } | null> {
  const reserved = and(eq(formerNames.name, name), gt(formerNames.freeAt, at));
  const former = await first(tx.select({ id: formerNames.siteId }).from(formerNames).where(reserved));
  if (former === null) return null;
  return first(tx.select({ id: sites.id }).from(sites).where(eq(sites.id, former.id)).for("no key update"));
}

const foundById = prepared((db) => {
  const columns = {
    ...columnsOf(sites, "id", "name", "ownerId", "private", "lastNumber", "lastDeployedAt"),
    ...columnsOf(sites, "previewLifetime", "expired"),
    frozen,
    active: columnsOf(deployments, "id", "number", "activatedAt", "startPageGone"),
  };
  const withActive = withOwnerAndDeployment(db.select(columns).from(sites).$dynamic());
  return withActive.where(eq(sites.id, sql.placeholder("id")));
});

/** A concurrent revocation of the credential waits for this publication, or makes it fail. */
async function isAvailable(tx: Drizzle, credential: DeploymentCredential): Promise<boolean> {
  const id =
    credential.kind === "session"
      ? first(
          tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, credential.sessionId)).for("key share"),
        )
      : first(
          tx
            .select({ id: deploymentTokens.id })
            .from(deploymentTokens)
            .where(eq(deploymentTokens.id, credential.tokenId))
            .for("key share"),
        );
  return (await id) !== null;
}

/** Returns the live deployment of a site, with which the report of the new one is compared. */
function baselineOf(site: PublishedSite | null): Baseline | null {
  return site?.active ? { deploymentId: site.active.id, number: site.active.number } : null;
}

/** Creates the site. Returns its id. */
async function addSite(
  tx: Drizzle,
  affects: (siteId: number) => void,
  { siteName: name, ownerId }: Publication,
  plan: PublicationPlan,
): Promise<number> {
  await tx.delete(retiredNames).where(eq(retiredNames.name, name));
  // The name is free by now, and leads to this site from now on, on every node.
  for (const siteId of await endRedirects(tx, name)) affects(siteId);
  const row = { ...plan.site, name, ownerId, createdAt: plan.site.lastDeployedAt };
  const made = await first(tx.insert(sites).values(row).onConflictDoNothing().returning({ id: sites.id }));
  // Another publication has created it since.
  if (made === null) throw new NotPublished(null);
  return made.id;
}

async function writeDeployment(
  tx: Drizzle,
  siteId: number,
  { active: _, ...deployment }: NonNullable<PublicationPlan["deployment"]>,
  { id: publicationId, publication, rules }: Prepared,
  live: Baseline | null,
  known: ReadonlyMap<string, number>,
): Promise<number> {
  const { createdAt, activatedAt } = deployment;
  const row = { ...deployment, siteId, publicationId, warnings: [...deployment.warnings] };
  const { id } = (await first(tx.insert(deployments).values(row).returning({ id: deployments.id })))!;
  await tx.insert(manifests).values({ deploymentId: id, rules });
  await addFiles(tx, { id, createdAt }, publication.manifest.files, known);
  await requireUnpurged(tx, publication);
  await markLegacyTexts(tx, publication.legacyTexts);
  await addReport(tx, id, live);
  if (activatedAt !== null) await setActive(tx, siteId, id, activatedAt);
  return id;
}

/**
 * Rolls back if content of the publication was purged after its upload began, which may have been after it was written.
 * Called once the contents are locked: what is purged later finds them in use.
 */
async function requireUnpurged(tx: Drizzle, { startedAt, manifest }: Publication): Promise<void> {
  const digests = new Set(manifest.files.map(({ digest }) => digest));
  if (await werePurged(tx, digests, startedAt)) throw new NotPublished({ outcome: "content_gone" });
}

/**
 * Returns the result of a publication whose commit was not confirmed; null if it was not committed. The publication has
 * locked its owner, so this waits if the server is still committing it, for example because a standby is slow.
 */
async function findPublished(db: Drizzle, { id, publication }: Prepared): Promise<Published | null> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, publication.ownerId)).for("update");
  const row = await first(selectDeployments(db).where(eq(deployments.publicationId, id)));
  if (!row) return null;
  const alias = publication.alias ? await findAlias(db, row.siteId, publication.alias) : null;
  const made = await readMade(db, row.id);
  return { outcome: "published", ...made, alias: alias && { name: alias.name, expiresAt: alias.expiresAt } };
}

async function readMade(db: Drizzle, deploymentId: number) {
  const row = (await first(deploymentById(db, { deploymentId })))!;
  const site = (await first(siteById(db, { siteId: row.siteId })))!;
  return { site, deployment: toDeployment(row) };
}

const deploymentById = prepared((db) =>
  selectDeployments(db).where(eq(deployments.id, sql.placeholder("deploymentId"))),
);
const siteById = prepared((db) => selectSites(db).where(eq(sites.id, sql.placeholder("siteId"))));
