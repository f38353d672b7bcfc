import { afterEach, expect, test } from "bun:test";
import { useResource } from "../api/resource.ts";
import { ManualApi, replaceGlobal } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { forgetOneTime, useOneTime } from "./one-time.ts";

interface Secret {
  readonly id: string;
  readonly text?: string;
}

afterEach(() => forgetOneTime(""));

/** A list of secrets, whose path is also its key, with those that are shown once. */
async function show(api: ManualApi, path: string, listed: readonly Secret[]) {
  const mounted = mount(() => {
    const list = useResource<Secret[]>(path);
    return { list, ...useOneTime<Secret>(path, list) };
  });
  await settled();
  await api.respond(`GET ${path}`, listed);
  return mounted;
}

function idsOf({ shown }: { readonly shown: { readonly all: readonly Secret[] } }): string[] {
  return shown.all.map(({ id }) => id);
}

test("each secret is shown at once, newest first, until it is dismissed", async () => {
  using api = new ManualApi();
  using tokens = await show(api, "/each", []);
  tokens.shown.add({ id: "one" });
  tokens.shown.add({ id: "two" });
  await settled();
  expect(idsOf(tokens)).toEqual(["two", "one"]);
  await api.respond("GET /each", [{ id: "one" }]);
  await api.respond("GET /each", [{ id: "one" }, { id: "two" }]);
  expect(idsOf(tokens)).toEqual(["two", "one"]);
  tokens.shown.dismiss("two");
  await settled();
  expect(idsOf(tokens)).toEqual(["one"]);
});

test("a new secret of the same ID replaces the earlier one", async () => {
  using api = new ManualApi();
  using tokens = await show(api, "/rotated", []);
  for (const text of ["old", "new"]) tokens.shown.add({ id: "one", text });
  await settled();
  expect(tokens.shown.all).toEqual([{ id: "one", text: "new" }]);
});

test("a secret that arrives after its page was left is shown on return", async () => {
  using api = new ManualApi();
  const former = await show(api, "/left", []);
  const { add } = former.shown;
  former[Symbol.dispose]();
  await settled();
  add({ id: "late" });
  using tokens = mount(() => useOneTime<Secret>("/left", useResource<Secret[]>("/left")));
  await settled();
  expect(idsOf(tokens)).toEqual(["late"]);
});

test("a list without the secret removes it for good, unless the list is older or failed to load", async () => {
  using api = new ManualApi();
  using tokens = await show(api, "/gone", [{ id: "old" }]);
  void tokens.shown.list.reload();
  await settled();
  tokens.shown.add({ id: "new" });
  await api.respond("GET /gone", [{ id: "old" }]);
  expect(idsOf(tokens)).toEqual(["new"]);
  await api.respond("GET /gone", [{ id: "old" }, { id: "new" }]);

  const responses = [
    ["a failure", { detail: "service unavailable" }, 503, ["new"]],
    ["a list with it", [{ id: "new" }], 200, ["new"]],
    ["a list without it", [{ id: "old" }], 200, []],
    ["a later failure", { detail: "service unavailable" }, 503, []],
    ["a list with it again", [{ id: "new" }], 200, []],
  ] as const;
  for (const [what, body, status, shown] of responses) {
    void tokens.shown.list.reload();
    await settled();
    await api.respond("GET /gone", body, status);
    expect([what, ...idsOf(tokens)]).toEqual([what, ...shown]);
  }
});

test("a list that no longer exists removes its secrets for good", async () => {
  using api = new ManualApi();
  using tokens = await show(api, "/missing", []);
  tokens.shown.add({ id: "one" });
  await settled();
  await api.respond("GET /missing", [{ id: "one" }]);
  void tokens.shown.list.reload();
  await settled();
  await api.respond("GET /missing", { detail: "site does not exist" }, 404);
  expect(idsOf(tokens)).toEqual([]);
  void tokens.shown.list.reload();
  await settled();
  await api.respond("GET /missing", { detail: "service unavailable" }, 503);
  expect(idsOf(tokens)).toEqual([]);
});

test("what is forgotten of one site stays for a site whose name begins with its name", async () => {
  using api = new ManualApi();
  using blog = await show(api, "/site.blog.token", []);
  using other = await show(api, "/site.blog-2.token", []);
  for (const tokens of [blog, other]) tokens.shown.add({ id: "one" });
  forgetOneTime("/site.blog.");
  await settled();
  expect([idsOf(blog), idsOf(other)]).toEqual([[], ["one"]]);
});

test.each([
  ["does not lead to the sign-in page while a secret is shown", true],
  ["leads to the sign-in page once it is dismissed", false],
])("the end of the session %s", async (_, isShown) => {
  const visited: string[] = [];
  using api = new ManualApi();
  using _location = replaceGlobal("location", {
    pathname: "/dashboard/sites/blog/tokens",
    search: "?a=b",
    assign: (url: string) => visited.push(url),
  });
  using tokens = await show(api, `/ended/${isShown}`, []);
  tokens.shown.add({ id: "one" });
  await settled();
  await api.respond(`GET /ended/${isShown}`, [{ id: "one" }]);
  if (!isShown) tokens.shown.dismiss("one");
  void tokens.shown.list.reload();
  await settled();
  await api.respond(`GET /ended/${isShown}`, { detail: "authentication is required" }, 401);
  expect(visited).toEqual(isShown ? [] : ["/sign-in?return_to=%2Fdashboard%2Fsites%2Fblog%2Ftokens%3Fa%3Db"]);
  expect(idsOf(tokens)).toEqual(isShown ? ["one"] : []);
});
