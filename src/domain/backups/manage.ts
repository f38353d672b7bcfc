import { DomainError } from "../errors.ts";
import { type BackupRecord, newBackupId } from "../model/backup-record.ts";
import type { Caller } from "../model/caller.ts";
import { requireOperator, requireRecentOperator } from "../model/operator.ts";
import type { BackupArchive, BackupPlace } from "../ports/backup-place.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { type BackupSchedule, failingBackup, nextBackupAt } from "./schedule.ts";

/** Dependencies of the use cases for backups. */
export interface BackupPorts {
  readonly store: Pick<Store, "backups">;
  readonly backups: { readonly place: BackupPlace; readonly schedule: BackupSchedule };
  readonly clock: Clock;
}

export interface BackupOverview {
  readonly backups: readonly BackupRecord[];
  /** Null if backups are made on request only. */
  readonly schedule: {
    readonly to: string;
    readonly every: number;
    readonly keep: number;
    readonly nextAt: number | null;
    readonly lastError: string | null;
  } | null;
}

/**
 * Returns all backups, newest first, and when the next one starts. Throws `forbidden` unless the caller is an operator.
 */
export async function listBackups({ store, backups, clock }: BackupPorts, caller: Caller): Promise<BackupOverview> {
  requireOperator(caller);
  const records = await store.backups.list();
  const { to, every, keep } = backups.schedule;
  if (every === null) return { backups: records, schedule: null };
  const running = records.some(({ state }) => state === "running");
  const nextAt = running ? null : nextBackupAt(records, { every }, clock.now());
  const lastError = failingBackup(records)?.error ?? null;
  return { backups: records, schedule: { to, every, keep, nextAt, lastError } };
}

/**
 * Requests a backup, which starts within a second, and returns its id. Throws `forbidden` without a recent sign-in, and
 * `conflict` while one is running.
 */
export async function requestBackup({ store, backups, clock }: BackupPorts, caller: Caller): Promise<string> {
  const now = clock.now();
  requireRecentOperator(caller, now);
  const id = await store.backups.begin({ id: newBackupId(now), place: backups.place.name, at: now });
  if (id === null) throw new DomainError("conflict", "a backup is running: wait until it has ended");
  return id;
}

/** Requests the verification of a backup against its digests. Throws `forbidden`, `not_found`, and `conflict`. */
export async function requestVerification({ store }: BackupPorts, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  await requireComplete(store, id);
  await store.backups.change(id, { verifying: true });
}

/**
 * Deletes a backup. The next backup deletes content that no other one needs. Throws `forbidden` without a recent
 * sign-in, `not_found`, `conflict` while it is running or being verified, and `unavailable` if its destination is
 * unavailable.
 */
export async function deleteBackup({ store, backups, clock }: BackupPorts, caller: Caller, id: string): Promise<void> {
  requireRecentOperator(caller, clock.now());
  const { state, verifying, place } = await requireBackup(store, id);
  if (state === "running" || verifying)
    throw new DomainError("conflict", "the backup is in use: try again when it is done");
  if (place === backups.place.name) await backups.place.delete(id);
  await store.backups.delete(id);
}

/** Returns a backup as one file. Throws `forbidden` without a recent sign-in, `not_found`, `conflict`, `unavailable`. */
export async function openBackupArchive(
  { store, backups, clock }: BackupPorts,
  caller: Caller,
  id: string,
): Promise<BackupArchive> {
  requireRecentOperator(caller, clock.now());
  await requireComplete(store, id);
  const archive = await backups.place.archive(id);
  if (archive === null) throw new DomainError("not_found", `the backup is no longer in ${backups.place.name}`);
  return archive;
}

// --- internal ---

async function requireBackup(store: BackupPorts["store"], id: string): Promise<BackupRecord> {
  const record = await store.backups.find(id);
  if (record === null) throw new DomainError("not_found", "the backup does not exist");
  return record;
}

async function requireComplete(store: BackupPorts["store"], id: string): Promise<void> {
  const { state } = await requireBackup(store, id);
  if (state !== "done") throw new DomainError("conflict", "the backup is not complete");
}
