import { afterAll, expect, test } from "bun:test";
import { unpackTar } from "modern-tar";
import type { VersionReport } from "../schemas/types.ts";
import { openTestApi, type TestApi } from "../testing/test-api.ts";

const api = await openTestApi({ "base-url": "https://pages.example.org" });
afterAll(() => api[Symbol.asyncDispose]());

async function packageOf({ call }: TestApi): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await call("GET", "/vitrine.tgz")).arrayBuffer());
}

async function versionOf({ call }: TestApi): Promise<VersionReport> {
  return (await (await call("GET", "/version")).json()) as VersionReport;
}

test("the npm package has one program, no dependencies and no scripts, and the server as its default", async () => {
  const archive = await packageOf(api);
  expect(archive.length).toBeLessThan(1_500_000);
  const entries = await unpackTar(Bun.gunzipSync(archive));
  const texts = new Map(entries.map(({ header, data }) => [header.name, new TextDecoder().decode(data)]));
  expect([...texts.keys()]).toEqual(["package/package.json", "package/vitrine.mjs", "package/LICENSE"]);
  const { version } = await versionOf(api);
  expect(JSON.parse(texts.get("package/package.json") ?? "")).toEqual({
    name: "vitrine",
    version,
    description: "Command-line client of https://pages.example.org",
    homepage: "https://pages.example.org",
    license: "MIT",
    bin: { vitrine: "vitrine.mjs" },
    engines: { node: ">=20" },
  });
  expect(texts.get("package/vitrine.mjs")).toStartWith("#!/usr/bin/env node\n");
  expect(texts.get("package/LICENSE")).toContain("\ncommander\n");
});

test("the npm package is what GET /version says, and every server with the same URL offers the same one", async () => {
  const { client } = await versionOf(api);
  const digest = new Bun.CryptoHasher("sha512").update(await packageOf(api)).digest("base64");
  expect(client).toEqual({
    npm: { url: "https://pages.example.org/vitrine.tgz", integrity: `sha512-${digest}` },
    executables: [],
  });
  await using same = await openTestApi({ "base-url": "https://pages.example.org" });
  await using other = await openTestApi({ "base-url": "https://other.example.org" });
  expect((await versionOf(same)).client).toEqual(client);
  expect((await versionOf(other)).client.npm?.integrity).not.toBe(client.npm?.integrity as string);
});

test("npm asks each time whether the package has changed, and an interrupted download can be continued", async () => {
  const whole = await api.call("GET", "/vitrine.tgz");
  const etag = whole.headers.get("etag") ?? "";
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "application/gzip",
    "cache-control": "no-cache",
    etag: expect.stringMatching(/^"[^"]+"$/),
  });
  expect((await api.call("GET", "/vitrine.tgz", { headers: { "if-none-match": etag } })).status).toBe(304);
  const rest = await api.call("GET", "/vitrine.tgz", { headers: { range: "bytes=1000-", "if-range": etag } });
  expect(rest.status).toBe(206);
  const head = await api.call("HEAD", "/vitrine.tgz", { headers: { range: "bytes=1000-" } });
  expect([head.status, head.headers.get("content-range")]).toEqual([200, null]);
  expect(await rest.bytes()).toEqual((await whole.bytes()).slice(1000));
});

test("a server without downloads offers nothing and says so", async () => {
  await using silent = await openTestApi({ downloads: "off" });
  for (const path of ["/vitrine.tgz", "/download/vitrine-linux-x64"]) {
    const response = await silent.call("GET", path);
    expect([response.status, await response.json()]).toEqual([404, { detail: `there is nothing at ${path}` }]);
  }
  expect((await versionOf(silent)).client).toEqual({ npm: null, executables: [] });
});
