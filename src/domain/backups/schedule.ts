import { jittered } from "../jitter.ts";
import type { BackupRecord } from "../model/backup-record.ts";
import { MINUTE } from "../timestamp.ts";

/** The operator's backup schedule. */
export interface BackupSchedule {
  /** The destination, for people. */
  readonly to: string;
  /** Milliseconds between two backups; null if they are made on request only. */
  readonly every: number | null;
  /** The number of newest backups to keep. */
  readonly keep: number;
}

/** The next task. `make` without an id starts a new backup. */
type BackupWork =
  | { readonly kind: "make"; readonly id: string | null }
  | { readonly kind: "verify"; readonly id: string };

/** Delays after failed attempts; the last one repeats. */
const RETRY_DELAYS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE);

/** Returns when a backup is retried after its n-th failure. */
export function nextRetry(now: number, attempts: number, random: number): number {
  const delay = RETRY_DELAYS[Math.min(Math.max(attempts, 1), RETRY_DELAYS.length) - 1] as number;
  return now + jittered(delay, random);
}

/** Returns the due task; null if there is none. At most one record is not done. */
export function nextWork(
  records: readonly BackupRecord[],
  schedule: Pick<BackupSchedule, "every">,
  now: number,
): BackupWork | null {
  const running = records.find(({ state }) => state === "running");
  if (running) return { kind: "make", id: running.id };
  const requested = records.find(({ state, verifying }) => state === "done" && verifying);
  if (requested) return { kind: "verify", id: requested.id };
  const next = nextBackupAt(records, schedule, now);
  if (next === null || next > now) return null;
  return { kind: "make", id: records.find(({ state }) => state === "failed")?.id ?? null };
}

/** Returns when the next backup starts; null if none is scheduled. A failed one is retried even without a schedule. */
export function nextBackupAt(
  records: readonly BackupRecord[],
  { every }: Pick<BackupSchedule, "every">,
  now: number,
): number | null {
  const failed = records.find(({ state }) => state === "failed");
  if (failed) return retryOf(failed, now);
  if (every === null) return null;
  // A backup from the future was made while the clock was ahead. How old it is, is unknown.
  const times = records.map(({ createdAt }) => createdAt).filter((createdAt) => createdAt <= now);
  return times.length === 0 ? now : Math.max(...times) + every;
}

/** A retry further ahead than any delay was planned while the clock was ahead. It is due at once. */
function retryOf({ retryAt }: BackupRecord, now: number): number {
  if (retryAt === null) return now;
  return retryAt > now + (RETRY_DELAYS.at(-1) as number) * 2 ? now : retryAt;
}

/** Returns the failing backup; null if the last attempt was successful. A running retry proves nothing yet. */
export function failingBackup(records: readonly BackupRecord[]): BackupRecord | null {
  const fails = ({ state, attempts }: BackupRecord) => state === "failed" || (state === "running" && attempts > 1);
  return records.find(fails) ?? null;
}

/** Returns the complete backups to prune, oldest first. The one that was just made is always kept. */
export function outdated(records: readonly BackupRecord[], keep: number, madeId: string): readonly BackupRecord[] {
  const others = records.filter(({ id, state }) => state === "done" && id !== madeId);
  return others
    .sort((one, other) => other.createdAt - one.createdAt)
    .slice(keep - 1)
    .reverse();
}
