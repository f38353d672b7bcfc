import { hostname } from "node:os";
import { type ClockShift, followClock } from "../clients/system/clock.ts";
import type { Config } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import type { Log } from "../domain/ports/system.ts";
import { type JoinedNode, joinAsNode } from "../storage/cluster.ts";
import type { DataFolder } from "../storage/folder/data-folder.ts";
import type { Shared } from "../workers/shared.ts";

/** A renewal that took longer says too little about the database's clock. */
const MAX_DURATION_MS = 1000;

/**
 * Joins the cluster of the database in the settings, in the main thread, and lets the threads follow its clock. Null
 * without such a setting. Throws StartFailure.
 */
export async function joinDatabase(shared: Shared, folder: DataFolder, log: Log): Promise<JoinedNode | null> {
  const { config, node: id, clockShift, storage } = shared;
  const { generation, cluster } = storage;
  if (config.database === null || !generation || !cluster) return null;
  const node = { id, name: config.nodeName, address: addressOf(config), version: VERSION.version };
  const onRenewal = ({ now }: { readonly now: number }, duration: number) => follow(clockShift, now, duration);
  const onProblem = (reason: string | null) => {
    if (reason === null) log.info("the node belongs to its cluster again");
    else log.warn("the node does not belong to its cluster now", { reason });
  };
  return joinAsNode(config.database, { folder, generation, cluster, node, onRenewal, onProblem });
}

// --- internal ---

function follow(shift: ClockShift, now: number, duration: number): void {
  if (duration <= MAX_DURATION_MS) followClock(shift, now + duration / 2 - Date.now());
}

/** Returns the address at which this node alone listens. */
function addressOf({ listen: { host, port }, tls }: Config): string {
  const name = host ?? hostname();
  return `${tls === "off" ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
