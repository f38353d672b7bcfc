/** A character with its style. */
interface Cell {
  readonly text: string;
  readonly style: string;
}

/** Runs of characters with one style, by line. */
type Lines = readonly (readonly Cell[])[];

const PAINT: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
};

/** Returns what a terminal finally shows, without status lines that were replaced. */
export function finalScreen(output: string): Lines {
  const lines: Cell[][] = [[]];
  let column = 0;
  let style = "";
  for (const [token] of output.matchAll(/\x1b\[([\d;]*)([A-Za-z])|./gsu)) {
    const line = lines.at(-1) as Cell[];
    const [, codes = "", final] = /^\x1b\[([\d;]*)([A-Za-z])$/.exec(token) ?? [];
    if (final === "K") line.length = 0;
    else if (final === "m") style = PAINT[codes] ?? "";
    else if (token === "\r") column = 0;
    else if (token === "\n") {
      lines.push([]);
      column = 0;
    } else if (final === undefined) line[column++] = { text: token, style };
  }
  return lines.map(joinStretches);
}

function joinStretches(cells: readonly Cell[]): readonly Cell[] {
  const stretches: Cell[] = [];
  for (const cell of cells) {
    const last = stretches.at(-1);
    if (last && last.style === cell.style) stretches[stretches.length - 1] = { ...last, text: last.text + cell.text };
    else stretches.push(cell);
  }
  return stretches;
}

const ROW = 20;
const COLUMN = 8.43;
const MARGIN = 20;

/** Draws lines as an SVG image of a terminal, in the reader's light or dark colours. */
export function drawScreen(lines: Lines): string {
  const columns = Math.max(...lines.map((line) => line.reduce((sum, { text }) => sum + Bun.stringWidth(text), 0)));
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = lines.length * ROW + 2 * MARGIN;
  const rows = lines.map((line, row) => {
    const stretches = line.map(
      ({ text, style }) => `<tspan${style ? ` class="${style}"` : ""}>${escapeXml(text)}</tspan>`,
    );
    return `<text x="${MARGIN}" y="${MARGIN + (row + 0.75) * ROW}">${stretches.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
  text { font: 14px/1 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #24292f }
  rect { fill: #f6f8fa; stroke: #d0d7de }
  .bold { font-weight: bold } .dim { fill: #6e7781 } .red { fill: #cf222e }
  .green { fill: #1a7f37 } .yellow { fill: #9a6700 } .cyan { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } rect { fill: #0d1117; stroke: #30363d }
    .dim { fill: #8b949e } .red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 } .cyan { fill: #58a6ff }
  }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${rows.join("\n")}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
