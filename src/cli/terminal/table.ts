import { printable, type Style } from "./style.ts";

/** Lays rows out in columns, two spaces apart, under a bold heading. Lines end without blanks. */
export function table(style: Style, heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = heading.map((title, column) =>
    Math.max(...[heading, ...clean].map((row) => Bun.stringWidth(row[column] ?? title))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
      .join("  ")
      .trimEnd();
  return [style.bold(line(heading)), ...clean.map(line)].join("\n");
}
