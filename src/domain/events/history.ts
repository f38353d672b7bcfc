import { MINUTE } from "../timestamp.ts";

/** A client goes on where it was after a pause of so long. */
export const HISTORY_MS = 5 * MINUTE;

/** A burst of changes must not fill the disk: clients that miss more look at everything again. */
export const MAX_EVENTS = 20_000;
