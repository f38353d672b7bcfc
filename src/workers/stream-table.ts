import { DomainError } from "../domain/errors.ts";
import type { StreamSlots } from "../domain/ports/system.ts";
import { freeRow, newOwnedRows, type OwnedRows, rowsOf, takeRow } from "./owned-rows.ts";

/** The session of each open event stream. A thread that dies leaves its rows behind; the server restarts then. */
export type StreamTable = OwnedRows;

/** Streams of one session: a browser window needs one for each visible tab. */
const MAX_OF_SESSION = 10;

/** Streams of all sessions. Each needs a connection and about 20 kB. */
const MAX_STREAMS = 10_000;

const RETRY_AFTER_SECONDS = 30;

/** Creates an empty table of 40 kB. */
export function newStreamTable(): StreamTable {
  return newOwnedRows(MAX_STREAMS);
}

/**
 * Returns the slots of the table. A row is taken before the session's rows are counted. If two threads take the last
 * slot at once, both may be refused, but the limit is never exceeded.
 */
export function sharedStreamSlots(table: StreamTable): StreamSlots {
  return {
    take(sessionId) {
      const row = takeRow(table, sessionId);
      if (row === -1) throw refused("unavailable", "too many event streams are open: try again later");
      let isTaken = true;
      const leave = () => {
        if (isTaken) freeRow(table, row);
        isTaken = false;
      };
      if (rowsOf(table, sessionId).length <= MAX_OF_SESSION) return leave;
      leave();
      throw refused("too_many_requests", `this session has ${MAX_OF_SESSION} event streams open: close one first`);
    },
  };
}

// --- internal ---

function refused(kind: "unavailable" | "too_many_requests", detail: string): DomainError {
  return new DomainError(kind, detail, { retryAfter: RETRY_AFTER_SECONDS });
}
