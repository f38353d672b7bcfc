import { createPasswords } from "../clients/identity/passwords.ts";
import { identityProvider } from "../clients/identity/provider.ts";
import { systemClock } from "../clients/system/clock.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { type Config, databaseAt } from "../config/settings.ts";
import { parseS3Url } from "../domain/backups/destination.ts";
import type { DatabaseUrl } from "../domain/database-url.ts";
import { messageOf } from "../domain/error-message.ts";
import type { IdentityProvider } from "../domain/ports/identity.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Passwords, Secrets } from "../domain/ports/system.ts";
import { type MoveOrder, moveToBucket } from "../storage/data-folder/move-content.ts";
import { moveToDatabase } from "../storage/data-folder/move-database.ts";
import { type FolderMove, moveToFolder } from "../storage/data-folder/move-to-folder.ts";
import { withReadOnlyStorage } from "../storage/data-folder/read-only-store.ts";
import type { RestoreSource } from "../storage/data-folder/restore.ts";
import { restoreSource } from "../storage/data-folder/restore-source.ts";
import {
  becomeOwner,
  dataFolder,
  explainDamage,
  isBackup,
  requireMetadata,
  UnusableDataFolder,
} from "../storage/folder/data-folder.ts";
import { type Bucket, openMigratedStorage, type StorageOptions } from "../storage/open.ts";
import { bucketObjects, contentBucket, storageOptions } from "../workers/ports/storage.ts";

/** Dependencies of the operator's commands. A server may be running on the same data folder. */
export interface OperatorPorts {
  readonly store: Store;
  readonly provider: IdentityProvider;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /**
   * Records a change by the operator in the audit log: the command and its subject. Everything that can be validated
   * before is recorded before it is done, so that no change stays unrecorded on a full disk.
   */
  record(action: string, about: { readonly site?: string; readonly subject?: string }): Promise<void>;
}

/** Dependencies of read-only commands. */
export type ReadOnlyPorts = Omit<OperatorPorts, "record">;

/**
 * Runs an operator's command on the metadata in the data folder or in PostgreSQL, which must exist, because only `serve`
 * creates them. Root runs it as the folder's owner. Throws UnusableDataFolder.
 */
export async function withDataFolder<T>(config: Config, command: (ports: OperatorPorts) => Promise<T>): Promise<T> {
  const actor = callingOperator();
  const folder = dataFolder(config.dataDir);
  requireMetadata(folder, config.database);
  becomeOwner(config.dataDir);
  const database = isBackup(folder) ? null : config.database;
  const { store, close } = await openMigratedStorage({ dataDir: config.dataDir, database });
  try {
    const result = await command({ ...readOnlyPorts(config, store), record: recorder(store, actor) });
    // If the command waited for a move, its change went into the database that was set aside.
    if (database === null) requireMetadata(folder, database);
    return result;
  } catch (error) {
    throw explainDamage(folder, error);
  } finally {
    close();
  }
}

/** Runs a read-only command on an existing data folder, like `withReadOnlyStorage`. */
export function withReadOnlyDataFolder<T>(config: Config, command: (ports: ReadOnlyPorts) => Promise<T>): Promise<T> {
  const { dataDir, database } = config;
  return withReadOnlyStorage({ dataDir, database }, ({ store }) => command(readOnlyPorts(config, store)));
}

/** Returns the location of metadata and content in the settings. */
export function storageOf(config: Config): StorageOptions {
  return storageOptions(config);
}

/** Where a move goes; null for what stays where it is. */
export interface MoveTarget {
  /** The URL of a bucket. */
  readonly content: string | null;
  /** The URL of a PostgreSQL database. */
  readonly database: string | null;
}

/**
 * Moves content to a bucket, like `moveToBucket`, and then metadata to PostgreSQL, like `moveToDatabase`. Content that an
 * earlier move has copied is not copied again.
 */
export async function moveToServices(config: Config, to: MoveTarget, order: MoveOrder): Promise<FolderMove> {
  const database = to.database === null ? null : targetDatabase(config, to.database);
  // The settings may already name the target database, while the metadata is still in the folder.
  const storage = { ...storageOptions(config), ...(database && { database: null }) };
  const bucket = to.content === null ? null : bucketAt(config, to.content);
  // An unusable database must not be noticed after hours of copying files.
  if (bucket && database) await moveToDatabase(config.dataDir, database, { ...order, dryRun: true });
  const content = bucket && (await moveToBucket(storage, bucket, order, database !== null));
  if (database === null || (content && content.lost.length > 0)) return { content, database: null };
  return { content, database: await moveToDatabase(config.dataDir, database, order) };
}

/** Moves content and metadata to a data folder, like `moveToFolder`. */
export async function moveToDataFolder(config: Config, to: string, order: MoveOrder): Promise<FolderMove> {
  // The settings have the current endpoint, which may have been renamed since the content was moved there.
  const settled = config.content && contentBucket(config.content, config);
  return moveToFolder(storageOptions(config), to, (url) => settled ?? bucketAt(config, url), order);
}

function targetDatabase(config: Config, url: string): DatabaseUrl {
  try {
    return databaseAt(url, config);
  } catch (error) {
    throw new UnusableDataFolder(`--to-database is not usable: give ${messageOf(error)}`);
  }
}

function bucketAt(config: Config, url: string): Bucket {
  const destination = parseS3Url(url);
  if (typeof destination === "string") throw new UnusableDataFolder(`${url} is not usable: give ${destination}`);
  return contentBucket(destination, config);
}

/** Returns the source for `vitrine restore`, like `restoreSource`. */
export function restoreSourceOf(config: Config, named: string): Promise<RestoreSource> {
  return restoreSource(named, (bucket) => bucketObjects(bucket, config));
}

function readOnlyPorts(config: Config, store: Store): ReadOnlyPorts {
  const passwords = createPasswords();
  const provider = identityProvider(config, store.users, passwords);
  return { store, provider, passwords, secrets: systemSecrets, clock: systemClock };
}

/** The operator is the user who runs the command; with sudo, the user who called sudo. */
function callingOperator(): string {
  return process.env.SUDO_USER ?? `uid ${process.getuid?.() ?? "unknown"}`;
}

function recorder(store: Pick<Store, "audit">, actor: string): OperatorPorts["record"] {
  return (action, { site = null, subject = "" }: { site?: string | null; subject?: string }) =>
    store.audit.append({
      at: systemClock.now(),
      kind: "operator",
      actor,
      userId: null,
      address: "",
      action,
      site,
      subject,
    });
}
