import { failingBackup } from "../backups/schedule.ts";
import type { ManagedCertificate } from "../model/certificate.ts";
import { anyCertificateFailing } from "../model/events.ts";
import type { EventData } from "../model/webhook.ts";
import type { Incident } from "../ports/store/incidents.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";

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

interface WatchPorts {
  readonly clock: Clock;
  /** The base URL, because a receiver may watch several servers. */
  readonly server: string;
}

/**
 * Opens an incident for each new problem of the server, and closes those that are over. Calls the operator's webhook once
 * for each. Returns the names of the new ones.
 */
export async function watchIncidents(
  ports: WatchPorts & { readonly store: Pick<Store, "backups" | "certificates" | "incidents"> },
): Promise<readonly string[]> {
  const { store } = ports;
  const found = [
    ...backupIncidents(await store.backups.list()),
    ...certificateIncidents(await store.certificates.list()),
  ];
  return reconcile(ports, found, (name) => !isOfDisk(name));
}

/** Like `watchIncidents`, for the disk of a machine. `node` is the name of the node; null if there is only one server. */
export async function watchDisk(
  ports: WatchPorts & {
    readonly store: Pick<Store, "incidents">;
    readonly space: () => FreeSpace;
    readonly node: string | null;
  },
): Promise<readonly string[]> {
  const { store, space, node } = ports;
  const name = node === null ? DISK : `${DISK}:${node}`;
  const { free, total, reserve } = space();
  const wasLow = (await store.incidents.listNames()).includes(name);
  const data: EventData = { free_bytes: free, total_bytes: total, ...(node === null ? {} : { node }) };
  const found: Incident[] = isDiskLow({ free, total, reserve }, wasLow)
    ? [{ name, event: { type: "disk.low", data } }]
    : [];
  return reconcile(ports, found, (known) => known === name);
}

// --- internal ---

const DISK = "disk";

function isOfDisk(name: string): boolean {
  return name === DISK || name.startsWith(`${DISK}:`);
}

/** Opens the incidents that are new, and closes those of the caller that were not found. Returns the names of the new ones. */
async function reconcile(
  { store, clock, server }: WatchPorts & { readonly store: Pick<Store, "incidents"> },
  found: readonly Incident[],
  isOwn: (name: string) => boolean,
): Promise<readonly string[]> {
  const open = await store.incidents.listNames();
  const begun = found.filter(({ name }) => !open.includes(name));
  const over = open.filter((name) => isOwn(name) && !found.some((incident) => incident.name === name));
  if (begun.length === 0 && over.length === 0) return [];
  const named = begun.map(({ name, event: { type, data } }) => ({ name, event: { type, data: { server, ...data } } }));
  return store.incidents.change({ begun: named, over }, clock.now());
}

function backupIncidents(records: Parameters<typeof failingBackup>[0]): Incident[] {
  const failing = failingBackup(records);
  if (failing === null) return [];
  const { id, place, error, attempts } = failing;
  const data: EventData = { backup_id: id, target: place, error, attempts };
  return [{ name: "backup", event: { type: "backup.failed", data } }];
}

function certificateIncidents(certificates: readonly ManagedCertificate[]): Incident[] {
  return certificates.flatMap((certificate) => {
    const event = anyCertificateFailing(certificate);
    return event === null ? [] : [{ name: `certificate:${certificate.subject}`, event }];
  });
}
