import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const ada = (await api.signUp("ada")).token;
const versions: [files: Record<string, string>, headers: Record<string, string>][] = [
  [{ "index.html": "1" }, {}],
  [{ "index.html": "1", "draft.html": "1" }, { "X-Service-Activate": "no" }],
  [{ "index.html": "3" }, {}],
  [{ "index.html": "3", "new.html": "4" }, { "X-Service-Alias": "pr-4" }],
];
for (const [files, headers] of versions) await api.deploy(ada, await zipOf(files), { site: "compared", headers });
afterAll(() => api[Symbol.asyncDispose]());

const get = async <T>(path: string) => (await (await api.call("GET", path, { token: ada })).json()) as T;

interface Listed {
  readonly deployment_number: number;
  readonly changes: { readonly compared_with: number | null; readonly added: number; readonly changed: number };
}

test("a preview is compared with the active deployment, others with the published one before", async () => {
  const expected: (number | null)[][] = [
    [4, 3, 1, 0],
    [3, 1, 0, 1],
    [2, 3, 1, 1],
    [1, null, 1, 0],
  ];
  const summaryOf = ({ deployment_number, changes: { compared_with, added, changed } }: Listed) => [
    deployment_number,
    compared_with,
    added,
    changed,
  ];
  const all = await get<Listed[]>("/sites/compared/deployments?include=changes");
  expect(all.map(summaryOf)).toEqual(expected);
  // A page that ends among previews does not contain the deployment to compare the last one with.
  const page = await get<Listed[]>("/sites/compared/deployments?include=changes&limit=1&before=4");
  expect(page.map(summaryOf)).toEqual([[3, 1, 0, 1]]);
  for (const [number, compared_with] of expected) {
    expect(await get(`/sites/compared/deployments/${number}/changes`)).toMatchObject({ compared_with });
  }
});

test("a deployment can be compared with any other", async () => {
  const changes = await get("/sites/compared/deployments/1/changes?with=4");
  expect(changes).toMatchObject({ compared_with: 4, changed: 1, removed: 1, unchanged: 0 });
  const missing = await api.call("GET", "/sites/compared/deployments/1/changes?with=9", { token: ada });
  expect(missing.status).toBe(404);
});

test("a site has the number of its active deployment, or null if nothing was published", async () => {
  const headers = { "X-Service-Activate": "no" };
  await api.deploy(ada, await zipOf({ "index.html": "1" }), { site: "unpublished", headers });
  const sites = await get<{ name: string; active_deployment: number | null }[]>("/sites");
  expect(Object.fromEntries(sites.map((site) => [site.name, site.active_deployment]))).toEqual({
    compared: 3,
    unpublished: null,
  });
  expect(await get("/sites/unpublished/deployments/1/changes")).toMatchObject({ compared_with: null, added: 1 });
});

test("the changes of a deployment with very many files need a separate request", async () => {
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, number) => [`${number}.txt`, "same"]));
  for (const files of [{ "0.txt": "same" }, many]) await api.deploy(ada, await zipOf(files), { site: "vast" });
  const [newest] = await get<Listed[]>("/sites/vast/deployments?include=changes");
  expect(newest?.changes).toBeNull();
  expect(await get<object>("/sites/vast/deployments/2/changes")).toMatchObject({ added: 10_000, unchanged: 1 });
});
