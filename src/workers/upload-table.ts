import { DomainError } from "../domain/errors.ts";
import type { Uploads } from "../domain/ports/uploads.ts";

/**
 * The running uploads in shared memory, one row each. A thread that dies leaves its rows behind; the
 * server restarts then.
 */
export interface UploadTable {
  /** The owner of each row; 0 if it is free. */
  readonly owners: Int32Array<SharedArrayBuffer>;
  /** Bytes in units of 1 KiB, rounded up: 2 TiB fit. */
  readonly sizes: Int32Array<SharedArrayBuffer>;
}

interface UploadTableLimits {
  /** Uploads of one owner; null for any number. */
  readonly count: number | null;
  /** Bytes of one owner's uploads together; null for any number. */
  readonly bytes: number | null;
}

/** Uploads of all owners. Each needs a connection, a file and some chunks of memory. */
const MAX_UPLOADS = 1024;
const KIB = 1024;
const RETRY_AFTER_SECONDS = 10;

/** Creates an empty table of 8 KiB. */
export function newUploadTable(): UploadTable {
  const cells = () => new Int32Array(new SharedArrayBuffer(MAX_UPLOADS * Int32Array.BYTES_PER_ELEMENT));
  return { owners: cells(), sizes: cells() };
}

/**
 * Returns the uploads of the table. A row is added before the owner's rows are summed up: if two threads
 * take the last place at the same time, both may be refused, but the limit is never exceeded.
 */
export function sharedUploads(table: UploadTable, limits: UploadTableLimits): Uploads {
  const { owners, sizes } = table;
  return {
    begin(ownerId) {
      const row = takeRow(table, ownerId);
      if (row === -1) throw tooManyOfAll();
      let isOpen = true;
      const end = () => {
        if (!isOpen) return;
        isOpen = false;
        Atomics.store(sizes, row, 0);
        Atomics.store(owners, row, 0);
      };
      if (limits.count !== null && rowsOf(table, ownerId).length > limits.count) {
        end();
        throw tooMany(`at most ${limits.count} at once`);
      }
      let bytes = 0;
      return {
        add(more) {
          bytes += more;
          Atomics.store(sizes, row, Math.ceil(bytes / KIB));
          if (limits.bytes !== null && areTooLarge(table, rowsOf(table, ownerId), limits.bytes)) {
            throw tooMany(`at most ${limits.bytes} bytes together`);
          }
        },
        end,
      };
    },
  };
}

// --- internal ---

/** Assigns a free row to the owner; returns -1 if there is none. */
function takeRow({ owners }: UploadTable, ownerId: number): number {
  for (let row = 0; row < MAX_UPLOADS; row++) {
    if (Atomics.compareExchange(owners, row, 0, ownerId) === 0) return row;
  }
  return -1;
}

function rowsOf({ owners }: UploadTable, ownerId: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < MAX_UPLOADS; row++) if (Atomics.load(owners, row) === ownerId) rows.push(row);
  return rows;
}

function areTooLarge({ sizes }: UploadTable, rows: readonly number[], bytes: number): boolean {
  return rows.length > 1 && rows.reduce((sum, row) => sum + Atomics.load(sizes, row), 0) * KIB > bytes;
}

function tooMany(limit: string): DomainError {
  return new DomainError("too_many_requests", `too many uploads of this owner are under way: ${limit}`, {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}

function tooManyOfAll(): DomainError {
  return new DomainError("unavailable", "too many uploads are under way: try again in a moment", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
