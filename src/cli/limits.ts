import type { Limits } from "../api/schemas/types.ts";
import { type ClientListOptions, connectWithoutToken } from "./client/connect.ts";
import { type Column, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

/** Prints the limits and rates of the server, and the caller's own usage if signed in. */
export async function showLimits(terminal: Terminal, options: ClientListOptions): Promise<void> {
  const client = await connectWithoutToken(terminal, options);
  const response = await client.get<Limits>("/capabilities/limits");
  if (options.json) return terminal.json(response);
  const rows = [
    ...response.limits.map((limit) => ({ ...limit, value: formatLimit(limit) })),
    ...response.rates.map((rate) => ({ ...rate, value: formatRate(rate) })),
  ];
  printTable(terminal, COLUMNS, rows, options);
  if (response.own) terminal.say(`\n${ownLine(response.own)}`);
}

// --- internal ---

interface Row {
  readonly name: string;
  readonly setting: string | null;
  readonly value: string;
  readonly meaning: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "SETTING", value: nameOf },
  { title: "VALUE", value: ({ value }) => value },
  { title: "DESCRIPTION", value: ({ meaning }) => meaning, cut: true },
];

/** A limit without a setting is shown in parentheses. */
function nameOf({ name, setting }: Row): string {
  return setting === null ? `(${name.replaceAll("_", " ")})` : `--${setting}`;
}

function formatLimit({ unit, value }: Limits["limits"][number]): string {
  if (value === null) return "off";
  if (unit === "bytes") return formatBytes(value);
  return unit === "seconds" ? `${value} s` : value.toLocaleString("en");
}

function formatRate({ count, seconds }: Limits["rates"][number]): string {
  if (count === null || seconds === null) return "off";
  const [unit, length] = UNITS.find(([, span]) => seconds % span === 0) ?? ["s", 1];
  return `${count.toLocaleString("en")}/${seconds / length}${unit}`;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
] as const;

function ownLine({ login, sites, bytes }: NonNullable<Limits["own"]>): string {
  const usedOf = sites.limit === null ? "" : `${sites.used.toLocaleString("en")} of `;
  const ofSites = usedOf + count(sites.limit ?? sites.used, "site");
  const ofBytes = bytes.limit === null ? "" : ` of ${formatBytes(bytes.limit)}`;
  return `${login} has ${ofSites} with ${formatBytes(bytes.used)}${ofBytes}.`;
}
