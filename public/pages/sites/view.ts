import { useState } from "preact/hooks";
import type { Sort } from "../../parts/table.tsx";
import { replacePath } from "../../router.ts";
import { COLUMNS } from "./columns.tsx";
import { byName, IS_KIND, KINDS, type Kind, type SiteRow } from "./rows.ts";

/** The part of the list that is shown, and its order. */
export interface View {
  readonly kind: Kind;
  readonly tag: string | null;
  /** A text in names, hostnames or tags. */
  readonly text: string;
  readonly sort: Sort;
}

export const FIRST_VIEW: View = { kind: "all", tag: null, text: "", sort: { column: "deployed", descending: true } };

/** Parses the view in a query: `?show=private&tag=docs&q=atlas&sort=-views`. */
export function viewOf(query: string): View {
  const requested = new URLSearchParams(query);
  const sort = requested.get("sort") ?? "";
  const column = COLUMNS.find(({ key, compare }) => compare !== undefined && key === sort.replace(/^-/, ""))?.key;
  return {
    kind: KINDS.find((name) => name === requested.get("show")) ?? "all",
    tag: requested.get("tag"),
    text: requested.get("q") ?? "",
    sort: column ? { column, descending: sort.startsWith("-") } : FIRST_VIEW.sort,
  };
}

/** Returns the query of a view, without default values; empty for the default view. */
export function queryOf({ kind, tag, text, sort }: View): string {
  const query = new URLSearchParams();
  if (kind !== "all") query.set("show", kind);
  if (tag !== null) query.set("tag", tag);
  if (text.trim() !== "") query.set("q", text.trim());
  const { column, descending } = sort;
  if (column !== FIRST_VIEW.sort.column || descending !== FIRST_VIEW.sort.descending) {
    query.set("sort", `${descending ? "-" : ""}${column}`);
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** Returns the rows of a view, in its order. */
export function shownRows(rows: readonly SiteRow[], { kind, tag, text, sort }: View): SiteRow[] {
  const wanted = text.trim().toLowerCase();
  const found = rows.filter(
    (row) => IS_KIND[kind](row) && (tag === null || row.tags.includes(tag)) && (wanted === "" || contains(row, wanted)),
  );
  const compare = COLUMNS.find(({ key }) => key === sort.column)?.compare ?? byName;
  const direction = sort.descending ? -1 : 1;
  return found.sort((one, other) => direction * compare(one, other) || byName(one, other));
}

/** The view of the list. It is stored in the URL, so that it survives a reload and going back. A hook. */
export function useView(): [View, (change: Partial<View>) => void] {
  const [view, setView] = useState(() => viewOf(location.search));
  const change = (change: Partial<View>) => {
    const next = { ...view, ...change };
    setView(next);
    replacePath(location.pathname + queryOf(next));
  };
  return [view, change];
}

// --- internal ---

function contains({ name, hosts, tags }: SiteRow, text: string): boolean {
  return name.includes(text) || hosts.some((host) => host.includes(text)) || tags.some((tag) => tag.includes(text));
}
