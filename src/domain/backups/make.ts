import { messageOf } from "../error-message.ts";
import { DomainError } from "../errors.ts";
import { type BackupRecord, newBackupId } from "../model/backup-record.ts";
import type { BackupPlace, PlacedTarget } from "../ports/backup-place.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Log } from "../ports/system.ts";
import { SECOND } from "../timestamp.ts";
import { type BackupReport, backup } from "./backup.ts";
import { type BackupSchedule, nextRetry, nextWork, outdated } from "./schedule.ts";

interface BackupWorkPorts {
  readonly store: Pick<Store, "backups" | "contents">;
  readonly place: BackupPlace;
  readonly schedule: BackupSchedule;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** Aborted when the server stops. The next start repeats the interrupted work. */
  readonly signal: AbortSignal;
}

/** The interval at which the progress is stored. */
const PROGRESS_INTERVAL_MS = SECOND;

/** Does all due work, one task after the other. Failures are recorded and not thrown. */
export async function workOnBackups(ports: BackupWorkPorts): Promise<void> {
  const { store, place, schedule, clock, signal } = ports;
  while (!signal.aborted) {
    const now = clock.now();
    const work = nextWork(await store.backups.list(), schedule, now);
    if (work === null) return;
    if (work.kind === "verify") {
      await verifyBackup(ports, work.id);
      continue;
    }
    const id = work.id ?? newBackupId(now);
    // One that is already running stays as it is.
    await store.backups.begin({ id, place: place.name, at: now });
    const record = await store.backups.find(id);
    if (record?.state === "running") await makeBackup(ports, record);
  }
}

/**
 * Adds unknown backups at the destination, as after a restore, and removes records of missing ones. Throws
 * `unavailable` if none of them is there, because their disk is probably not mounted.
 */
export async function reconcileBackups({ store, place }: Pick<BackupWorkPorts, "store" | "place">): Promise<void> {
  const placed = await place.list();
  const there = new Set(placed.map(({ id }) => id));
  const known = (await store.backups.list()).filter(({ state }) => state === "done");
  const gone = known.filter((record) => record.place !== place.name || !there.has(record.id));
  const lost = gone.filter((record) => record.place === place.name);
  if (placed.length === 0 && lost.length > 0) {
    throw new DomainError(
      "unavailable",
      `${place.name} has none of the ${lost.length} backups that were made there: mount its disk, or delete them from the list`,
    );
  }
  for (const { id } of gone) await store.backups.delete(id);
  await store.backups.add(place.name, placed);
}

// --- internal ---

async function makeBackup(ports: BackupWorkPorts, record: BackupRecord): Promise<void> {
  const { store, place, clock, signal } = ports;
  const { id } = record;
  const attempts = record.attempts + 1;
  const createdAt = clock.now();
  const begun = { attempts, createdAt, place: place.name, progress: 0, bytes: 0, retryAt: null, verifiedAt: null };
  await store.backups.change(id, begun);
  let target: PlacedTarget | null = null;
  try {
    // The attempt may have crashed the process, and would perhaps do so again.
    if (record.retryAt === null) throw new DomainError("unavailable", INTERRUPTED);
    await reconcileBackups(ports);
    target = await place.open({ id, createdAt });
    const { contents } = store;
    const report = await backup({ contents, target, width: place.width }, progressOf(ports, id, target));
    const done = { state: "done", progress: 1, bytes: target.added(), error: lackOf(report), retryAt: null } as const;
    await store.backups.change(id, done);
    ports.log.info("backup complete", { backup: id, place: place.name, files: report.contents, added: done.bytes });
  } catch (error) {
    await target?.abandon().catch(() => {});
    if (signal.aborted) await store.backups.change(id, { attempts: record.attempts, retryAt: createdAt });
    else await recordFailure(ports, id, attempts, error);
    return;
  }
  await prune(ports, id);
}

const INTERRUPTED = "the server ended while this backup was made";

/** Throws when the server stops, which aborts the backup. */
function progressOf({ store, clock, signal }: BackupWorkPorts, id: string, target: PlacedTarget) {
  let storedAt = clock.now();
  return (contents: number, total: number) => {
    signal.throwIfAborted();
    if (clock.now() - storedAt < PROGRESS_INTERVAL_MS) return;
    storedAt = clock.now();
    const progress = Math.min(1, contents / Math.max(1, total));
    // A lost update is corrected by the next one.
    void store.backups.change(id, { progress, bytes: target.added() }).catch(() => {});
  };
}

function lackOf({ missing, damaged }: BackupReport): string | null {
  const lost = missing.length + damaged.length;
  if (lost === 0) return null;
  return `${lost} ${lost === 1 ? "file is" : "files are"} missing or damaged in the data folder: run vitrine verify`;
}

async function recordFailure(ports: BackupWorkPorts, id: string, attempts: number, error: unknown): Promise<void> {
  const { store, clock, random, log } = ports;
  const reason = error instanceof DomainError ? error.detail : messageOf(error);
  const tried = attempts === 1 ? "" : ` (${attempts} attempts)`;
  const retryAt = nextRetry(clock.now(), attempts, random());
  await store.backups.change(id, { state: "failed", error: reason + tried, retryAt });
  if (error instanceof DomainError) log.warn("backup failed", { backup: id, reason });
  else log.error("backup failed", error);
}

/** A failure is only logged, because the new backup is complete anyway. */
async function prune({ store, place, schedule, log }: BackupWorkPorts, madeId: string): Promise<void> {
  try {
    for (const { id } of outdated(await store.backups.list(), schedule.keep, madeId)) {
      await place.delete(id);
      await store.backups.delete(id);
    }
    await place.sweep();
  } catch (error) {
    const reason = messageOf(error);
    log.warn("old backups could not be removed", { reason });
    await store.backups.change(madeId, { error: `old backups could not be removed: ${reason}` });
  }
}

async function verifyBackup({ store, place, clock, signal, log }: BackupWorkPorts, id: string): Promise<void> {
  try {
    const { repaired, damaged } = await place.verify(id, () => signal.throwIfAborted());
    const verifiedAt = damaged.length === 0 ? clock.now() : null;
    await store.backups.change(id, { verifying: false, verifiedAt, error: damageOf(damaged) });
    log.info("backup verified", { backup: id, repaired, damaged: damaged.length });
  } catch (error) {
    if (signal.aborted) return;
    const reason = `it could not be verified: ${messageOf(error)}`;
    await store.backups.change(id, { verifying: false, error: reason });
    log.warn("backup not verified", { backup: id, reason });
  }
}

const MAX_NAMED = 3;

function damageOf(damaged: readonly string[]): string | null {
  if (damaged.length === 0) return null;
  const named = damaged.slice(0, MAX_NAMED).join(", ");
  const more = damaged.length > MAX_NAMED ? ` and ${damaged.length - MAX_NAMED} more` : "";
  return `damaged or missing, and no longer in the data folder: ${named}${more}`;
}
