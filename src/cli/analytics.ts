import type { Analytics } from "../api/schemas/types.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import { type Column, type ListOptions, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { count, formatBytes } from "./terminal/units.ts";

interface Options extends ClientOptions, ListOptions {
  readonly from?: string;
  readonly to?: string;
}

/** The lists show this many entries; `--json` has all. */
const SHOWN = 10;

/** Prints the days with visits, and the most frequent pages, referrers and missing paths. */
export async function showAnalytics(terminal: Terminal, site: string, options: Options): Promise<void> {
  const { from, to, json } = options;
  const client = await connect(terminal, options);
  const query = new URLSearchParams({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  const analytics = await client.get<Analytics>(`${path`/sites/${site}/analytics`}?${query}`);
  if (json) return terminal.json(analytics);
  const { total, days, pages, referrers, not_found } = analytics;
  const visited = days.filter(({ views, bot_views, bytes }) => views + bot_views + bytes > 0);
  if (visited.length > 0) printTable(terminal, DAYS, visited, options);
  const lists: readonly (readonly [title: string, counted: string, entries: readonly Counted[]])[] = [
    ["PAGE", "VIEWS", pages.map(({ path: page, views }) => [page, views])],
    ["REFERRER", "VIEWS", referrers.map(({ host, views }) => [host, views])],
    ["NOT FOUND", "REQUESTS", not_found.map(({ path: page, requests }) => [page, requests])],
  ];
  for (const [title, counted, entries] of lists) {
    if (entries.length === 0) continue;
    terminal.data("");
    printTable(terminal, namesAnd(title, counted), entries.slice(0, SHOWN), options);
  }
  const sum = `${count(total.views, "view")} by ${count(total.visitors, "visitor")}`;
  terminal.say(`${site} from ${analytics.from} to ${analytics.to}: ${sum}.`);
}

// --- internal ---

const DAYS: readonly Column<Analytics["days"][number]>[] = [
  { title: "DAY", value: ({ day }) => day },
  { title: "VIEWS", value: ({ views }) => views.toLocaleString("en") },
  { title: "VISITORS", value: ({ visitors }) => visitors.toLocaleString("en") },
  { title: "BOT VIEWS", value: ({ bot_views }) => bot_views.toLocaleString("en") },
  { title: "TRAFFIC", value: ({ bytes }) => formatBytes(bytes) },
];

/** An entry of a list with its number. */
type Counted = readonly [name: string, number: number];

function namesAnd(title: string, counted: string): readonly Column<Counted>[] {
  return [
    { title: counted, value: ([, number]) => number.toLocaleString("en") },
    { title, value: ([name]) => name, cut: true },
  ];
}
