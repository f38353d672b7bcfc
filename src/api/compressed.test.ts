import { afterAll, expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { addSite } from "../storage/contract/people.ts";
import { compressed } from "./compressed.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const ada = await api.signUp("ada");
const token = ada.token;
for (let number = 0; number < 20; number++) await addSite(api.store, `site-${number}`, ada.user.id, false);
afterAll(() => api[Symbol.asyncDispose]());

const get = (path: string, accepted: string) =>
  api.call("GET", path, { token, headers: { "Accept-Encoding": accepted } });

test.each([
  ["gzip, deflate", "gzip", gunzipSync],
  ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
  ["zstd;q=0.5, gzip", "gzip", gunzipSync],
] as const)("a list is compressed for a client that accepts %s", async (accepted, encoding, decode) => {
  const plain = await (await get("/sites", "identity")).text();
  const response = await get("/sites", accepted);
  const bytes = await response.bytes();
  expect(response.headers.get("content-encoding")).toBe(encoding);
  expect(response.headers.get("vary")).toBe("Accept-Encoding");
  expect(bytes.length).toBeLessThan(plain.length / 4);
  expect(decode(bytes).toString()).toBe(plain);
});

test.each([
  ["for a client that accepts none", "/sites", "identity"],
  ["that is short", "/auth/me", "gzip"],
])("a response %s is not compressed, and caches learn that it might be", async (_, path, accepted) => {
  const { headers } = await get(path, accepted);
  expect([headers.get("content-encoding"), headers.get("vary")]).toEqual([null, "Accept-Encoding"]);
});

test.each([
  [1023, null],
  [1024, "gzip"],
])("a body of %d bytes has the encoding %p", async (length, encoding) => {
  const body = JSON.stringify("x".repeat(length - 2));
  const request = new Request("http://localhost/", { headers: { "Accept-Encoding": "gzip" } });
  const { headers } = await compressed(request, new Response(body, { headers: json }));
  expect([body.length, headers.get("content-encoding")]).toEqual([length, encoding]);
});

const LONG = JSON.stringify("x".repeat(5000));
const json = { "Content-Type": "application/json" };

test.each([
  ["a response to a change, which may hold a new secret", "POST", new Response(LONG, { headers: json })],
  ["an error", "GET", new Response(LONG, { status: 404, headers: json })],
  ["an event stream", "GET", new Response(LONG, { headers: { "Content-Type": "text/event-stream" } })],
  ["what was negotiated before", "GET", new Response(LONG, { headers: { ...json, Vary: "Accept-Encoding" } })],
])("%s stays as it is", async (_, method, response) => {
  const request = new Request("http://vitrine.test/", { method, headers: { "Accept-Encoding": "gzip" } });
  expect(await compressed(request, response)).toBe(response);
});
