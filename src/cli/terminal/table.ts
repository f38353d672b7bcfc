import { printable, type Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";

/** A column given as a string is never cut and never omitted. */
export type Column =
  | string
  | {
      readonly title: string;
      /** May be cut at a narrow terminal. */
      readonly cut?: true;
      /** Omitted, the last one first, if the terminal is too narrow for all columns. */
      readonly optional?: true;
    };

export interface LongOption {
  /** Prints every value in full, one per line. */
  readonly long?: boolean;
}

type Rows = readonly (readonly string[])[];

/** Prints rows that fit the terminal, and says so if something was omitted. Output to a pipe is complete. */
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
    // An empty column takes no space from the others.
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
  /** True if a value was cut or a column omitted. */
  readonly isCut: boolean;
}

const GAP = 2;
/** A shorter part of a value would be useless. */
const MIN_CUT = 24;

/** Returns the columns that fit, with their widths; null if even the required ones do not. */
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

/** Distributes the spare width over the columns that may be cut, from the left. */
function share(wanted: readonly (Shown & { readonly least: number })[], spare: number): Shown[] {
  let left = spare;
  return wanted.map(({ index, title, width, least }) => {
    const more = Math.min(width - least, left);
    left -= more;
    return { index, title, width: least + more };
  });
}

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

/** Prints each row as its first value, followed by the others with their titles. */
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

/** Wraps a text between words; further lines are indented. */
function wrapped(text: string, width: number, indent: string): string {
  const room = width - indent.length;
  if (!Number.isFinite(room) || room < MIN_CUT) return text;
  return Bun.wrapAnsi(text, room).replaceAll("\n", `\n${indent}`);
}
