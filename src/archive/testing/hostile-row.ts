import { type CraftedEnd, type CraftedEntry, craftZip } from "./craft.ts";

/** An archive that must be refused, and a part of the expected message. */
export interface HostileArchive {
  readonly what: string;
  readonly detail: string;
  readonly bytes: () => Uint8Array;
}

/** One crafted archive in a table. */
export type Row = readonly [what: string, entries: readonly CraftedEntry[], detail: string, end?: CraftedEnd];

export function craft(rows: readonly Row[]): HostileArchive[] {
  return rows.map(([what, entries, detail, end]) => ({ what, detail, bytes: () => craftZip(entries, end) }));
}

/** A valid entry. */
export const honest: CraftedEntry = { name: "honest.txt", content: "honest" };
