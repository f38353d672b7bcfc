import { MINUTE } from "../timestamp.ts";

/** A client can continue after an interruption of this length. */
export const HISTORY_MS = 5 * MINUTE;

/** Limits the disk space of a burst of changes. A client that missed more reloads everything. */
export const MAX_EVENTS = 20_000;
