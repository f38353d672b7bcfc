/** Rows in shared memory, each owned by somebody or free. `0` is nobody. */
export type OwnedRows = Int32Array<SharedArrayBuffer>;

export function newOwnedRows(count: number): OwnedRows {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
}

/** Assigns a free row to the owner; returns -1 if there is none. */
export function takeRow(owners: OwnedRows, ownerId: number): number {
  for (let row = 0; row < owners.length; row++) {
    if (Atomics.compareExchange(owners, row, 0, ownerId) === 0) return row;
  }
  return -1;
}

export function rowsOf(owners: OwnedRows, ownerId: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < owners.length; row++) if (Atomics.load(owners, row) === ownerId) rows.push(row);
  return rows;
}

export function freeRow(owners: OwnedRows, row: number): void {
  Atomics.store(owners, row, 0);
}
