import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Hosted, startHosted } from "./testing/hosted.ts";

const SITE = "headed.sites.test";
const FILES = {
  "index.html": "home",
  "about.html": "about",
  "docs/index.html": "docs",
  _redirects: "/old /about 301\n/gone 410\n/fonts/latest.woff2 /fonts/7.woff2 302",
  _headers: `/*
  Access-Control-Allow-Origin: *
  Strict-Transport-Security: max-age=60
  X-Frame-Options: DENY
  Cache-Control: public, max-age=31536000
  Content-Type: text/x-none
  Content-Language: de
  Content-Security-Policy: default-src 'none'
  Vary: Origin
/docs
  X-Asked: docs
/:page
  X-Page: :page`,
};

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
  await hosted.publish("headed", { ...FILES, "404.html": "lost" });
  await hosted.publish("bare", FILES);
  await hosted.publish("hidden", FILES, { makePrivate: true });
  await hosted.publish("plain", { "index.html": "home" });
  hosted.gate = () => null;
});
afterAll(() => hosted?.[Symbol.dispose]());

function fieldsOf(response: Response, ...names: string[]): (string | null)[] {
  return names.map((name) => response.headers.get(name));
}

test.each([
  [{ range: "bytes=99-" }, 416],
  [{ "if-match": '"other"' }, 412],
] as const)("with %j other origins can read the %d as they can read the file", async (headers, status) => {
  const response = await hosted.get(SITE, "/about", headers);
  expect([response.status, ...fieldsOf(response, "access-control-allow-origin")]).toEqual([status, "*"]);
  const plain = await hosted.get("plain.sites.test", "/", headers);
  expect([plain.status, ...fieldsOf(plain, "access-control-allow-origin")]).toEqual([status, null]);
});

test("two lines of one block are joined, a later block replaces what is no list, and extends what is one", async () => {
  const _headers = `/*
  Cache-Control: public
  Cache-Control: max-age=60
  Link: </a.css>; rel=preload
/about
  Cache-Control: no-cache
  Link: </b.css>; rel=preload`;
  await hosted.publish("blocks", { ...FILES, _headers });
  const joined = await hosted.get("blocks.sites.test", "/");
  expect(joined.headers.get("cache-control")).toBe("public, max-age=60");
  const replaced = await hosted.get("blocks.sites.test", "/about");
  expect(fieldsOf(replaced, "cache-control", "link")).toEqual([
    "no-cache",
    "</a.css>; rel=preload, </b.css>; rel=preload",
  ]);
});

describe("fields for caches of a certain kind", () => {
  const names = ["cdn-cache-control", "cloudflare-cdn-cache-control", "surrogate-control", "expires"];
  const kept = { ...FILES, "404.html": "lost", _headers: `/*\n${names.map((name) => `  ${name}: 3600\n`).join("")}` };

  beforeAll(async () => {
    await hosted.publish("kept", kept);
    await hosted.publish("kept-hidden", kept, { makePrivate: true });
  });

  test.each([
    ["kept", "/about", 200, true],
    ["kept", "/missing.png", 404, false],
    ["kept", "/old", 301, false],
    ["kept", "/gone", 410, false],
    ["kept-hidden", "/about", 200, false],
    ["kept-hidden", "/missing.png", 404, false],
    ["kept-hidden", "/old", 301, false],
  ])("are sent only where the site may set Cache-Control: %s%s", async (site, target, status, areSent) => {
    const response = await hosted.get(`${site}.sites.test`, target);
    expect([response.status, ...fieldsOf(response, ...names)]).toEqual([
      status,
      ...names.map(() => (areSent ? "3600" : null)),
    ]);
  });
});

describe("redirects and OPTIONS", () => {
  test.each([
    ["a rule", "GET", "/old", 301, "/about"],
    ["a rule", "HEAD", "/fonts/latest.woff2", 302, "/fonts/7.woff2"],
    ["a clean URL", "GET", "/docs", 308, "/docs/"],
    ["a clean URL", "GET", "/about/", 308, "/about"],
    ["OPTIONS", "OPTIONS", "/docs", 204, null],
  ])("of %s have the fields of _headers: %s %s", async (_, method, target, status, location) => {
    const response = await hosted.get(SITE, target, {}, method);
    expect([response.status, ...fieldsOf(response, "location")]).toEqual([status, location]);
    expect(fieldsOf(response, "access-control-allow-origin", "strict-transport-security", "x-frame-options")).toEqual([
      "*",
      "max-age=60",
      "DENY",
    ]);
    expect(fieldsOf(response, "x-asked", "vary")).toEqual([target === "/docs" ? "docs" : null, "Origin"]);
    expect(fieldsOf(response, "content-type", "content-language")).toEqual([null, null]);
  });

  test("a redirect is not cached for longer than the deployment, whatever _headers says", async () => {
    for (const target of ["/old", "/docs"]) {
      expect(fieldsOf(await hosted.get(SITE, target), "cache-control")).toEqual(["public, max-age=0, must-revalidate"]);
    }
    expect(fieldsOf(await hosted.get(SITE, "/", {}, "OPTIONS"), "cache-control")).toEqual([null]);
  });

  test("a redirect and OPTIONS of a private site are not cached and cannot be read by other origins", async () => {
    for (const [target, method] of [
      ["/old", "GET"],
      ["/docs", "GET"],
      ["/docs", "OPTIONS"],
    ] as const) {
      const response = await hosted.get("hidden.sites.test", target, {}, method);
      expect(fieldsOf(response, "cache-control", "vary", "cross-origin-resource-policy")).toEqual([
        "private, no-store",
        "Cookie, Origin",
        "same-origin",
      ]);
    }
  });

  test("without _headers they have the server's fields", async () => {
    await hosted.publish("plain", { "docs/index.html": "docs" });
    const response = await hosted.get("plain.sites.test", "/docs");
    response.headers.delete("date");
    response.headers.delete("content-length");
    expect(Object.fromEntries(response.headers)).toEqual({
      location: "/docs/",
      "cache-control": "public, max-age=0, must-revalidate",
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-content-type-options": "nosniff",
    });
  });

  test("OPTIONS of an invalid path has none", async () => {
    const response = await hosted.get(SITE, "/%zz", {}, "OPTIONS");
    expect([response.status, ...fieldsOf(response, "x-frame-options")]).toEqual([204, null]);
  });

  test("OPTIONS works with a deployment that is not in memory yet", async () => {
    await hosted.publish("cold", FILES);
    const response = await hosted.get("cold.sites.test", "/", {}, "OPTIONS");
    expect([response.status, ...fieldsOf(response, "x-frame-options")]).toEqual([204, "DENY"]);
  });
});

describe("plain pages of the server", () => {
  test.each([
    ["bare.sites.test", "/missing.png", 404],
    ["bare.sites.test", "/gone", 410],
  ])("have the fields of _headers, except those that describe the page: %s%s", async (host, target, status) => {
    const response = await hosted.get(host, target);
    expect([response.status, ...fieldsOf(response, "x-frame-options", "access-control-allow-origin")]).toEqual([
      status,
      "DENY",
      "*",
    ]);
    expect(fieldsOf(response, "content-type", "cache-control", "vary")).toEqual([
      "text/html; charset=utf-8",
      "no-store",
      "Accept, Origin",
    ]);
    expect(response.headers.get("content-security-policy")).toContain("style-src");
  });
});

describe("placeholders in values", () => {
  test("are filled in for each URL, also for prepared responses", async () => {
    for (let i = 0; i < 3; i += 1) {
      expect(fieldsOf(await hosted.get(SITE, "/about"), "x-page")).toEqual(["about"]);
      expect(fieldsOf(await hosted.get(SITE, "/about.html"), "x-page")).toEqual(["about.html"]);
      expect(fieldsOf(await hosted.get(SITE, "/a;b%0Ac"), "x-page")).toEqual([null]);
      expect(fieldsOf(await hosted.get(SITE, `/a;b"%C3%A9`), "x-page")).toEqual(["a%3Bb%22%C3%A9"]);
    }
  });
});

describe("files that are already compressed", () => {
  const script = "let game = 1;\n".repeat(200);
  const br = brotliCompressSync(script);
  const GAME = "game.sites.test";
  beforeAll(async () => {
    await hosted.publish("game", {
      "index.html": "home",
      "404.html": "lost",
      "build/game.js.br": br,
      "build/game.wasm.br": br,
      "build/data.json.gz": gzipSync(script),
      "build/map.svgz": gzipSync("<svg/>"),
      "build/other.br": br,
      "build/download.tar.gz": gzipSync(script),
      _redirects: "/as/page.br /index.html 200",
      _headers: `/*.br
  Content-Encoding: br
/build/other.br
  Content-Encoding: br
  Content-Encoding: br
  Content-Type: text/plain
/*.gz
  Content-Encoding: gzip
/*.svgz
  Content-Encoding: gzip
/*.tar.gz
  ! Content-Encoding`,
    });
  });

  test.each([
    ["/build/game.js.br", "br", "text/javascript; charset=utf-8"],
    ["/build/game.wasm.br", "br", "application/wasm"],
    ["/build/data.json.gz", "gzip", "application/json"],
    ["/build/map.svgz", "gzip", "image/svg+xml"],
    ["/build/other.br", "br", "text/plain"],
    ["/build/download.tar.gz", null, "application/gzip"],
  ])("%s is sent as %s of %s", async (target, coding, type) => {
    const response = await hosted.get(GAME, target, { "accept-encoding": "gzip, br, zstd" });
    expect(fieldsOf(response, "content-encoding", "content-type", "vary", "accept-ranges")).toEqual([
      coding,
      type,
      "Accept-Encoding",
      "bytes",
    ]);
  });

  test("are sent unchanged, whatever the client accepts, also in ranges", async () => {
    for (const accepted of ["identity", "gzip", "br"]) {
      const response = await hosted.get(GAME, "/build/game.js.br", { "accept-encoding": accepted });
      expect([response.headers.get("content-encoding"), Buffer.from(await response.bytes())]).toEqual(["br", br]);
    }
    const part = await hosted.get(GAME, "/build/game.js.br", { range: "bytes=2-5" });
    expect([part.status, ...fieldsOf(part, "content-encoding", "content-range")]).toEqual([
      206,
      "br",
      `bytes 2-5/${br.length}`,
    ]);
    expect(Buffer.from(await part.bytes())).toEqual(br.subarray(2, 6));
  });

  test("are not compressed a second time, even if that was tried", async () => {
    const stored = new TextEncoder().encode("x".repeat(1000));
    await hosted.publish("twice", { "index.html": "home", "a.br": stored, _headers: "/a.br\n  Content-Encoding: br" });
    await hosted.encode(stored, { gzip: gzipSync(stored) });
    const response = await hosted.get("twice.sites.test", "/a.br", { "accept-encoding": "gzip" });
    expect([response.headers.get("content-encoding"), (await response.bytes()).length]).toEqual(["br", 1000]);
  });

  test("have no Content-Encoding in a 304", async () => {
    const response = await hosted.get(GAME, "/build/game.js.br", { "if-none-match": "*" });
    expect([response.status, ...fieldsOf(response, "content-encoding")]).toEqual([304, null]);
  });

  test.each([
    ["/build/missing.br", 404],
    ["/as/page.br", 200],
  ])("do not give their encoding to a page that is shown at %s", async (target, status) => {
    const response = await hosted.get(GAME, target);
    expect([response.status, ...fieldsOf(response, "content-encoding", "content-type")]).toEqual([
      status,
      null,
      "text/html; charset=utf-8",
    ]);
  });

  test("are not replaced by the page of a single-page application if missing", async () => {
    expect((await hosted.get("twice.sites.test", "/build/missing.wasm.br")).status).toBe(404);
    expect((await hosted.get("twice.sites.test", "/users/jane@example.com.br")).status).toBe(200);
  });
});
