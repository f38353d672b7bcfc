import type { ClockShift } from "../clients/system/clock.ts";
import type { Config } from "../config/settings.ts";
import type { ResponseMemoryTable } from "../serving/response-memory.ts";
import type { StorageOptions } from "../storage/open.ts";
import type { StreamTable } from "./stream-table.ts";
import type { ThrottleTables } from "./throttle-table.ts";
import type { UploadTable } from "./upload-table.ts";

/** State shared by the threads of one server. It is structured-cloneable, so that it can be posted to a thread. */
export interface Shared {
  readonly config: Config;
  readonly storage: StorageOptions;
  readonly clockShift: ClockShift;
  readonly throttles: ThrottleTables;
  readonly uploads: UploadTable;
  readonly streams: StreamTable;
  /** Null without TLS: then a slow client holds one response for each connection, most of it in the kernel. */
  readonly responseMemory: ResponseMemoryTable | null;
}
