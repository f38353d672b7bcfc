import { DomainError } from "../domain/errors.ts";
import type { Uploads } from "../domain/ports/uploads.ts";
import { freeRow, newOwnedRows, type OwnedRows, rowsOf, takeRow } from "./owned-rows.ts";

/**
 * The running uploads in shared memory, one row each. A thread that dies leaves its rows behind; the
 * server restarts then.
 */
export interface UploadTable {
  /** The owner of each row; 0 if it is free. */
  readonly owners: OwnedRows;
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
  return { owners: newOwnedRows(MAX_UPLOADS), sizes: newOwnedRows(MAX_UPLOADS) };
}

/**
 * Returns the uploads of the table. A row is added before the owner's rows are added up. If two threads take the last
 * slot at once, both may be refused, but the limit is never exceeded.
 */
export function sharedUploads(table: UploadTable, limits: UploadTableLimits): Uploads {
  const { owners, sizes } = table;
  return {
    begin(ownerId) {
      const row = takeRow(owners, ownerId);
      if (row === -1) throw tooManyOfAll();
      let isOpen = true;
      const end = () => {
        if (!isOpen) return;
        isOpen = false;
        Atomics.store(sizes, row, 0);
        freeRow(owners, row);
      };
      if (limits.count !== null && rowsOf(owners, ownerId).length > limits.count) {
        end();
        throw tooMany(`at most ${limits.count} at once`);
      }
      let bytes = 0;
      return {
        add(more) {
          bytes += more;
          Atomics.store(sizes, row, Math.ceil(bytes / KIB));
          if (limits.bytes !== null && areTooLarge(table, rowsOf(owners, ownerId), limits.bytes)) {
            throw tooMany(`at most ${limits.bytes} bytes together`);
          }
        },
        end,
      };
    },
  };
}

// --- internal ---

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
