import { useState } from "preact/hooks";
import { replaceQuery } from "../../router.ts";
import { type Column, KINDS, type View } from "./rows.ts";

const COLUMNS: readonly Column[] = ["name", "status", "views", "size", "deployed"];
export const FIRST_VIEW: View = { kind: "all", tag: null, text: "", sort: { column: "deployed", descending: true } };

/** Parses the view in a query: `?show=private&tag=docs&q=atlas&sort=-views`. */
export function viewOf(query: string): View {
  const requested = new URLSearchParams(query);
  const sort = requested.get("sort") ?? "";
  const column = COLUMNS.find((name) => name === sort.replace(/^-/, ""));
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

/** The view of the list. It is stored in the URL, so that it survives a reload and going back. A hook. */
export function useView(): [View, (change: Partial<View>) => void] {
  const [view, setView] = useState(() => viewOf(location.search));
  const change = (change: Partial<View>) => {
    const next = { ...view, ...change };
    setView(next);
    replaceQuery(location.pathname + queryOf(next));
  };
  return [view, change];
}
