import { beforeAll, expect, test } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { serverStories } from "./testing/stories.ts";

const { vitrine, ada } = await serverStories();

beforeAll(async () => {
  const files = {
    "index.html": "home",
    "docs/index.html": "docs",
    "404.html": "lost",
    "big.bin": "0123456789".repeat(50_000),
    _redirects: "/gone 410\n/away https://elsewhere.example/ 302",
  };
  await vitrine.deploy(ada, await zipOf(files), { site: "shown" });
});

/** The response without its date, which must exist, and without its body. */
async function said(response: Promise<Response>): Promise<unknown> {
  const { status, headers } = await response;
  const fields = Object.fromEntries(headers);
  const age = Date.now() - Date.parse(fields.date ?? "");
  delete fields.date;
  return { status, fields, isDated: age > -2000 && age < 60_000 };
}

test.each([
  ["/", 200],
  ["/docs", 308],
  ["/docs/index.html", 200],
  ["/none", 404],
  ["/gone", 410],
  ["/away", 302],
  ["/%zz", 400],
  ["/big.bin", 200],
  ["/.well-known/acme-challenge/none", 404],
])("HEAD of %s has the headers of GET and the status %s", async (path, status) => {
  const visit = (method: string) => said(vitrine.visit("shown", path, { method, redirect: "manual" }));
  const get = await visit("GET");
  expect(get).toMatchObject({ status, isDated: true });
  expect(await visit("HEAD")).toEqual(get);
});

test.each(["/health", "/openapi.json", "/sites", "/none"])(
  "HEAD of the API's %s has the headers of GET",
  async (path) => {
    const call = (method: string) => said(vitrine.call(method, path, { token: ada }));
    const get = await call("GET");
    expect(get).toMatchObject({ isDated: true });
    expect(await call("HEAD")).toEqual(get);
  },
);
