import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const token = (await api.signUp("ada")).token;
const files = { "index.html": "hello", "a b/x.js": "1", "a b/y.js": "22", ".secret": "s", _redirects: "/a /b" };
await api.deploy(token, await zipOf(files), { site: "demo" });
afterAll(() => api[Symbol.asyncDispose]());

async function list(query = "", number = 1) {
  const response = await api.call("GET", `/sites/demo/deployments/${number}/files${query}`, { token });
  return [response.status, await response.json()] as const;
}

const url = (path: string) => `${api.siteUrl("1--demo")}/${path}`;
const script = (path: string, size: number) => ({
  path,
  size_bytes: size,
  file_count: 1,
  type: "text/javascript; charset=utf-8",
  url: url(path.replace(" ", "%20")),
});

test("the root has folders with their totals, and files with type and URL unless they are never served", async () => {
  const hidden = { file_count: 1, type: "application/octet-stream", url: null };
  expect(await list()).toEqual([
    200,
    {
      entries: [
        { path: ".secret", size_bytes: 1, ...hidden },
        { path: "_redirects", size_bytes: 5, ...hidden },
        { path: "a b/", size_bytes: 3, file_count: 2, type: null, url: null },
        {
          path: "index.html",
          size_bytes: 5,
          file_count: 1,
          type: "text/html; charset=utf-8",
          url: url("index.html"),
        },
      ],
      next: null,
    },
  ]);
});

test("a folder is listed in pages, with or without its slash", async () => {
  const first = { entries: [script("a b/x.js", 1)], next: "a b/x.js" };
  expect(await list("?folder=a%20b/&limit=1")).toEqual([200, first]);
  expect(await list("?folder=a%20b&limit=1")).toEqual([200, first]);
  expect(await list("?folder=a%20b/&limit=1&after=a%20b/x.js")).toEqual([
    200,
    { entries: [script("a b/y.js", 2)], next: null },
  ]);
});

test("a search finds files of all folders", async () => {
  expect(await list("?search=Y.J")).toEqual([200, { entries: [script("a b/y.js", 2)], next: null }]);
  expect(await list("?search=nothing")).toEqual([200, { entries: [], next: null }]);
});

test("a deployment that is not there has no files", async () => {
  expect(await list("", 9)).toEqual([404, { detail: "demo has no deployment 9" }]);
  expect((await list("?limit=501"))[0]).toBe(422);
});
