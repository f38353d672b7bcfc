import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

let api: TestApi;
let token: string;
let ownerId: number;
beforeAll(async () => {
  api = await openTestApi();
  const ada = await api.signUp("ada");
  token = ada.token;
  ownerId = ada.user.id;
  await addSite(api.store, "blog", ownerId, false);
  await addSite(api.store, "diary", ownerId, false);
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await setTags([]);
});

const setTags = (tags: unknown) => api.call("PUT", "/sites/blog/tags", { token, json: { tags } });

async function tagsOfSites(query = ""): Promise<Record<string, string[]>> {
  const response = await api.call("GET", `/sites${query}`, { token });
  const sites = (await response.json()) as { name: string; tags: string[] }[];
  return Object.fromEntries(sites.map(({ name, tags }) => [name, tags]));
}

test("tags are replaced as a whole, and each site has its own", async () => {
  await setTags(["old"]);
  const response = await setTags(["client", "docs"]);
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ name: "blog", tags: ["client", "docs"] }),
  ]);
  expect(await tagsOfSites()).toEqual({ blog: ["client", "docs"], diary: [] });
});

test("the list is filtered by tag on request", async () => {
  await setTags(["client"]);
  expect([await tagsOfSites("?tag=client"), await tagsOfSites("?tag=cli")]).toEqual([{ blog: ["client"] }, {}]);
});

test.each([
  [
    "a tag that is repeated, or composed in another way",
    ["b", "a", "b", "cafe\u0301", "caf\u00e9"],
    ["b", "a", "caf\u00e9"],
  ],
  ["30 characters, however they are stored", ["\u{1f3f7}".repeat(30)], ["\u{1f3f7}".repeat(30)]],
  ["spaces within, digits and signs", ["new site", "2026", "a/b,c"], ["new site", "2026", "a/b,c"]],
  ["ten of them", [..."0123456789"], [..."0123456789"]],
])("%s is stored", async (_, sent, tags) => {
  await setTags(sent);
  expect(await tagsOfSites()).toMatchObject({ blog: tags });
});

test.each<[string, unknown, (string | number)[]]>([
  ["eleven", [..."0123456789a"], ["body", "tags"]],
  ["an empty tag", ["a", ""], ["body", "tags", 1]],
  ["31 characters", ["x".repeat(31)], ["body", "tags", 0]],
  ["upper case", ["Client"], ["body", "tags", 0]],
  ["upper case beyond ASCII", ["\u00c9t\u00e9"], ["body", "tags", 0]],
  ["a space at an end", ["client "], ["body", "tags", 0]],
  ["a control character", ["a\tb"], ["body", "tags", 0]],
  ["a number", [7], ["body", "tags", 0]],
  ["a string", "client", ["body", "tags"]],
  ["null", null, ["body", "tags"]],
])("%s is 422 and changes nothing", async (_, sent, loc) => {
  await setTags(["kept"]);
  const response = await setTags(sent);
  expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: loc.map(String) }] }]);
  expect(await tagsOfSites()).toMatchObject({ blog: ["kept"] });
});

test("the owner of a frozen site cannot change its tags", async () => {
  const site = await api.store.sites.find("diary");
  await api.store.sites.setFrozen(site!.id, { at: 0, reason: null });
  const response = await api.call("PUT", "/sites/diary/tags", { token, json: { tags: ["x"] } });
  expect([response.status, (await api.store.sites.find("diary"))?.tags]).toEqual([403, []]);
});

test("a change of tags is in the site's activity", async () => {
  await setTags(["client"]);
  const response = await api.call("GET", "/audit?site=blog&limit=1", { token });
  expect(await response.json()).toMatchObject([{ summary: "Changed the tags" }]);
});
