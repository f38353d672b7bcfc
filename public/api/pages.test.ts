import { expect, test } from "bun:test";
import { ManualApi } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { joined, usePages } from "./pages.ts";
import { useResource } from "./resource.ts";

test.each<[what: string, newest: number[], known: number[], rows: number[]]>([
  ["only the newest page is loaded", [9, 8, 7], [9, 8, 7], [9, 8, 7]],
  ["older rows follow the newest page", [9, 8, 7], [9, 8, 7, 6, 5], [9, 8, 7, 6, 5]],
  ["new rows push others out of the newest page", [10, 9, 8], [9, 8, 7, 6, 5], [10, 9, 8, 7, 6, 5]],
  ["the newest page ends where the loaded rows start", [11, 10, 9], [9, 8, 7, 6], [11, 10, 9, 8, 7, 6]],
  ["there are more new rows than fit a page", [13, 12, 11], [9, 8, 7, 6, 5], [13, 12, 11]],
  ["deleted rows do not come back", [9, 7, 5], [9, 8, 7, 6, 5, 4], [9, 7, 5, 4]],
  ["the newest page extends beyond the loaded rows", [9, 5, 4], [9, 8, 7, 6, 5], [9, 5, 4]],
  ["all rows were deleted", [], [9, 8, 7], []],
])("%s", (_, newest, known, rows) => {
  expect(joined(newest, known, (row) => row)).toEqual(rows);
});

test("the newest page determines the data of a row", () => {
  const row = (key: number, live: boolean) => ({ key, live });
  const rows = joined([row(3, false), row(2, true)], [row(3, true), row(2, false), row(1, false)], ({ key }) => key);
  expect(rows).toEqual([row(3, false), row(2, true), row(1, false)]);
});

const NONE: number[] = [];

/** A list of numbers in pages of three, whose newest page is loaded. */
async function history(api: ManualApi, path: string, newest: readonly number[]) {
  const mounted = mount(() => {
    const { data = NONE, loads, reload } = useResource<number[]>(path);
    return { ...usePages<number>(path, { newest: data, loads }, 3, (row) => row), reload };
  });
  await settled();
  await api.respond(`GET ${path}`, newest);
  return mounted;
}

test("a list that fits one page takes one request", async () => {
  using api = new ManualApi();
  using list = await history(api, "/short?limit=3", [2, 1]);
  expect([list.shown.rows, list.shown.showMore, api.waiting]).toEqual([[2, 1], null, []]);
});

test("older pages are loaded on request, and there is no gap while they are reloaded", async () => {
  using api = new ManualApi();
  using list = await history(api, "/long?limit=3", [9, 8, 7]);
  void list.shown.showMore?.();
  await api.respond("GET /long?limit=3&before=7", [6, 5, 4]);
  expect(list.shown.rows).toEqual([9, 8, 7, 6, 5, 4]);
  void list.shown.reload();
  await settled();
  await api.respond("GET /long?limit=3", [10, 9, 8]);
  expect([list.shown.rows, api.waiting]).toEqual([[10, 9, 8, 7, 6, 5, 4], ["GET /long?limit=3&before=8"]]);
  await api.respond("GET /long?limit=3&before=8", [7, 6, 5]);
  // As many rows as before, of which the last page has to be loaded too.
  expect([list.shown.rows.slice(0, 6), list.shown.showMore === null]).toEqual([[10, 9, 8, 7, 6, 5], false]);
  void list.shown.showMore?.();
  await api.respond("GET /long?limit=3&before=8", [7, 6, 5]);
  await api.respond("GET /long?limit=3&before=5", [4]);
  expect([list.shown.rows, list.shown.showMore]).toEqual([[10, 9, 8, 7, 6, 5, 4], null]);
});

test("older pages that were requested before the newest page changed are not shown", async () => {
  using api = new ManualApi();
  using list = await history(api, "/outrun?limit=3", [9, 8, 7]);
  void list.shown.showMore?.();
  await settled();
  void list.shown.reload();
  await settled();
  await api.respond("GET /outrun?limit=3", [9, 7, 6]);
  // The response to the first request comes last.
  await api.respond("GET /outrun?limit=3&before=6", [5]);
  await api.respond("GET /outrun?limit=3&before=7", [6, 5, 4]);
  expect(list.shown.rows).toEqual([9, 7, 6, 5]);
});

test("a list stays complete if its older pages cannot be reloaded, until they are", async () => {
  using api = new ManualApi();
  using list = await history(api, "/failing?limit=3", [9, 8, 7]);
  void list.shown.showMore?.();
  await api.respond("GET /failing?limit=3&before=7", [6]);
  void list.shown.reload();
  await settled();
  await api.respond("GET /failing?limit=3", [10, 9, 8]);
  await api.respond("GET /failing?limit=3&before=8", { detail: "service unavailable" }, 503);
  expect(list.shown).toMatchObject({
    rows: [10, 9, 8, 7, 6],
    problem: "Could not load older entries. Service unavailable",
  });
  void list.shown.showMore?.();
  await api.fail("GET /failing?limit=3&before=8");
  expect(list.shown.problem).toStartWith("Could not load older entries. The server cannot be reached.");
  void list.shown.reload();
  await settled();
  await api.respond("GET /failing?limit=3", [11, 10, 9]);
  await api.respond("GET /failing?limit=3&before=9", [8, 7, 6]);
  expect(list.shown).toMatchObject({ rows: [11, 10, 9, 8, 7, 6], problem: null });
});
