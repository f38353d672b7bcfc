import { jittered } from "../jitter.ts";
import { MINUTE } from "../timestamp.ts";
import type { BackupRecord } from "./backup-record.ts";

/** How the operator wants backups to be made. */
export interface BackupSchedule {
  /** Where they go, for people. */
  readonly to: string;
  /** Milliseconds between two; null if they are made on request only. */
  readonly every: number | null;
  /** The number of newest ones that are kept. */
  readonly keep: number;
}

/** What is to be done next. `make` without an id begins a new backup. */
export type BackupWork =
  | { readonly kind: "make"; readonly id: string | null }
  | { readonly kind: "verify"; readonly id: string };

/** Delays after failed attempts; the last one repeats. */
const RETRY_DELAYS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE);

/** Returns when a backup that failed for the n-th time is tried again. */
export function nextRetry(now: number, attempts: number, random: number): number {
  const delay = RETRY_DELAYS[Math.min(Math.max(attempts, 1), RETRY_DELAYS.length) - 1] as number;
  return now + jittered(delay, random);
}

/** Returns the work that is due; null if there is none. At most one record is not done. */
export function nextWork(
  records: readonly BackupRecord[],
  schedule: Pick<BackupSchedule, "every">,
  now: number,
): BackupWork | null {
  const running = records.find(({ state }) => state === "running");
  if (running) return { kind: "make", id: running.id };
  const asked = records.find(({ state, verifying }) => state === "done" && verifying);
  if (asked) return { kind: "verify", id: asked.id };
  const next = nextBackupAt(records, schedule, now);
  if (next === null || next > now) return null;
  return { kind: "make", id: records.find(({ state }) => state === "failed")?.id ?? null };
}

/** Returns when the next backup begins; null if none is scheduled. A failed one is retried also without a schedule. */
export function nextBackupAt(
  records: readonly BackupRecord[],
  { every }: Pick<BackupSchedule, "every">,
  now: number,
): number | null {
  const failed = records.find(({ state }) => state === "failed");
  // A clock that was ahead for a while must not put off backups.
  if (failed) return Math.min(failed.retryAt ?? now, now + (RETRY_DELAYS.at(-1) as number) * 2);
  if (every === null) return null;
  const newest = Math.max(...records.map(({ createdAt }) => Math.min(createdAt, now)));
  return records.length === 0 ? now : newest + every;
}

/** Returns the backup that fails; null if the last attempt was successful. A retry that runs proves nothing yet. */
export function failingBackup(records: readonly BackupRecord[]): BackupRecord | null {
  const fails = ({ state, attempts }: BackupRecord) => state === "failed" || (state === "running" && attempts > 1);
  return records.find(fails) ?? null;
}

/** Returns the complete backups that are no longer kept, oldest first. The one that was just made always is. */
export function outdated(records: readonly BackupRecord[], keep: number, madeId: string): readonly BackupRecord[] {
  const others = records.filter(({ id, state }) => state === "done" && id !== madeId);
  return others
    .sort((one, other) => other.createdAt - one.createdAt)
    .slice(keep - 1)
    .reverse();
}
