import { expect, test } from "bun:test";
import { makeHttpPort } from "./http-port.ts";

const CERTIFIED = ["pages.test", "a.pages.test"];

function port(httpsPort = 443) {
  return makeHttpPort({
    respondToOwn: (path) => Promise.resolve(new Response(`own ${path}`)),
    isBase: (host) => host === "pages.test" || host === "uncertified.test",
    leadsToHttps: (host) => CERTIFIED.includes(host),
    httpsPort,
    maxUrlLength: 8192,
  });
}

function get(path: string, host: string | null, httpsPort?: number, method = "GET"): Promise<Response> {
  const headers = host === null ? {} : { Host: host };
  return port(httpsPort)(new Request(`http://ignored:1234${path}`, { method, headers }));
}

test.each([
  ["/", "pages.test", 443, "https://pages.test/"],
  ["/", "pages.test", 8443, "https://pages.test:8443/"],
  ["/a//b?c=%20&d", "A.pages.TEST.:8080", 443, "https://a.pages.test/a//b?c=%20&d"],
  ["/?next=//evil.test", "pages.test", 443, "https://pages.test/?next=//evil.test"],
  ["//evil.test/", "pages.test", 443, "https://pages.test//evil.test/"],
])("%s at %s with HTTPS on %i redirects to %s", async (path, host, httpsPort, location) => {
  const response = await get(path, host, httpsPort);
  expect(response.status).toBe(308);
  // A page may embed files of a public site that it names with http:.
  const policy = response.headers.get("cross-origin-resource-policy");
  expect(policy).toBe(host.startsWith("pages.") ? "same-origin" : null);
  expect(response.headers.get("location")).toBe(new URL(location).href);
});

test("a POST to a site is redirected without losing its method", async () => {
  expect((await get("/form", "a.pages.test", 443, "POST")).status).toBe(308);
});

test.each([
  ["POST", "pages.test", {}, "use https://pages.test:8443"],
  ["DELETE", "uncertified.test", {}, "use https://uncertified.test:8443"],
  ["GET", "pages.test", { Authorization: "Basic YTpi" }, "use https://pages.test:8443"],
  ["GET", "pages.test", { Authorization: "bearer vts_abc" }, "in the clear: revoke it and make another"],
] as const)("the API is never redirected: %s %s %j", async (method, host, headers, advice) => {
  const response = await port(8443)(
    new Request("http://ignored/sites", { method, headers: { ...headers, Host: host } }),
  );
  expect([response.status, response.headers.get("location")]).toEqual([403, null]);
  expect(((await response.json()) as { detail: string }).detail).toEndWith(advice);
});

test.each([["unknown.test"], ["pages.test.evil.test"], ["127.0.0.1"], ["localhost"]])("%s is 404", async (host) => {
  expect((await get("/", host)).status).toBe(404);
  expect((await get("/health", host)).status).toBe(404);
});

test.each([[null], [""], ["user@pages.test"], ["pages.test, evil.test"], ["pages.test\\evil"]])(
  "the Host %p is 400",
  async (host) => {
    expect((await get("/", host)).status).toBe(400);
  },
);

test("the server's own paths work on every host and are never redirected", async () => {
  for (const host of ["pages.test", "unknown.test"]) {
    const response = await get("/.well-known/acme-challenge/token?x=1", host);
    expect(await response.text()).toBe("own /.well-known/acme-challenge/token");
    expect(await (await get("/.well-known/acme-challenge/%zz", host)).text()).toStartWith("own ");
  }
});

test("a URL that is too long is 414", async () => {
  expect((await get(`/${"x".repeat(9000)}`, "pages.test")).status).toBe(414);
});
