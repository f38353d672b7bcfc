import { accessSync, constants, existsSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { examineNodes, examineServers } from "../../domain/maintenance/examine-cluster.ts";
import { type Finding, ok, problem, warning } from "../../domain/model/finding.ts";
import { LITTLE_BYTES } from "../../domain/operators/incidents.ts";
import type { Store } from "../../domain/ports/store.ts";
import { StartFailure } from "../../domain/start-failure.ts";
import { bucketProblem } from "../content/s3/bucket.ts";
import { diskSpace } from "../disk/disk-space.ts";
import {
  type DataFolder,
  hasDatabase,
  isBackup,
  isDatabaseElsewhere,
  isServed,
  requireMetadata,
  UnusableDataFolder,
} from "../folder/data-folder.ts";
import { type Bucket, findMisplacedContent } from "../open.ts";
import { inspectServers } from "../postgres/inspect.ts";
import { openReadOnlyStorage, type ReadOnlyStorage } from "./read-only-store.ts";

/** Checks the data folder itself: who can read it, and whether the server can write it. */
export function examineFolder(root: string): Finding[] {
  if (!existsSync(root)) return [examineMissingFolder(root)];
  if (!statSync(root).isDirectory()) {
    return [problem("data folder", `${root} is not a folder`, "give the folder with --data-dir")];
  }
  const { mode, uid } = statSync(root);
  const own = process.getuid?.() ?? uid;
  if (!mayEnter(root)) {
    return [
      problem(
        "data folder",
        `${root} belongs to uid ${uid} and cannot be read by uid ${own}, who runs this`,
        `run it as its owner: sudo -u '#${uid}' vitrine doctor --data-dir ${root}`,
      ),
    ];
  }
  const findings: Finding[] = [];
  const add = (detail: string, advice: string) => findings.push(problem("data folder", detail, advice));
  if ((mode & 0o077) !== 0) {
    add(`${root} can be read by others (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${root}`);
  }
  if (own !== 0 && own !== uid) {
    add(
      `${root} belongs to uid ${uid}, but uid ${own} runs this`,
      `run vitrine as its owner, or: chown -R ${own} ${root}`,
    );
  }
  const stranger = foreignFileIn(root, uid);
  if (stranger) add(`${stranger} does not belong to the folder's owner (uid ${uid})`, `chown -R ${uid} ${root}`);
  if (!allows(root, constants.W_OK | constants.X_OK)) {
    add(`${root} cannot be written`, "mount its file system for writing, or choose another --data-dir");
  }
  return findings.length > 0 ? findings : [ok("data folder", `${root} is private and writable`)];
}

/** A folder can be created if nothing exists at the path, but not through a broken link. */
function examineMissingFolder(root: string): Finding {
  if (!lstatSync(root, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return warning("data folder", `${root} does not exist yet`, "vitrine serve creates it");
  }
  const target = readlinkSync(root);
  return problem("data folder", `${root} is a link to ${target}, which does not exist`, `mount or create ${target}`);
}

/** Returns whether the contents of the data folder can be accessed at all. */
export function mayEnter(root: string): boolean {
  return allows(root, constants.R_OK | constants.X_OK);
}

/** Returns which TLS files the owner of the data folder, as whom the service runs, cannot read. */
export function examineReadable(files: readonly (string | null)[]): Finding[] {
  const barred = files.filter((file) => file !== null && existsSync(file) && !allows(file, constants.R_OK));
  return barred.map((file) =>
    warning(
      "certificate",
      `${file} cannot be read by uid ${process.getuid?.()}, the owner of the data folder`,
      "let that user read it, unless the service has its own permission to",
    ),
  );
}

/** Returns the path of the local CA's root certificate, for users to trust. */
export function examineLocalCa({ localCa }: DataFolder): Finding {
  if (existsSync(localCa)) {
    return ok("local CA", `browsers and systems trust the sites once they trust its root, ${localCa}`);
  }
  return warning(
    "local CA",
    "its root certificate is created at the first start",
    "run vitrine serve, then vitrine doctor",
  );
}

/** Checks the free space for content and database. */
export function examineDisk(root: string): Finding {
  const { total, free, reserve, inodes, freeInodes } = diskSpace(nearestExisting(root));
  const share = `${inGib(free)} of ${inGib(total)} GiB are free`;
  if (free < reserve) {
    return problem(
      "disk",
      `${share}: uploads are refused with 507, sites are still served`,
      "free some space, or delete deployments",
    );
  }
  if (inodes > 0 && freeInodes < inodes * 0.01) {
    return problem("disk", `${freeInodes} of ${inodes} inodes are free`, "remove small files, or move the data folder");
  }
  if (free < LITTLE_BYTES) return warning("disk", share, "free some space before uploads are refused");
  return ok("disk", share);
}

/**
 * Checks the metadata, wherever the settings say that they are, with no finding before the first start. `more` checks
 * their values, once they are known to be readable.
 */
export async function examineMetadata(
  folder: DataFolder,
  database: DatabaseUrl | null,
  more: Examine,
): Promise<readonly Finding[]> {
  // What is in such a folder is unknown. The finding about the folder says so.
  if (existsSync(folder.root) && !mayEnter(folder.root)) return [];
  try {
    if (database === null && !hasDatabase(folder) && !isDatabaseElsewhere(folder)) return [];
    requireMetadata(folder, database);
  } catch (error) {
    if (!(error instanceof UnusableDataFolder)) throw error;
    return [problem("database", error.detail, error.advice ?? "see above")];
  }
  if (database === null || isBackup(folder)) return examineDatabase(folder, more);
  return examineSharedDatabase(folder, database, more);
}

/** Checks that content is where the settings say, and that its bucket can be used. Changes nothing there. */
export async function examineBucket(store: Store, bucket: Bucket | null): Promise<Finding[]> {
  const misplaced = await findMisplacedContent(store, bucket);
  if (misplaced !== null) return [problem("content", misplaced, "correct the setting, or move the content")];
  if (bucket === null) return [];
  const { place } = bucket.objects;
  const found = await bucketProblem(bucket.forVisitors, store.contentObjects);
  if (found !== null) return [problem("content", found, "visits of files that are not cached fail until this works")];
  return [ok("content", `${place} can be used`)];
}

/** Returns the findings if no server runs, with `ports` at the end; null if a server holds the lock. */
export function examineLock(folder: DataFolder, ports: readonly Finding[]): Finding[] | null {
  if (existsSync(folder.lock) && !statSync(folder.lock).isFile()) {
    const detail = `${folder.lock} is not a file and cannot be locked`;
    return [problem("server", detail, "move it away: vitrine serve creates it again"), ...ports];
  }
  try {
    if (isServed(folder)) return null;
  } catch {
    // A folder without write permission was already reported.
  }
  return [ok("server", "is not running"), ...ports];
}

// --- internal ---

const RESTORE = "restore a backup (vitrine help restore)";

type Examine = (store: Store) => Promise<readonly Finding[]>;

/** Checks the database and the content. `more` checks their values, once they are known to be readable. */
function examineDatabase(folder: DataFolder, more: Examine): Promise<readonly Finding[]> {
  return examineStore(openReadOnlyStorage(folder), async (store) => [
    ok("database", `${folder.database} is intact`),
    ...(await examineContent(folder, store)),
    ...(await more(store)),
  ]);
}

/** Examines a store that is not damaged, and closes it. */
async function examineStore(opening: Promise<ReadOnlyStorage>, examine: Examine): Promise<readonly Finding[]> {
  let storage: ReadOnlyStorage;
  try {
    storage = await opening;
  } catch (error) {
    if (error instanceof UnusableDataFolder) {
      return [problem("database", error.detail, error.advice ?? "see above")];
    }
    if (error instanceof StartFailure) return [problem("database", error.message, "see above")];
    throw error;
  }
  const { store, close } = storage;
  try {
    const damage = await store.checkIntegrity();
    return damage.length > 0 ? damage.map((detail) => problem("database", detail, RESTORE)) : await examine(store);
  } finally {
    close();
  }
}

/**
 * Checks the servers in the URL of the database, the metadata there, and the nodes. Changes nothing, not even the schema,
 * which the nodes of an earlier version may use.
 */
async function examineSharedDatabase(folder: DataFolder, url: DatabaseUrl, more: Examine): Promise<readonly Finding[]> {
  const servers = await inspectServers(url);
  const findings = examineServers(servers);
  const primary = servers.find((server) => server.role === "primary");
  if (!primary || primary.movedAt !== null || primary.schema < primary.knownSchema) return findings;
  const opening = openReadOnlyStorage(folder, { database: url });
  const ofStore = await examineStore(opening, async (store) => [
    ...(await examineAllNodes(store)),
    ...(await more(store)),
  ]);
  return [...findings, ...ofStore];
}

async function examineAllNodes({ nodes }: Store): Promise<Finding[]> {
  if (nodes === null) return [];
  const { newestChange } = await nodes.measure();
  return examineNodes(await nodes.list(), newestChange);
}

/** Only checks that content exists. `vitrine verify` reads all of it. */
async function examineContent(
  { content }: DataFolder,
  store: Pick<Store, "figures" | "contentObjects">,
): Promise<Finding[]> {
  const { contents } = await store.figures();
  const bucket = await store.contentObjects.bucket();
  if (contents === 0 || existsSync(content) || bucket?.url) return [];
  return [problem("content", `${content} is missing, with the files of all sites`, `put it back, or ${RESTORE}`)];
}

/** A folder that does not exist yet will be on the disk of its parent. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** Commands that ran as root may have left files that the server's own user cannot write. */
function foreignFileIn(root: string, owner: number): string | null {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const found = statSync(path, { throwIfNoEntry: false });
    // A running server may have removed it meanwhile, and a link may lead nowhere.
    if (found && found.uid !== owner) return path;
  }
  return null;
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function inGib(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(1);
}
