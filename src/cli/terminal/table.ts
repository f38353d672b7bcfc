import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { printable } from "../../domain/printable.ts";
import type { Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";

/** A column that may neither be cut nor omitted is always shown in full. */
interface Heading {
  readonly title: string;
  /** May be cut at a narrow terminal, to this width at least; true for `MIN_CUT`. */
  readonly cut?: true | number;
  /** Shown if the terminal is wide enough for it beside the required columns and the optional ones before it. */
  readonly optional?: true;
}

export interface Column<Entry> extends Heading {
  readonly value: (entry: Entry) => string;
}

/** The options of every list. */
export interface ListOptions {
  readonly json?: boolean;
  /** Prints every value in full, one per line. */
  readonly long?: boolean;
}

interface List<Entry> {
  /** Printed if there are no entries. */
  readonly none: string;
  readonly columns: readonly Column<Entry>[];
}

/** Prints entries as a table, or as JSON. */
export function printList<Entry>(
  terminal: Terminal,
  entries: readonly Entry[],
  { none, columns }: List<Entry>,
  options: ListOptions,
): void {
  if (options.json) terminal.json(entries);
  else if (entries.length === 0) terminal.say(none);
  else printTable(terminal, columns, entries, options);
}

/** Prints a table that fits the terminal, and says so if a value was cut. Output to a pipe is complete. */
export function printTable<Entry>(
  terminal: Terminal,
  columns: readonly Column<Entry>[],
  entries: readonly Entry[],
  { long }: ListOptions,
): void {
  const width = terminal.dataColumns ?? Number.POSITIVE_INFINITY;
  // At a terminal, a column without values takes no space from the others.
  const isShown = ({ cut, optional, value }: Column<Entry>) =>
    terminal.dataColumns === null || !(cut || optional) || entries.some((entry) => value(entry) !== "");
  const shown = columns.filter(isShown);
  const rows = entries.map((entry) => shown.map(({ value }) => printable(value(entry))));
  const fitted = long ? null : fit(shown, rows, width);
  terminal.data(fitted ? lines(terminal.dataStyle, fitted) : blocks(terminal.dataStyle, shown, rows, width));
  if (fitted?.isCut) terminal.say(terminal.style.dim("Output truncated; use --long"));
}

// --- internal ---

type Rows = readonly (readonly string[])[];

interface Shown {
  readonly index: number;
  readonly title: string;
  readonly width: number;
}

interface Fitted {
  readonly shown: readonly Shown[];
  readonly rows: Rows;
  /** True if a value was cut. */
  readonly isCut: boolean;
}

const GAP = 2;
/** A shorter part of a value would be useless. */
const MIN_CUT = 24;

/** Returns the columns that fit, with their widths; null if even the required ones do not. */
function fit(columns: readonly Heading[], rows: Rows, width: number): Fitted | null {
  const wanted = columns.map(({ title, cut, optional }, index) => {
    const widest = Math.max(...[title, ...rows.map((row) => row[index] ?? "")].map((cell) => stringWidth(cell)));
    const least = cut ? Math.min(widest, cut === true ? MIN_CUT : cut) : widest;
    return { index, title, width: widest, least, optional };
  });
  const taken = ({ least }: { readonly least: number }) => least + GAP;
  // The last column has no gap after it.
  let room = width + GAP - sum(wanted.filter(({ optional }) => !optional).map(taken));
  if (room < 0) return null;
  const fitting = wanted.filter((column) => {
    if (!column.optional) return true;
    if (taken(column) > room) return false;
    room -= taken(column);
    return true;
  });
  const shown = share(fitting, room);
  const isCut = shown.some((column, at) => column.width < fitting[at]!.width);
  return { shown, rows, isCut };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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
        const cell = cliTruncate(cellOf(column), column.width);
        return cell + " ".repeat(column.width - stringWidth(cell));
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [style.bold(line(({ title }) => title)), ...rows.map((row) => line(({ index }) => row[index] ?? ""))].join(
    "\n",
  );
}

/** Prints each row as its first value, followed by the others with their titles. */
function blocks(style: Style, [, ...others]: readonly Heading[], rows: Rows, width: number): string {
  const titles = Math.max(0, ...others.map(({ title }) => title.length));
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
  return wrapAnsi(text, room).replaceAll("\n", `\n${indent}`);
}
