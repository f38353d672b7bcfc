import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { DAY } from "../domain/timestamp.ts";
import { needing } from "../testing/needing.ts";
import { PLAIN, setBrand } from "./pages/brand.ts";
import { digestOf, type Hosted, startHosted } from "./testing/hosted.ts";

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
});
afterAll(() => hosted?.[Symbol.dispose]());

const DEMO = "demo.sites.test";

describe("a public site", () => {
  beforeAll(async () => {
    await hosted.publish("demo", {
      "index.html": "<h1>home</h1>",
      "about.html": "about",
      "docs/index.html": "docs",
      "assets/app-Aa1bB2cC.js": "let a;",
      "photo.png": "png",
      "404.html": "lost",
      _redirects: "/old /about 301\n/gone 410\n/app/* /about 200",
      _headers: "/*\n  X-Frame-Options: DENY\n/about\n  Link: </x>; rel=preload\n  ! X-Frame-Options\n  Vary: Origin",
    });
  });

  test("sends a file with its validators and security headers", async () => {
    const response = await hosted.get(DEMO);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("<h1>home</h1>");
    const headers = Object.fromEntries(response.headers);
    delete headers.date;
    expect(headers).toEqual({
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=0, must-revalidate",
      "content-length": "13",
      "content-type": "text/html; charset=utf-8",
      etag: `"${digestOf("<h1>home</h1>").slice(0, 32)}"`,
      "last-modified": "Fri, 20 Nov 2026 12:00:00 GMT",
      "referrer-policy": "strict-origin-when-cross-origin",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  });

  test("sends the same from memory, at the first request and later", async () => {
    const answer = async () => {
      const response = await hosted.get(DEMO, "/docs/");
      const headers = Object.fromEntries(response.headers);
      delete headers.date;
      return { headers, body: await response.text() };
    };
    const first = await answer();
    expect(first.headers.etag).toBe(`"${digestOf("docs").slice(0, 32)}"`);
    const others = await Promise.all(Array.from({ length: 40 }, answer));
    expect(others.filter((other) => !Bun.deepEquals(other, first))).toEqual([]);
  });

  test("responds without waiting once its deployment is cached", async () => {
    await hosted.publish("known", { "index.html": "home", "a.html": "a", "404.html": "lost", _redirects: "/old /a" });
    const waited = async (path: string) => [(await hosted.get("known.sites.test", path)).status, hosted.waited];
    expect(await waited("/")).toEqual([200, true]);
    expect(await waited("/")).toEqual([200, false]);
    expect(await waited("/old")).toEqual([301, false]);
    await waited("/nothing");
    expect(await waited("/nothing")).toEqual([404, false]);
    expect(await waited("/a/%zz")).toEqual([400, false]);
  });

  test("caches fingerprinted assets for a year, and sends the canonical URL of a page", async () => {
    const asset = await hosted.get(DEMO, "/assets/app-Aa1bB2cC.js");
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect((await hosted.get(DEMO, "/docs/index.html")).headers.get("link")).toBe('</docs/>; rel="canonical"');
  });

  test("sets and removes the fields in _headers, except required ones", async () => {
    const { headers } = await hosted.get(DEMO, "/about");
    expect(headers.get("x-frame-options")).toBeNull();
    expect(headers.get("link")).toBe("</x>; rel=preload");
    expect(headers.get("vary")).toBe("Accept-Encoding, Origin");
  });

  test.each([
    ["/about/?a=1", 308, "/about?a=1"],
    ["/docs", 308, "/docs/"],
    ["/old?x=%20y", 301, "/about?x=%20y"],
  ])("redirects %s", async (target, status, location) => {
    const response = await hosted.get(DEMO, target);
    expect(response.status).toBe(status);
    expect(response.headers.get("location")).toBe(location);
    expect(response.headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
  });

  test("sends Vary with a page of a single-page application, but not with a page of its own", async () => {
    await hosted.publish("single", { "index.html": "app", "about.html": "about", _headers: "/*\n  Vary: Origin" });
    const varyOf = async (path: string, headers = {}) =>
      (await hosted.get("single.sites.test", path, headers)).headers.get("vary");
    const { etag } = Object.fromEntries((await hosted.get("single.sites.test", "/users/7")).headers);
    const negotiated = "Accept-Encoding, Accept, Sec-Fetch-Dest, Origin";
    expect(await varyOf("/users/7")).toBe(negotiated);
    expect(await varyOf("/users/7", { "if-none-match": etag })).toBe(negotiated);
    expect(await varyOf("/")).toBe("Accept-Encoding, Origin");
    expect(await varyOf("/about")).toBe("Accept-Encoding, Origin");
  });

  test("rewrites once", async () => {
    const response = await hosted.get(DEMO, "/app/deep/link");
    expect([response.status, await response.text()]).toEqual([200, "about"]);
  });

  test("sends the nearest 404 page for a missing path, which is not cached", async () => {
    const response = await hosted.get(DEMO, "/assets/none.js", { range: "bytes=0-1", "if-none-match": "*" });
    expect([response.status, await response.text()]).toEqual([404, "lost"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("etag")).toBeNull();
  });

  test("sends a plain page for 410", async () => {
    const response = await hosted.get(DEMO, "/gone", { accept: "text/html" });
    expect(response.status).toBe(410);
    expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(await response.text()).toContain("<h1>Gone</h1>");
  });

  test("joins the canonical URL and the links of _headers in one field", async () => {
    await hosted.publish("linking", { "docs/index.html": "docs", _headers: "/docs/*\n  Link: </x>; rel=preload" });
    const linkOf = async (path: string) => (await hosted.get("linking.sites.test", path)).headers.get("link");
    expect(await linkOf("/docs/index.html")).toBe('</docs/>; rel="canonical", </x>; rel=preload');
    expect(await linkOf("/docs/")).toBe("</x>; rel=preload");
  });

  test("encodes the canonical URL", async () => {
    await hosted.publish("escaped", { "100%.html": "all", "näh?/index.html": "two" });
    const linkOf = async (path: string) => (await hosted.get("escaped.sites.test", path)).headers.get("link");
    expect(await linkOf("/100%25.html")).toBe('</100%25>; rel="canonical"');
    expect(await linkOf("/n%C3%A4h%3F/index.html")).toBe('</n%C3%A4h%3F/>; rel="canonical"');
  });

  test("sends the page of a single-page application for navigations, not for subresources", async () => {
    await hosted.publish("single", { "index.html": "app" });
    const status = async (headers: Record<string, string>) =>
      (await hosted.get("single.sites.test", "/users/7", headers)).status;
    expect(await status({ accept: "text/html" })).toBe(200);
    expect(await status({ accept: "application/json" })).toBe(404);
    expect(await status({ accept: "text/html", "sec-fetch-dest": "document" })).toBe(200);
    expect(await status({ accept: "text/html", "sec-fetch-dest": "script" })).toBe(404);
  });

  test("HEAD has the headers of GET and no body", async () => {
    const response = await hosted.get(DEMO, "/about", {}, "HEAD");
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "5", ""]);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])("%s is not allowed", async (method) => {
    const response = await hosted.get(DEMO, "/", {}, method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("OPTIONS lists the allowed methods", async () => {
    const response = await hosted.get(DEMO, "/", {}, "OPTIONS");
    expect([response.status, response.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test.each(["/%zz", "/%2e%2e%2fx", "/a%5cb", "/%00"])("%s is a bad request", async (target) => {
    expect((await hosted.get(DEMO, target)).status).toBe(400);
  });

  test("never serves the server's own paths from a site", async () => {
    const targets = ["/.well-known/acme-challenge/x", "/.well-known/vitrine/x", "/.well-known%2Fvitrine/x"];
    targets.push("/.vitrine/logo", "/%2Evitrine/logo?v=1");
    for (const target of [...targets, "/.well-known/acme-challenge/%zz", "/.well-known/vitrine/..%2fx"]) {
      const response = await hosted.get(DEMO, target);
      expect([response.status, await response.text()]).toEqual([404, "not found\n"]);
    }
  });
});

test("serves the operator's logo on every host, also of a private or missing site", async () => {
  await hosted.publish("guarded", { "index.html": "secret", ".vitrine/logo": "the site's" }, { makePrivate: true });
  setBrand({ ...PLAIN, logo: { type: "image/png", base64: btoa("image") } });
  for (const host of [DEMO, "guarded.sites.test", "nobody.sites.test", "elsewhere.test"]) {
    const response = await hosted.get(host, "/.vitrine/logo?v=1");
    expect([response.headers.get("content-type"), await response.text()]).toEqual(["image/png", "image"]);
  }
  setBrand(PLAIN);
});

describe("conditions and ranges", () => {
  const etag = `"${digestOf("<h1>home</h1>").slice(0, 32)}"`;

  const namesIn304 = async (host: string, headers: Record<string, string>) => {
    const response = await hosted.get(host, "/", headers);
    expect(response.status).toBe(304);
    return [...response.headers.keys()].filter((name) => name !== "date").sort();
  };

  test("a 304 repeats the required fields only", async () => {
    await hosted.publish("bare", { "index.html": "<h1>home</h1>" });
    expect(await namesIn304("bare.sites.test", { "if-none-match": etag })).toEqual([
      "cache-control",
      "etag",
      "last-modified",
      "vary",
    ]);
  });

  test("a 304 sends the fields of _headers, except those that describe the content", async () => {
    const _headers = `/*
  Content-Security-Policy: default-src 'self'
  Referrer-Policy: no-referrer
  Link: </x>; rel=preload
  ! X-Content-Type-Options
  Content-Type: text/plain
  Content-Language: de
  Content-Disposition: inline`;
    await hosted.publish("ruled", { "index.html": "<h1>home</h1>", _headers });
    const expected = [
      "cache-control",
      "content-security-policy",
      "etag",
      "last-modified",
      "link",
      "referrer-policy",
      "vary",
    ];
    expect(await namesIn304("ruled.sites.test", { "if-none-match": etag })).toEqual(expected);
    expect(await namesIn304("1--ruled.sites.test", { "if-none-match": etag })).toEqual([...expected, "x-robots-tag"]);
  });

  test.each<[Record<string, string>, number]>([
    [{ "if-modified-since": "Fri, 20 Nov 2026 12:00:00 GMT" }, 304],
    [{ "if-modified-since": "Fri, 20 Nov 2026 11:00:00 GMT" }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ "if-unmodified-since": "Fri, 20 Nov 2026 11:00:00 GMT" }, 412],
  ])("%j: %d", async (headers, status) => {
    expect((await hosted.get(DEMO, "/", headers)).status).toBe(status);
  });

  test.each<[Record<string, string>, number, string, string | null]>([
    [{ range: "bytes=1-2" }, 206, "h1", "bytes 1-2/13"],
    [{ range: "bytes=-5" }, 206, "</h1>".slice(-5), "bytes 8-12/13"],
    [{ range: "bytes=1-2", "if-range": etag }, 206, "h1", "bytes 1-2/13"],
    [{ range: "bytes=1-2", "if-range": '"other"' }, 200, "<h1>home</h1>", null],
    [{ range: "bytes=1-2", "if-range": "Fri, 20 Nov 2026 12:00:00 GMT" }, 200, "<h1>home</h1>", null],
    [{ range: "bytes=0-1,3-4" }, 200, "<h1>home</h1>", null],
    [{ range: "lines=1" }, 200, "<h1>home</h1>", null],
  ])("%j: %d %s", async (headers, status, body, contentRange) => {
    const response = await hosted.get(DEMO, "/", headers);
    expect([response.status, await response.text(), response.headers.get("content-range")]).toEqual([
      status,
      body,
      contentRange,
    ]);
  });

  test.each([8192, 8193])("of %d bytes in memory are the same, whole and in ranges", async (length) => {
    const text = "0123456789".repeat(1000).slice(0, length);
    const site = `kept-${length}`;
    await hosted.publish(site, { "a.txt": text });
    const parts = [
      ["bytes=0-", text],
      ["bytes=4090-4099", text.slice(4090, 4100)],
      ["bytes=-3", text.slice(-3)],
    ] as const;
    const answer = async (headers: Record<string, string>) => {
      const response = await hosted.get(`${site}.sites.test`, "/a.txt", headers);
      return [response.status, await response.text()];
    };
    for (let visit = 0; visit < 20; visit++) {
      expect(await answer({})).toEqual([200, text]);
      for (const [range, part] of parts) expect(await answer({ range })).toEqual([206, part]);
    }
  });

  test("a range beyond the end is 416 with the size", async () => {
    const response = await hosted.get(DEMO, "/", { range: "bytes=100-" });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */13"]);
  });

  test.each([
    ["bytes=-1", 200, null],
    ["bytes=0-", 416, "bytes */0"],
  ])("an empty file is answered to %s with %d", async (range, status, contentRange) => {
    await hosted.publish("empty", { "a.txt": "" });
    const response = await hosted.get("empty.sites.test", "/a.txt", { range });
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange]);
    if (status === 200) expect(await response.text()).toBe("");
  });
});

describe("a file that is read from disk", () => {
  const big = new Uint8Array(700_000).map((_, i) => (i * 7) % 251);
  beforeAll(() => hosted.publish("big", { "video.mp4": big, "404.html": "x".repeat(300_000) }));

  test.each<[Record<string, string>, number, number, number, string | null]>([
    [{}, 200, 0, 700_000, null],
    [{ range: "bytes=10-19" }, 206, 10, 20, "bytes 10-19/700000"],
    [{ range: "bytes=-10" }, 206, 699_990, 700_000, "bytes 699990-699999/700000"],
    [{ range: "bytes=10-19", "if-range": '"other"' }, 200, 0, 700_000, null],
    [{ range: "bytes=-10", "if-range": '"other"' }, 200, 0, 700_000, null],
    [{ range: "bytes=10-", "if-range": '"other"' }, 200, 0, 700_000, null],
    [{ range: "bytes=1-2,5-6" }, 200, 0, 700_000, null],
  ])("%j: %d", async (headers, status, start, end, contentRange) => {
    const response = await hosted.get("big.sites.test", "/video.mp4", headers);
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange]);
    expect(Buffer.from(await response.arrayBuffer()).equals(big.subarray(start, end))).toBe(true);
    expect(response.headers.get("content-length")).toBe(`${end - start}`);
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(response.headers.get("content-disposition")).toBe("inline");
  });

  test("has no content type if a rule removed it, like a small one, in any encoding", async () => {
    const text = "x".repeat(700_000);
    await hosted.publish("untyped", { "big.html": text, "small.html": "x", _headers: "/*\n  ! Content-Type" });
    await hosted.encode(text, { gzip: big.subarray(0, 300_000) });
    const requested = [{}, { range: "bytes=0-0" }, { range: "bytes=1-2,5-6" }, { "accept-encoding": "gzip" }];
    for (const target of ["/big.html", "/small.html"]) {
      for (const method of ["GET", "HEAD"]) {
        for (const headers of requested) {
          const answer = await hosted.get("untyped.sites.test", target, headers, method);
          expect(answer.headers.get("content-type")).toBe("application/octet-stream");
        }
      }
    }
  });

  test("is also used as a 404 page", async () => {
    const response = await hosted.get("big.sites.test", "/none", { range: "bytes=0-5" });
    expect([response.status, (await response.text()).length]).toEqual([404, 300_000]);
  });
});

describe("encodings", () => {
  const text = "<p>compressible</p>".repeat(100);
  const br = brotliCompressSync(text);
  beforeAll(async () => {
    await hosted.publish("coded", { "index.html": text });
    expect(
      (await hosted.get("coded.sites.test", "/", { "accept-encoding": "br" })).headers.get("content-encoding"),
    ).toBeNull();
    await hosted.encode(text, { br });
  });

  test("are sent as soon as they are recorded, each with its own ETag", async () => {
    const response = await hosted.get("coded.sites.test", "/", { "accept-encoding": "gzip, br" });
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(response.headers.get("etag")).toBe(`"${digestOf(br).slice(0, 32)}"`);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(response.headers.get("accept-ranges")).toBeNull();
    expect(brotliDecompressSync(await response.arrayBuffer()).toString()).toBe(text);
    const again = await hosted.get("coded.sites.test", "/", {
      "accept-encoding": "br",
      "if-none-match": response.headers.get("etag")!,
    });
    expect(again.status).toBe(304);
  });

  test("are not sent to clients that do not accept them, nor with a range", async () => {
    for (const headers of [{ "accept-encoding": "gzip" }, { "accept-encoding": "br;q=0" }]) {
      expect((await hosted.get("coded.sites.test", "/", headers)).headers.get("content-encoding")).toBeNull();
    }
    const part = await hosted.get("coded.sites.test", "/", { "accept-encoding": "br", range: "bytes=0-2" });
    expect([part.status, part.headers.get("content-encoding"), await part.text()]).toEqual([206, null, "<p>"]);
  });

  test.each<[string, "br" | "identity", Record<string, string>, number, "br" | "identity" | null]>([
    ["its own tag", "br", { "accept-encoding": "br", "if-match": "own" }, 200, "br"],
    ["another's tag", "identity", { "accept-encoding": "br", "if-match": "own" }, 412, null],
    [
      "another file's ETag in If-None-Match",
      "identity",
      { "accept-encoding": "br", "if-none-match": "own" },
      200,
      "br",
    ],
    ["its own ETag in If-None-Match", "br", { "accept-encoding": "br", "if-none-match": "own" }, 304, null],
    [
      "the content's tag and a range",
      "identity",
      { "accept-encoding": "br", range: "bytes=0-2", "if-range": "own" },
      206,
      null,
    ],
    ["its own tag and a range", "br", { "accept-encoding": "br", range: "bytes=0-2", "if-range": "own" }, 200, "br"],
  ])("are compared by %s", async (_, tagged, requested, status, sent) => {
    const tag = `"${digestOf(tagged === "br" ? br : text).slice(0, 32)}"`;
    const headers = Object.fromEntries(
      Object.entries(requested).map(([name, value]) => [name, value === "own" ? tag : value]),
    );
    for (const method of ["GET", "HEAD"]) {
      const isRange = method === "GET" || !("range" in requested);
      const response = await hosted.get("coded.sites.test", "/", headers, method);
      expect(response.status).toBe(isRange ? status : 200);
      if (sent !== null)
        expect(response.headers.get("content-length")).toBe(`${sent === "br" ? br.length : text.length}`);
    }
  });

  test("from different encoders have different ETags", async () => {
    const tags: (string | null)[] = [];
    for (const quality of [1, 11]) {
      const page = `<p>by quality ${quality}</p>`.repeat(99);
      const encoded = brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
      await hosted.publish("twice-coded", { "index.html": page });
      await hosted.encode(page, { br: encoded });
      const response = await hosted.get("twice-coded.sites.test", "/", { "accept-encoding": "br" });
      tags.push(response.headers.get("etag"));
      expect(tags.at(-1)).toBe(`"${digestOf(new Uint8Array(await response.arrayBuffer())).slice(0, 32)}"`);
    }
    expect(new Set(tags).size).toBe(2);
  });
});

describe("changes", () => {
  test("of one site keep the cached routes of others", async () => {
    for (const name of ["still", "busy"]) await hosted.publish(name, { "index.html": name });
    const waits = async (site: string) => {
      expect(await (await hosted.get(`${site}.sites.test`)).text()).toBe(site);
      return hosted.waited;
    };
    for (const site of ["still", "busy"]) await waits(site);
    expect([await waits("still"), await waits("busy")]).toEqual([false, false]);
    await hosted.publish("busy", { "index.html": "busy" });
    expect([await waits("still"), await waits("busy")]).toEqual([false, true]);
  });

  test("by deployment or activation are visible to the next request, and every deployment keeps its URL", async () => {
    await hosted.publish("moving", { "index.html": "one" });
    expect(await (await hosted.get("moving.sites.test")).text()).toBe("one");
    await hosted.publish("moving", { "index.html": "two" });
    expect(await (await hosted.get("moving.sites.test")).text()).toBe("two");
    const fixed = await hosted.get("1--moving.sites.test");
    expect([await fixed.text(), fixed.headers.get("x-robots-tag")]).toEqual(["one", "noindex"]);
    const options = await hosted.get("1--moving.sites.test", "/", {}, "OPTIONS");
    expect(options.headers.get("x-robots-tag")).toBe("noindex");
    const site = await hosted.store.sites.find("moving");
    await hosted.store.deployments.activate(site!.id, 1, hosted.now + 5000);
    const back = await hosted.get("moving.sites.test");
    expect([await back.text(), back.headers.get("last-modified")]).toEqual(["one", "Fri, 20 Nov 2026 12:00:05 GMT"]);
  });

  test("keep fingerprinted assets of a replaced deployment for seven days, on the live host", async () => {
    await hosted.publish("tabs", { "index.html": "1", "assets/a-Aa1bB2cC.js": "old", "plain.js": "old" });
    await hosted.publish("tabs", { "index.html": "2" });
    const asset = () => hosted.get("tabs.sites.test", "/assets/a-Aa1bB2cC.js");
    expect(await (await asset()).text()).toBe("old");
    expect((await hosted.get("tabs.sites.test", "/plain.js")).status).toBe(404);
    expect((await hosted.get("tabs.sites.test", "/assets/a-Aa1bB2cD.js")).status).toBe(404);
    expect((await hosted.get("2--tabs.sites.test", "/assets/a-Aa1bB2cC.js")).status).toBe(404);
    const now = hosted.now;
    hosted.now += 7 * DAY + 1;
    expect((await asset()).status).toBe(404);
    hosted.now = now;
  });
});

describe("hosts", () => {
  test.each(["none.sites.test", "0--demo.sites.test", "a.demo.sites.test", "other.test", "sites.test"])(
    "%s belongs to nobody",
    async (host) => {
      const response = await hosted.get(host, "/", { accept: "text/html" });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("Site not found");
    },
  );

  test("a missing deployment of a site gets a page that links to the site", async () => {
    const response = await hosted.get("9--demo.sites.test", "/about", { accept: "text/html" });
    expect([response.status, response.headers.get("x-robots-tag")]).toEqual([404, "noindex"]);
    const html = await response.text();
    expect(html).toContain("demo has no deployment 9.");
    expect(html).toContain('<a href="//demo.sites.test/">');
    const json = await hosted.get("9--demo.sites.test", "/", { accept: "application/json" });
    expect(await json.json()).toEqual({ detail: "deployment not found" });
  });

  test("a client that accepts JSON gets JSON", async () => {
    const response = await hosted.get("none.sites.test", "/", { accept: "application/json" });
    expect([response.status, await response.json()]).toEqual([404, { detail: "site not found" }]);
  });
});

describe("a private site", () => {
  beforeAll(() =>
    hosted.publish(
      "secret",
      { "index.html": "secret", _headers: "/*\n  Cache-Control: public" },
      { makePrivate: true },
    ),
  );

  test("reveals nothing to any request before the gate accepts the visitor", async () => {
    hosted.gate = () => new Response("kept out", { status: 404 });
    for (const [host, target, method] of [
      ["secret.sites.test", "/", "GET"],
      ["secret.sites.test", "/none", "GET"],
      ["secret.sites.test", "/%zz", "GET"],
      ["secret.sites.test", "/", "POST"],
      ["secret.sites.test", "/", "HEAD"],
      ["1--secret.sites.test", "/", "GET"],
    ] as const) {
      const response = await hosted.get(host, target, {}, method);
      expect([response.status, response.headers.get("etag")]).toEqual([404, null]);
      expect(response.headers.get("x-robots-tag")).toBe(host.startsWith("1--") ? "noindex" : null);
    }
  });

  test("does not reveal its number of deployments", async () => {
    hosted.gate = () => new Response("kept out", { status: 401 });
    expect((await hosted.get("99--secret.sites.test")).status).toBe(401);
    hosted.gate = () => null;
    const absent = await hosted.get("99--secret.sites.test");
    expect([absent.status, absent.headers.get("cross-origin-resource-policy")]).toEqual([404, "same-origin"]);
  });

  test("is never cached by shared caches or readable by other origins, whatever _headers says", async () => {
    hosted.gate = () => null;
    for (const [target, headers, status] of [
      ["/", {}, 200],
      ["/", { "if-none-match": "*" }, 304],
      ["/", { "if-match": '"x"' }, 412],
      ["/", { range: "bytes=0-1" }, 206],
      ["/", { range: "bytes=99-" }, 416],
      ["/none.js", {}, 404],
      ["/%zz", {}, 400],
    ] as const) {
      const response = await hosted.get("secret.sites.test", target, headers);
      expect(response.status).toBe(status);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
      expect(response.headers.get("vary")).toContain("Cookie");
      expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
    const options = await hosted.get("secret.sites.test", "/", {}, "OPTIONS");
    expect([options.status, options.headers.get("cache-control")]).toEqual([204, "private, no-store"]);
  });
});

describe("counted as views", () => {
  test("are pages, assets and missing paths, for GET only", async () => {
    await hosted.publish("seen", { "index.html": "home", "a.css": "css!!" });
    hosted.counted.length = 0;
    await hosted.get("seen.sites.test", "/");
    await hosted.get("seen.sites.test", "/", { "if-none-match": "*" });
    await hosted.get("seen.sites.test", "/", { "if-none-match": "*", range: "bytes=0-1" });
    await hosted.get("seen.sites.test", "/", {}, "HEAD");
    await hosted.get("seen.sites.test", "/a.css");
    await hosted.get("seen.sites.test", "/none.css?x=1");
    await hosted.get("seen.sites.test", "/a.css", { range: "bytes=0-1" });
    expect(hosted.counted.map(({ seen, path, bytes }) => `${seen} ${path} ${bytes}`)).toEqual([
      "page / 4",
      "page / 0",
      "page / 0",
      "asset /a.css 5",
      "missing /none.css 0",
      "asset /a.css 2",
    ]);
  });
});

describe("unreadable content", () => {
  const replaceContent = (bytes: string, instead: string) => {
    const file = hosted.contentPath(digestOf(bytes));
    rmSync(file);
    symlinkSync(instead, file);
    hosted.reported.length = 0;
  };

  needing("proc").test("is 503 with Retry-After if the disk fails", async () => {
    await hosted.publish("failing", { "index.html": "behind a bad sector" });
    // /proc/self/mem has nothing at its beginning, so that reading fails with EIO.
    replaceContent("behind a bad sector", "/proc/self/mem");
    const response = await hosted.get("failing.sites.test", "/");
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(hosted.reported).toEqual([expect.objectContaining({ code: "EIO" })]);
  });

  test("is 500 for an unexpected reason", async () => {
    await hosted.publish("unforeseen", { "index.html": "home", "a.html": "never read before" });
    await hosted.get("unforeseen.sites.test", "/");
    hosted.reported.length = 0;
    const reading = spyOn(hosted.content, "read").mockRejectedValue(new Error("unforeseen"));
    const response = await hosted.get("unforeseen.sites.test", "/a");
    reading.mockRestore();
    expect([response.status, response.headers.get("cache-control")]).toEqual([500, "no-store"]);
    expect(hosted.reported).toEqual([new Error("unforeseen")]);
  });

  test("is 500 if it is missing, and as private as the site", async () => {
    await hosted.publish("gone", { "index.html": "gone" }, { makePrivate: true });
    hosted.gate = () => null;
    replaceContent("gone", "missing");
    const response = await hosted.get("gone.sites.test", "/");
    expect([response.status, response.headers.get("retry-after")]).toEqual([500, null]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(hosted.reported).toEqual([expect.objectContaining({ code: "ENOENT" })]);
  });
});
