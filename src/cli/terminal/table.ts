import { printable, type Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";

/** A column by its title alone is never cut and never left out. */
export type Column =
  | string
  | {
      readonly title: string;
      /** May be cut where the terminal is narrow. */
      readonly cut?: true;
      /** Left out, the last one first, where the terminal is too narrow for all columns. */
      readonly optional?: true;
    };

export interface LongOption {
  /** Prints every value whole, one below the other. */
  readonly long?: boolean;
}

type Rows = readonly (readonly string[])[];

/** Prints rows so that they fit the terminal, and says so where something was left out. A pipe gets everything. */
export function printTable(
  terminal: Terminal,
  columns: readonly Column[],
  rows: Rows,
  { long }: LongOption = {},
): void {
  const width = terminal.dataColumns ?? Number.POSITIVE_INFINITY;
  const isEmpty = (index: number) => terminal.dataColumns !== null && rows.every((row) => !row[index]);
  const all = columns.flatMap((column, index) => {
    if (typeof column === "string") return [{ title: column, index }];
    // What nothing of is known takes no room from the others.
    return isEmpty(index) ? [] : [{ ...column, index }];
  });
  const clean = rows.map((row) => all.map(({ index }) => printable(row[index] ?? "")));
  const fitted = long ? null : fit(all, clean, width);
  terminal.data(fitted ? lines(terminal.dataStyle, fitted) : blocks(terminal.dataStyle, all, clean, width));
  if (fitted?.isCut) terminal.say(terminal.style.dim("Some of it is cut: --long shows everything."));
}

// --- internal ---

interface Shown {
  readonly index: number;
  readonly title: string;
  readonly width: number;
}

interface Fitted {
  readonly shown: readonly Shown[];
  readonly rows: Rows;
  /** Whether a value was cut, or a column left out. */
  readonly isCut: boolean;
}

const GAP = 2;
/** Less of a value would tell nothing. */
const MIN_CUT = 24;

/** Returns the columns that fit the width, with their own widths; null where even the necessary ones do not. */
function fit(columns: readonly Exclude<Column, string>[], rows: Rows, width: number): Fitted | null {
  const wanted = columns.map(({ title, cut }, index) => {
    const widest = Math.max(...[title, ...rows.map((row) => row[index] ?? "")].map((cell) => Bun.stringWidth(cell)));
    return { index, title, width: widest, least: cut ? Math.min(widest, MIN_CUT) : widest };
  });
  const optional = columns.flatMap(({ optional }, index) => (optional ? [index] : []));
  for (;;) {
    const gaps = GAP * (wanted.length - 1);
    const spare = width - gaps - wanted.reduce((sum, { least }) => sum + least, 0);
    if (spare >= 0) {
      const shown = share(wanted, spare);
      const isCut = wanted.length < columns.length || shown.some((column, at) => column.width < wanted[at]!.width);
      return { shown, rows, isCut };
    }
    const dropped = optional.pop();
    if (dropped === undefined) return null;
    wanted.splice(
      wanted.findIndex(({ index }) => index === dropped),
      1,
    );
  }
}

/** Gives the columns that may be cut what is spare, from the left. */
function share(wanted: readonly (Shown & { readonly least: number })[], spare: number): Shown[] {
  let left = spare;
  return wanted.map(({ index, title, width, least }) => {
    const more = Math.min(width - least, left);
    left -= more;
    return { index, title, width: least + more };
  });
}

/** Columns two spaces apart under a bold heading. Lines end without blanks. */
function lines(style: Style, { shown, rows }: Fitted): string {
  const line = (cellOf: (column: Shown) => string) =>
    shown
      .map((column) => {
        const cell = Bun.sliceAnsi(cellOf(column), 0, column.width, { ellipsis: "…" });
        return cell + " ".repeat(column.width - Bun.stringWidth(cell));
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [style.bold(line(({ title }) => title)), ...rows.map((row) => line(({ index }) => row[index] ?? ""))].join(
    "\n",
  );
}

/** Each row as its first value and, below it, all others by their titles. */
function blocks(style: Style, [, ...others]: readonly { title: string }[], rows: Rows, width: number): string {
  const titles = Math.max(...others.map(({ title }) => title.length));
  const indent = " ".repeat(2 + titles + GAP);
  return rows
    .map(([name = "", ...values]) => {
      const below = others.flatMap(({ title }, index) => {
        const value = values[index] ?? "";
        if (value === "") return [];
        return `  ${style.dim(title.padEnd(titles))}  ${wrapped(value, width, indent)}`;
      });
      return [style.bold(name.trim()), ...below].join("\n");
    })
    .join("\n");
}

/** Breaks a text between words so that it ends before the width; further lines are indented. */
function wrapped(text: string, width: number, indent: string): string {
  const room = width - indent.length;
  if (!Number.isFinite(room) || room < MIN_CUT) return text;
  return Bun.wrapAnsi(text, room).replaceAll("\n", `\n${indent}`);
}
