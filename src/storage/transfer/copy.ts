import { keyOf, type Row, type Table, type Value } from "./tables.ts";

/** Where rows come from. */
export interface RowSource {
  /** Yields all shared rows of a table in the order of its key, some at a time. */
  rows(table: Table): AsyncIterable<readonly Row[]>;

  /** Returns the last number given out by each table that never gives a number twice. */
  givenIds(): Promise<GivenIds>;
}

export type GivenIds = ReadonlyMap<string, number>;

/** Where rows go, into tables without rows. */
export interface RowTarget {
  add(table: Table, rows: readonly Row[]): Promise<void>;

  /** Checks what can be checked only now, and continues the numbers where the source stopped. */
  complete(givenIds: GivenIds): Promise<void>;
}

/** Copies all rows. Calls `advance` with the number of rows copied since the last call. */
export async function copyRows(
  tables: readonly Table[],
  source: RowSource,
  target: RowTarget,
  advance: (rows: number) => void,
): Promise<void> {
  for (const table of tables) {
    for await (const rows of source.rows(table)) {
      await target.add(table, rows);
      advance(rows.length);
    }
  }
  await target.complete(await source.givenIds());
}

/** Returns the first difference between the rows of both, as a sentence; null if all are equal. */
export async function findDifference(
  tables: readonly Table[],
  one: Pick<RowSource, "rows">,
  other: Pick<RowSource, "rows">,
  advance: (rows: number) => void,
): Promise<string | null> {
  for (const table of tables) {
    const others = inPages(other.rows(table));
    for await (const rows of one.rows(table)) {
      const compared = await others.take(rows.length);
      const different = rows.findIndex((row, index) => !isEqualRow(row, compared[index]));
      if (different >= 0) return `the row of ${table.name} with ${keyOf(table, rows[different] as Row)} differs`;
      advance(rows.length);
    }
    const [more] = await others.take(1);
    if (more) return `${table.name} has one more row, with ${keyOf(table, more)}`;
  }
  return null;
}

// --- internal ---

/** Reads rows in other numbers than they arrive. */
function inPages(pages: AsyncIterable<readonly Row[]>) {
  const iterator = pages[Symbol.asyncIterator]();
  let waiting: Row[] = [];
  return {
    /** Returns this many rows; fewer only if there are no more. */
    async take(rows: number): Promise<readonly Row[]> {
      while (waiting.length < rows) {
        const next = await iterator.next();
        if (next.done) break;
        waiting = waiting.concat(next.value);
      }
      return waiting.splice(0, rows);
    },
  };
}

function isEqualRow(row: Row, other: Row | undefined): boolean {
  return other !== undefined && row.every((value, index) => isEqual(value, other[index] as Value));
}

function isEqual(value: Value, other: Value): boolean {
  if (value instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(value, other) === 0;
  return value === other;
}
