import { type ClockShift, shiftedClock } from "../clients/system/clock.ts";
import type { Config } from "../config/settings.ts";
import { newResponseMemoryTable, type ResponseMemoryTable } from "../serving/response-memory.ts";
import { newSharedCluster } from "../storage/cluster.ts";
import { type ContentMeterSlots, newContentMeterSlots } from "../storage/content/s3/content-meters.ts";
import { type SharedStorage, sharedStorage } from "../storage/open.ts";
import { newStreamTable, type StreamTable } from "./stream-table.ts";
import { newThrottleTables, type ThrottleTables } from "./throttle-table.ts";
import { newUploadTable, type UploadTable } from "./upload-table.ts";

/** State shared by the threads of one server. It is structured-cloneable, so that it can be posted to a thread. */
export interface Shared {
  readonly config: Config;
  /**
   * Identifies this start among the nodes that share the storage, as the holder of leases. The only server of a data
   * folder always has the same name, so that it takes over what it held before a crash.
   */
  readonly node: string;
  readonly storage: SharedStorage;
  readonly contentMeters: ContentMeterSlots;
  readonly clockShift: ClockShift;
  readonly throttles: ThrottleTables;
  readonly uploads: UploadTable;
  readonly streams: StreamTable;
  /** Null without TLS, because a slow client then holds one response per connection, mostly in the kernel. */
  readonly responseMemory: ResponseMemoryTable | null;
}

/** The server that has the lock of the data folder with the database. */
export const ONLY_NODE = "node";

/** Creates the state of a starting server. */
export function newShared(config: Config, clockShift: ClockShift): Shared {
  const node = config.database === null ? ONLY_NODE : crypto.randomUUID();
  const cluster = config.database === null ? null : newSharedCluster(node);
  return {
    config,
    node,
    storage: sharedStorage(config.dataDir, cluster),
    contentMeters: newContentMeterSlots(),
    clockShift,
    throttles: newThrottleTables(config, shiftedClock(clockShift), config.database !== null),
    uploads: newUploadTable(),
    streams: newStreamTable(),
    responseMemory: config.tls === "off" ? null : newResponseMemoryTable(config.answerBytes),
  };
}
