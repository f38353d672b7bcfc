import { expect, test } from "bun:test";
import { ManualApi } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { ApiError, call } from "./client.ts";
import { findOutage, refresh, refreshMounted, refreshStale, useResource } from "./resource.ts";

type Names = string[];

/** Shows a resource of its own, and loads it. */
async function show(api: ManualApi, path: string, data: Names, options = {}) {
  const mounted = mount(() => useResource<Names>(path, options));
  await settled();
  await api.respond(`GET ${path}`, data);
  return mounted;
}

test.each<[what: string, status: number, body: unknown, error: string | undefined]>([
  ["a failure of the server", 503, { detail: "service unavailable" }, "Service unavailable"],
  ["a missing part", 404, { detail: "site does not exist" }, "Site does not exist"],
  ["a page of a hotel", 200, "<h1>Welcome</h1>", "The response did not come from the server"],
  ["the error page of a proxy", 502, "<h1>Bad gateway</h1>", "The server cannot be reached"],
  ["too many requests, which the next reload resolves", 429, { detail: "slow down" }, undefined],
])("after %s the data stay, with the error, until they are reloaded", async (_, status, body, error) => {
  using api = new ManualApi();
  using list = await show(api, `/failing/${status}`, ["a"]);
  const reloaded = list.shown.reload();
  await settled();
  await api.respond(`GET /failing/${status}`, body, status);
  await reloaded;
  expect(list.shown.data).toEqual(["a"]);
  expect(list.shown.error?.detail ?? "none").toStartWith(error ?? "none");
  void list.shown.reload();
  await settled();
  await api.respond(`GET /failing/${status}`, ["b"]);
  expect([list.shown.data, list.shown.error]).toEqual([["b"], undefined]);
});

test("an outage has the time of the oldest data, and ends with a response", async () => {
  using api = new ManualApi();
  const before = Date.now();
  using list = await show(api, "/cut", ["a"]);
  void list.shown.reload();
  await settled();
  expect(findOutage()).toBeNull();
  await api.fail("GET /cut");
  expect(findOutage()?.since).toBeWithin(before, Date.now() + 1);
  using other = mount(() => useResource<Names>("/never"));
  await settled();
  await api.fail("GET /never");
  expect([other.shown.data, findOutage()?.since === null]).toEqual([undefined, false]);
  void refreshStale();
  await settled();
  await api.respond("GET /cut", ["a"]);
  await api.respond("GET /never", { detail: "not found" }, 404);
  expect(findOutage()).toBeNull();
});

test("unchanged data stay the same object, and each response is counted", async () => {
  using api = new ManualApi();
  using list = await show(api, "/same", ["a"]);
  const { data, loads } = list.shown;
  void list.shown.reload();
  await settled();
  await api.respond("GET /same", ["a"]);
  expect(list.shown.data).toBe(data as Names);
  expect(list.shown.loads).toBe(loads + 1);
});

test("a response that was on its way does not undo a later change", async () => {
  using api = new ManualApi();
  using list = await show(api, "/changed", ["a", "b"]);
  void list.shown.reload();
  await settled();
  list.shown.set((all) => all.filter((name) => name !== "a"));
  await settled();
  expect(list.shown.data).toEqual(["b"]);
  await api.respond("GET /changed", ["a", "b"]);
  expect([list.shown.data, api.waiting]).toEqual([["b"], ["GET /changed"]]);
  await api.respond("GET /changed", ["b", "c"]);
  expect([list.shown.data, api.waiting]).toEqual([["b", "c"], []]);
});

test("a change while the first data are loading is in what is loaded again", async () => {
  using api = new ManualApi();
  using list = mount(() => useResource<Names>("/first"));
  await settled();
  list.shown.set((all) => [...all, "b"]);
  await api.respond("GET /first", ["a"]);
  expect(list.shown.data).toBeUndefined();
  await api.respond("GET /first", ["a", "b"]);
  expect(list.shown.data).toEqual(["a", "b"]);
});

test("a reload during a load in flight asks again after it", async () => {
  using api = new ManualApi();
  using list = await show(api, "/twice", ["a"]);
  void list.shown.reload();
  const second = list.shown.reload();
  await settled();
  expect(api.waiting).toEqual(["GET /twice"]);
  await api.respond("GET /twice", ["old"]);
  expect(api.waiting).toEqual(["GET /twice"]);
  await api.respond("GET /twice", ["new"]);
  await second;
  expect(list.shown.data).toEqual(["new"]);
});

test("two components share one load, and a component that is shown later reloads", async () => {
  using api = new ManualApi();
  using one = mount(() => useResource<Names>("/shared"));
  using two = mount(() => useResource<Names>("/shared"));
  await settled();
  expect(api.waiting).toEqual(["GET /shared"]);
  await api.respond("GET /shared", ["a"]);
  expect([one.shown.data, two.shown.data, api.waiting]).toEqual([["a"], ["a"], []]);
  using later = mount(() => useResource<Names>("/shared"));
  expect(later.shown.data).toEqual(["a"]);
  await settled();
  await api.respond("GET /shared", ["b"]);
  expect([one.shown.data, later.shown.data]).toEqual([["b"], ["b"]]);
});

test("a change that completes after its list was dropped is applied to the list that is shown by then", async () => {
  using api = new ManualApi();
  const former = await show(api, "/dropped/list", ["a"]);
  const { set } = former.shown;
  former[Symbol.dispose]();
  await settled();
  await refresh("/dropped/");
  using list = mount(() => useResource<Names>("/dropped/list"));
  expect(list.shown.data).toBeUndefined();
  await settled();
  await api.respond("GET /dropped/list", ["a"]);
  set((all) => [...all, "b"]);
  await settled();
  expect(list.shown.data).toEqual(["a", "b"]);
});

test.each([
  [403, true],
  [404, true],
  [409, true],
  [422, false],
  [503, false],
])("a change that is refused with %d reloads the page: %p", async (status, isReloaded) => {
  using api = new ManualApi();
  using list = await show(api, `/refused/${status}`, ["a"]);
  const refusal = call("DELETE", "/thing").catch((error: ApiError) => error);
  await settled();
  await api.respond("DELETE /thing", { detail: "not any more" }, status);
  expect(api.waiting).toEqual(isReloaded ? [`GET /refused/${status}`] : []);
  // The error is there before the page is reloaded.
  const error = await refusal;
  if (!(error instanceof ApiError)) throw new Error("the refusal is no error of the API");
  expect([error.status, error.detail]).toEqual([status, "Not any more"]);
  if (isReloaded) await api.respond(`GET /refused/${status}`, []);
  await error.reloaded;
  expect(list.shown.data).toEqual(isReloaded ? [] : ["a"]);
});

test("a part of a site that is not found reloads the list of sites, which may lack the site", async () => {
  using api = new ManualApi();
  using sites = await show(api, "/sites", ["blog"]);
  using part = mount(() => useResource<Names>("/sites/blog/tokens"));
  await settled();
  await api.respond("GET /sites/blog/tokens", { detail: "site does not exist" }, 404);
  await api.respond("GET /sites", []);
  expect([sites.shown.data, part.shown.error?.status]).toEqual([[], 404]);
});

test("a regular refresh loads what is shown, changes, and is neither recent nor loading", async () => {
  using api = new ManualApi();
  using _plain = await show(api, "/regular/plain", []);
  using _fixed = await show(api, "/regular/fixed", [], { fixed: true });
  using _costly = await show(api, "/regular/costly", [], { every: 60_000 });
  using _later = mount(() => useResource("/regular/later", { when: false }));
  (await show(api, "/regular/gone", []))[Symbol.dispose]();
  await settled();
  void refreshStale();
  await settled();
  expect(api.waiting).toEqual(["GET /regular/plain"]);
  void refreshStale();
  await settled();
  expect(api.waiting).toEqual(["GET /regular/plain"]);
  // An event may be younger than the load in flight.
  void refreshMounted((path) => path !== "/regular/costly");
  await api.respond("GET /regular/plain", []);
  expect(api.waiting).toEqual(["GET /regular/plain"]);
  await api.respond("GET /regular/plain", []);
  expect(api.waiting).toEqual([]);
});
