import { failingBackup } from "../backups/schedule.ts";
import type { ManagedCertificate } from "../model/certificate.ts";
import { anyCertificateFailing } from "../model/events.ts";
import type { EventData } from "../model/webhook.ts";
import type { Clock } from "../ports/clock.ts";
import type { Incident } from "../ports/store/incidents.ts";
import type { Store } from "../ports/store.ts";

/** Free space on the disk of the data folder, in bytes. */
export interface FreeSpace {
  readonly total: number;
  readonly free: number;
  /** Uploads are refused below this. */
  readonly reserve: number;
}

/** Uploads of the usual size still fit, but not for long. */
export const LITTLE_BYTES = 2 * 1024 ** 3;

/** The limit for a small disk, as a share. */
const LITTLE_SHARE = 0.1;

/** A disk that was low recovers only above the limit times this factor. Otherwise each upload could be an incident. */
const RECOVERY = 1.2;

/** Returns whether little space is left. `wasLow` is the previous result. */
export function isDiskLow({ total, free, reserve }: FreeSpace, wasLow: boolean): boolean {
  const little = Math.max(reserve, Math.min(LITTLE_BYTES, LITTLE_SHARE * total));
  return free < (wasLow ? little * RECOVERY : little);
}

/**
 * Opens an incident for each new problem, and closes those that are over. Calls the operator's webhook once for each.
 * Returns the names of the new ones.
 */
export async function watchIncidents(ports: {
  readonly store: Pick<Store, "backups" | "certificates" | "incidents">;
  readonly clock: Clock;
  readonly space: () => FreeSpace;
  /** The base URL, because a receiver may watch several servers. */
  readonly server: string;
}): Promise<readonly string[]> {
  const { store, clock, space, server } = ports;
  const found = [
    ...backupIncidents(await store.backups.list()),
    ...diskIncidents(space(), (await store.incidents.listNames()).includes(DISK)),
    ...certificateIncidents(await store.certificates.list()),
  ];
  const current = found.map(({ name, event: { type, data } }) => ({
    name,
    event: { type, data: { server, ...data } },
  }));
  return store.incidents.reconcile(current, clock.now());
}

// --- internal ---

const DISK = "disk";

function backupIncidents(records: Parameters<typeof failingBackup>[0]): Incident[] {
  const failing = failingBackup(records);
  if (failing === null) return [];
  const { id, place, error, attempts } = failing;
  const data: EventData = { backup_id: id, target: place, error, attempts };
  return [{ name: "backup", event: { type: "backup.failed", data } }];
}

function diskIncidents(space: FreeSpace, wasLow: boolean): Incident[] {
  if (!isDiskLow(space, wasLow)) return [];
  const data: EventData = { free_bytes: space.free, total_bytes: space.total };
  return [{ name: DISK, event: { type: "disk.low", data } }];
}

function certificateIncidents(certificates: readonly ManagedCertificate[]): Incident[] {
  return certificates.flatMap((certificate) => {
    const event = anyCertificateFailing(certificate);
    return event === null ? [] : [{ name: `certificate:${certificate.subject}`, event }];
  });
}
