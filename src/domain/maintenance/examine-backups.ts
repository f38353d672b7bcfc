import { failingBackup } from "../backups/schedule.ts";
import { formatDuration } from "../duration.ts";
import type { BackupRecord } from "../model/backup-record.ts";
import { type Finding, ok, problem, warning } from "../model/finding.ts";
import type { Webhook } from "../model/webhook.ts";
import { timestamp } from "../timestamp.ts";

/**
 * Checks the scheduled backups; no finding if none are scheduled. `backupEvery` is in milliseconds, null for no
 * schedule.
 */
export function examineBackups(backupEvery: number | null, records: readonly BackupRecord[], now: number): Finding[] {
  const failing = failingBackup(records);
  if (failing) {
    const detail = `no backup to ${failing.place}: ${failing.error ?? "the last attempt failed"}`;
    return [problem("backups", detail, "make the place reachable; the backup is tried again by itself")];
  }
  if (backupEvery === null) return [];
  const newest = records.find(({ state }) => state === "done");
  if (!newest) return [warning("backups", "there is no backup yet", "the running server makes the first one at once")];
  const made = `the newest of ${records.length} is of ${timestamp(newest.createdAt)}`;
  if (now - newest.createdAt > 2 * backupEvery) {
    const due = `${made}, although one is due every ${formatDuration(backupEvery)}`;
    return [warning("backups", due, "start the server, or look for errors in its log")];
  }
  if (newest.error !== null) return [warning("backups", `${made}: ${newest.error}`, "see the console's backups")];
  return [ok("backups", made)];
}

/** Checks whether the operator's webhook works; no finding if there is none. */
export function examineOperatorWebhook(webhook: Webhook | null): Finding[] {
  if (webhook === null) return [];
  const { host } = new URL(webhook.url);
  if (webhook.disabledAt !== null) {
    const detail = `the operator's webhook at ${host} is disabled: ${webhook.disabledReason}`;
    return [problem("operator webhook", detail, "make its receiver answer, and restart the server")];
  }
  if (webhook.failingSince === null) return [ok("operator webhook", `calls go to ${host}`)];
  const since = timestamp(webhook.failingSince);
  return [warning("operator webhook", `calls to ${host} fail since ${since}`, "make its receiver answer")];
}
