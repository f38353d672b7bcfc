import { describe, expect, test } from "bun:test";
import type { ProbeSeen } from "./observation.ts";
import { explain, isCachedError, isRedirectLoop, originFailure } from "./observation.ts";

const requested = { hostname: "www.example.org", path: "/.well-known/vitrine/x" };
const HTTPS = "https://www.example.org/.well-known/vitrine/x";
const HTTP = "http://www.example.org/.well-known/vitrine/x";

function answered(facts: Partial<Extract<ProbeSeen, { kind: "answered" }>> = {}): ProbeSeen {
  return {
    kind: "answered",
    address: "104.16.0.1",
    statusCode: 200,
    body: "",
    location: null,
    ray: null,
    cacheStatus: null,
    certificateError: null,
    certificateNamesHost: true,
    returned: false,
    ...facts,
  };
}
const redirect = (location: string, statusCode = 301) => answered({ statusCode, location });

describe("a redirect loop", () => {
  test.each([
    ["HTTPS to itself", redirect(HTTPS), null, true],
    ["HTTPS to itself, by path alone", redirect("/.well-known/vitrine/x", 307), null, true],
    ["HTTPS to itself, with a port", redirect(HTTPS.replace(".org/", ".org:8443/")), null, true],
    ["HTTPS to HTTP and back", redirect(HTTP), redirect(HTTPS), true],
    ["HTTPS to HTTP, which answers", redirect(HTTP), answered(), false],
    ["HTTPS to another path", redirect("https://www.example.org/"), null, false],
    ["HTTPS to another host", redirect("https://example.org/.well-known/vitrine/x"), null, false],
    ["a redirect that is no address", redirect("https://["), null, false],
    ["a response", answered(), redirect(HTTPS), false],
    ["silence", null, redirect(HTTPS), false],
  ] as const)("%s", (_, https, http, loop) => {
    expect(isRedirectLoop(requested, https, http)).toBe(loop);
  });
});

test.each([
  ["HIT", 404, false, true],
  ["stale", 500, false, true],
  ["HIT", 200, false, true],
  ["HIT", 200, true, false],
  ["MISS", 404, false, false],
  ["DYNAMIC", 404, false, false],
] as const)("%s with status %d, ours %p: cached error is %p", (cacheStatus, statusCode, returned, cached) => {
  expect(isCachedError(answered({ cacheStatus, statusCode, returned }))).toBe(cached);
});

test.each([
  [521, "refused"],
  [522, "timed out"],
  [525, "TLS session"],
  [526, "certificate"],
  [530, "cannot find the origin"],
  [502, "no response from the origin"],
  [504, "no response from the origin"],
])("an edge's status %d says something about the origin", (statusCode, words) => {
  expect(originFailure(answered({ statusCode }))).toContain(words);
});

test.each([404, 500, 403])("status %d says nothing about the origin", (statusCode) => {
  expect(originFailure(answered({ statusCode }))).toBeNull();
});

describe("each failure has its message", () => {
  test.each<[string, "http" | "https", ProbeSeen, string]>([
    ["refused", "http", { kind: "refused", address: "10.0.0.1", reason: "is private" }, "10.0.0.1 is private"],
    ["closed", "http", { kind: "connect", address: "9.9.9.9", reason: "connection refused" }, "Open the port"],
    ["slow", "http", { kind: "timeout", address: "9.9.9.9", reason: "nothing within 5 s" }, "did not respond in time"],
    ["no TLS", "https", { kind: "tls", address: "9.9.9.9", reason: "reset" }, "no TLS session"],
    ["no HTTP", "http", { kind: "malformed", address: "9.9.9.9", reason: "SSH" }, "no HTTP response"],
    ["a stranger", "http", answered({ statusCode: 200 }), "something else answers at 104.16.0.1 (status 200)"],
    ["a loop", "https", redirect(HTTPS), "redirect loop"],
    ["a redirect to HTTPS", "http", redirect(HTTPS), "redirects (301) to https://www.example.org"],
    ["a long redirect", "http", redirect(`https://x/${"y".repeat(500)}`), "…"],
    ["a cached error", "https", answered({ statusCode: 404, cacheStatus: "HIT" }), "purge the cache"],
    ["an edge without its origin", "https", answered({ statusCode: 521 }), "the origin refused its connection"],
  ])("%s", (_, scheme, probe, words) => {
    const sentence = explain(requested, scheme, probe);
    expect(sentence).toContain(words);
    expect(sentence).toStartWith(`${scheme}://www.example.org/.well-known/vitrine/x`);
  });

  test("the expected response is no failure", () => {
    expect(explain(requested, "https", answered({ returned: true }))).toBeNull();
  });
});
