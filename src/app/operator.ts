import { createPasswords } from "../clients/identity/local/passwords.ts";
import { identityProvider } from "../clients/identity/provider.ts";
import { systemClock } from "../clients/system/clock.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import type { Config } from "../config/settings.ts";
import { parseS3Address } from "../domain/backups/destination.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { IdentityProvider } from "../domain/ports/identity.ts";
import type { Passwords } from "../domain/ports/passwords.ts";
import type { Secrets } from "../domain/ports/secrets.ts";
import type { Store } from "../domain/ports/store.ts";
import {
  becomeOwner,
  dataFolder,
  explainDamage,
  requireDatabase,
  UnusableDataFolder,
} from "../storage/data-folder/data-folder.ts";
import { type MoveOrder, type MoveReport, moveToBucket, moveToFolder } from "../storage/data-folder/move-content.ts";
import { withReadOnlyStorage } from "../storage/data-folder/read-only-store.ts";
import type { RestoreSource } from "../storage/data-folder/restore.ts";
import { restoreSource } from "../storage/data-folder/restore-source.ts";
import { type Bucket, openMigratedStorage, type StorageOptions } from "../storage/open.ts";
import { bucketObjects, contentBucket, storageOptions } from "../workers/ports/storage.ts";

/** What the operator's commands work with; the server may be running on the same data folder meanwhile. */
export interface OperatorPorts {
  readonly store: Store;
  readonly provider: IdentityProvider;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /**
   * Notes in the audit log what the operator changes: the command, and whom or what it is about. What can be judged
   * before is noted before it is done: what a full disk keeps from being noted does not happen unnoted.
   */
  record(action: string, about: { readonly site?: string; readonly subject?: string }): Promise<void>;
}

/** What commands that change nothing work with. */
export type LookingPorts = Omit<OperatorPorts, "record">;

/**
 * Runs an operator's command on the data folder, which must have a database: only `serve` makes one. Root runs it as
 * the folder's owner. Throws UnusableDataFolder.
 */
export async function withDataFolder<T>(config: Config, command: (ports: OperatorPorts) => Promise<T>): Promise<T> {
  const actor = callingOperator();
  const folder = dataFolder(config.dataDir);
  requireDatabase(folder);
  becomeOwner(config.dataDir);
  const { store, close } = await openMigratedStorage({ dataDir: config.dataDir });
  try {
    return await command({ ...lookingPorts(config, store), record: recorder(store, actor) });
  } catch (error) {
    throw explainDamage(folder, error);
  } finally {
    close();
  }
}

/** Runs a command that changes nothing on the data folder, which must be there, as `withReadOnlyStorage` does. */
export function lookAtDataFolder<T>(config: Config, command: (ports: LookingPorts) => Promise<T>): Promise<T> {
  return withReadOnlyStorage({ dataDir: config.dataDir }, ({ store }) => command(lookingPorts(config, store)));
}

/** Returns where metadata and content are, as the settings say. */
export function storageOf(config: Config): StorageOptions {
  return storageOptions(config);
}

/** Moves all content from the data folder to a bucket, as `moveToBucket` says. */
export async function moveContentToBucket(config: Config, address: string, order: MoveOrder): Promise<MoveReport> {
  return moveToBucket(config.dataDir, bucketAt(config, address), order);
}

/** Moves all content from its bucket to a data folder, as `moveToFolder` says. */
export async function moveContentToFolder(config: Config, to: string, order: MoveOrder): Promise<MoveReport> {
  // The endpoint may have another name by now than when the content was moved there.
  const settled = config.content && contentBucket(config.content, config);
  return moveToFolder(config.dataDir, to, (address) => settled ?? bucketAt(config, address), order);
}

function bucketAt(config: Config, address: string): Bucket {
  const destination = parseS3Address(address);
  if (typeof destination === "string") throw new UnusableDataFolder(`${address} is not usable: give ${destination}`);
  return contentBucket(destination, config);
}

/** Returns what `vitrine restore` is to read, as `restoreSource` says. */
export function restoreSourceOf(config: Config, named: string): Promise<RestoreSource> {
  return restoreSource(named, (bucket) => bucketObjects(bucket, config));
}

function lookingPorts(config: Config, store: Store): LookingPorts {
  const passwords = createPasswords();
  const provider = identityProvider(config, store.users, passwords);
  return { store, provider, passwords, secrets: systemSecrets, clock: systemClock };
}

/** The operator is whoever runs the command; behind sudo, whoever called it. */
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
