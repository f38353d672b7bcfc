import { eq } from "drizzle-orm";
import { type Quota, quotaInForce, type Room } from "../../domain/accounts/quota.ts";
import { hasSameFiles } from "../../domain/deployments/changes.ts";
import { NO_ORIGIN } from "../../domain/deployments/deployment.ts";
import { type Manifest, type ManifestFile, rulesOf } from "../../domain/deployments/manifest.ts";
import { checkPublicationAllowed, type PublicationState } from "../../domain/deployments/publication-allowed.ts";
import { timeAfter } from "../../domain/deployments/time-after.ts";
import type {
  DeploymentCredential,
  Publication,
  PublicationRefusal,
  PublicationResult,
} from "../../domain/ports/store/deployments.ts";
import { deploymentPublished } from "../../domain/webhooks/events.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { findDeployment, selectDeployments, setActive, toDeployment } from "./deployment-rows.ts";
import { encodeRules, manifestStatements } from "./manifests.ts";
import type { Outbox } from "./outbox.ts";
import { ownQuota, usageOf } from "./quotas.ts";
import { deployments, deploymentTokens, manifests, retiredNames, sessions, sites, users } from "./schema.ts";
import { frozen, selectSites } from "./sites.ts";

/** The text of as many digests is 67 kB, and SQLite takes several times as much to read it. */
const ROWS_AT_ONCE = 1000;

/** Prepared by hand: what runs once per new content would cost more to build than to run, and all else goes in at once. */
function contentStatements({ raw }: Connection) {
  return {
    known: raw.prepare<{ digest: string; id: number }, [string]>(
      "SELECT digest, id FROM contents WHERE condemned_at IS NULL AND digest IN (SELECT value FROM json_each(?))",
    ),
    add: raw.prepare<{ id: number }, [string, number, number]>(
      `INSERT INTO contents (digest, size, published_at) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET published_at = excluded.published_at, condemned_at = NULL RETURNING id`,
    ),
    refer: raw.prepare<void, [number, string]>(
      "INSERT INTO deployment_contents (deployment_id, content_id) SELECT ?, value FROM json_each(?)",
    ),
    addFiles: raw.prepare<void, [number, string]>(
      "INSERT INTO deployment_files (deployment_id, path, content_id) SELECT ?, key, value FROM json_each(?)",
    ),
  };
}

/** Ends the transaction with an answer instead of a deployment. */
class Refused extends Error {
  constructor(readonly result: PublicationRefusal) {
    super(result.outcome);
  }
}

/** Ends the transaction: since the files were compared, another deployment has become the active one. */
class ActiveReplaced extends Error {}

/** The files of a publication against those of the deployment that was active then. */
interface Comparison {
  readonly activeId: number | null;
  readonly isSame: boolean;
}

export async function publish(
  connection: Connection,
  outbox: Outbox,
  publication: Publication,
  standard: Quota,
): Promise<PublicationResult> {
  // Comparing, compressing and sorting happen before the transaction begins: nobody waits for them.
  const comparison = publication.onlyIfChanged ? compareWithActive(connection, publication) : null;
  const rules = comparison?.isSame ? null : encodeRules(rulesOf(publication.manifest));
  const files = publication.manifest.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const statements = contentStatements(connection);
  try {
    return await connection.writeRouting((tx): PublicationResult => {
      const site = findSite(tx, publication.siteName);
      if (comparison && comparison.activeId !== (site?.activeId ?? null)) throw new ActiveReplaced();
      const wanted = { ...publication, bytes: rules === null ? 0 : sizeOf(publication.manifest) };
      const refusal = checkPublicationAllowed(wanted, publicationState(tx, publication, site, standard));
      if (refusal) throw new Refused(refusal);
      if (rules === null) return unchanged(tx, site!, publication);
      const { siteId, number, createdAt } = nextNumber(tx, publication, site);
      const deploymentId = insertDeployment(tx, siteId, number, { ...publication, createdAt });
      tx.insert(manifests).values({ deploymentId, rules }).run();
      addFiles(statements, deploymentId, { files, reused: publication.reused, createdAt });
      setActive(tx, siteId, deploymentId, createdAt);
      const deployment = findDeployment(tx, siteId, number)!;
      const subscribed = outbox.subscribed(siteId);
      if (subscribed) outbox.note(subscribed, createdAt, [deploymentPublished(subscribed.name, deployment)]);
      return { outcome: "published", site: selectSites(tx).where(eq(sites.id, siteId)).get()!, deployment };
    });
  } catch (error) {
    if (error instanceof ActiveReplaced) return publish(connection, outbox, publication, standard);
    if (error instanceof Refused) return error.result;
    throw error;
  }
}

/** Reads the manifest only where number and size of the files are the same. */
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

/** Returns the active deployment in place of a new one; the site becomes private all the same where that was asked for. */
function unchanged(tx: Drizzle, { id, activeId }: FoundSite, { makePrivate }: Publication): PublicationResult {
  if (makePrivate) tx.update(sites).set({ private: true }).where(eq(sites.id, id)).run();
  const site = selectSites(tx).where(eq(sites.id, id)).get()!;
  const deployment = selectDeployments(tx).where(eq(deployments.id, activeId!)).get()!;
  return { outcome: "unchanged", site, deployment: toDeployment(deployment) };
}

interface AddedFiles extends Pick<Publication, "reused" | "createdAt"> {
  /** In the order of their paths, which is that of the rows. */
  readonly files: readonly ManifestFile[];
}

type ContentStatements = ReturnType<typeof contentStatements>;

/** Adds a row for each file and for each content. Throws Refused where one that was relied on has been swept meanwhile. */
function addFiles(statements: ContentStatements, deploymentId: number, added: AddedFiles): void {
  const ids = contentIds(statements, added);
  for (const some of inChunks([...new Set(ids.values())].sort((one, other) => one - other))) {
    statements.refer.run(deploymentId, JSON.stringify(some));
  }
  // As text: an object would take "__proto__" for something else, and put "7" before "10".
  for (const some of inChunks(added.files)) {
    const pairs = some.map(({ path, digest }) => `${JSON.stringify(path)}:${ids.get(digest)}`);
    statements.addFiles.run(deploymentId, `{${pairs.join()}}`);
  }
}

/** Returns the contents' ids by digest; those that are new get one. */
function contentIds(statements: ContentStatements, { files, reused, createdAt }: AddedFiles): Map<string, number> {
  const ids = new Map<string, number>();
  const known = [...new Set(reused)];
  for (const some of inChunks(known)) {
    for (const { digest, id } of statements.known.all(JSON.stringify(some))) ids.set(digest, id);
  }
  if (ids.size < known.length) throw new Refused({ outcome: "content_gone" });
  for (const { digest, size } of files) {
    if (!ids.has(digest)) ids.set(digest, statements.add.get(digest, size, createdAt)!.id);
  }
  return ids;
}

function* inChunks<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}

type FoundSite = NonNullable<ReturnType<typeof findSite>>;

/** Read within the transaction: of two deployments at once, the second one sees what the first one took. */
function publicationState(
  tx: Drizzle,
  { siteName, ownerId, credential }: Publication,
  site: FoundSite | null,
  standard: Quota,
): PublicationState {
  const owner = tx.select({ frozen: users.frozen }).from(users).where(eq(users.id, ownerId)).get();
  const retired = site ? undefined : tx.select().from(retiredNames).where(eq(retiredNames.name, siteName)).get();
  return {
    owner: owner ?? null,
    credentialRevoked: !isThere(tx, credential),
    site,
    retired: retired ?? null,
    room: roomOf(tx, ownerId, standard),
  };
}

function isThere(tx: Drizzle, credential: DeploymentCredential): boolean {
  const row =
    credential.kind === "session"
      ? tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, credential.sessionId))
      : tx
          .select({ id: deploymentTokens.id })
          .from(deploymentTokens)
          .where(eq(deploymentTokens.id, credential.tokenId));
  return row.get() !== undefined;
}

/** Null where there is no limit: to sum up what is in use would be for nothing. */
function roomOf(tx: Drizzle, ownerId: number, standard: Quota): Room | null {
  const quota = quotaInForce(standard, ownQuota(tx, ownerId));
  if (quota.sites === null && quota.bytes === null) return null;
  return { quota, usage: usageOf(tx, ownerId) };
}

function findSite(tx: Drizzle, name: string) {
  const columns = {
    id: sites.id,
    ownerId: sites.ownerId,
    private: sites.private,
    lastNumber: sites.lastNumber,
    lastDeployedAt: sites.lastDeployedAt,
    activeId: sites.activeDeploymentId,
    frozen,
  };
  const owned = tx.select(columns).from(sites).innerJoin(users, eq(users.id, sites.ownerId));
  return owned.where(eq(sites.name, name)).get() ?? null;
}

function sizeOf({ files }: Manifest): number {
  return files.reduce((total, file) => total + file.size, 0);
}

/** Takes the site's next number, and makes the site where there is none. */
function nextNumber(
  tx: Drizzle,
  publication: Publication,
  site: FoundSite | null,
): { siteId: number; number: number; createdAt: number } {
  if (!site) return { siteId: insertSite(tx, publication), number: 1, createdAt: publication.createdAt };
  const number = site.lastNumber + 1;
  const createdAt = timeAfter(site.lastDeployedAt, publication.createdAt);
  tx.update(sites)
    .set({ lastNumber: number, lastDeployedAt: createdAt, private: publication.makePrivate || site.private })
    .where(eq(sites.id, site.id))
    .run();
  return { siteId: site.id, number, createdAt };
}

function insertSite(tx: Drizzle, { siteName: name, ownerId, createdAt, ...wanted }: Publication): number {
  tx.delete(retiredNames).where(eq(retiredNames.name, name)).run();
  const isPrivate = wanted.makePrivate || wanted.privateIfNew === true;
  const row = { name, ownerId, createdAt, lastDeployedAt: createdAt, lastNumber: 1, private: isPrivate };
  return tx.insert(sites).values(row).returning({ id: sites.id }).get().id;
}

function insertDeployment(tx: Drizzle, siteId: number, number: number, publication: Publication): number {
  const { files } = publication.manifest;
  const row = {
    siteId,
    number,
    createdAt: publication.createdAt,
    source: publication.credential.kind,
    actor: publication.actor,
    fileCount: files.length,
    sizeBytes: sizeOf(publication.manifest),
    warnings: [...publication.warnings],
    ...(publication.origin ?? NO_ORIGIN),
  };
  return tx.insert(deployments).values(row).returning({ id: deployments.id }).get().id;
}
