import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import { parseHeaders } from "../domain/rules/headers-file.ts";
import { parseRedirects } from "../domain/rules/redirects-file.ts";
import { type Hosted, startHosted } from "./testing/hosted.ts";

// Tests everything in docs/rules.md. A new block or row there has no test, and fails.

const DOCUMENT = await Bun.file(`${import.meta.dir}/../../docs/rules.md`).text();

/** The text of a section without its subsections. */
function section(title: string): string {
  const start = DOCUMENT.indexOf(`# ${title}\n`);
  if (start === -1) throw new Error(`there is no section ${title}`);
  const end = DOCUMENT.slice(start + 1).search(/\n##+ /);
  return end === -1 ? DOCUMENT.slice(start) : DOCUMENT.slice(start, start + 1 + end);
}

function blocks(text: string): string[] {
  return text.split(/^```\n/m).filter((_, i) => i % 2 === 1);
}

function firstColumn(title: string): string[] {
  const rows = section(title).match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map((row) => row.split("|")[1]?.trim() ?? "");
}

const PAGES = { "index.html": "home", "404.html": "lost" };

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
});
afterAll(() => hosted?.[Symbol.dispose]());

let sites = 0;
/** Publishes a site with these files. Returns a function for its responses. */
async function publish(files: Record<string, string | Uint8Array>) {
  const name = `documented-${sites++}`;
  await hosted.publish(name, files);
  return (target: string, headers = {}, method = "GET") => hosted.get(`${name}.sites.test`, target, headers, method);
}

test("every block of the document is tested below", () => {
  const titles = ["Redirects and rewrites: `_redirects`", "Response headers: `_headers`", "Placeholders in values"];
  const counts = [...titles, "Files that are compressed already"].map((title) => blocks(section(title)).length);
  const cors = blocks(section("Fonts and JSON for other origins (CORS)")).length;
  expect([counts, cors, blocks(DOCUMENT).length]).toEqual([[1, 1, 1, 1], 2, 6]);
});

describe("how a URL finds its file", () => {
  const ASSET = "assets/app-4f2a91c3.js";
  /** For each row, URLs with the deciding step and the response. */
  const STEPS: Record<string, readonly (readonly [target: string, step: string, got: string])[]> = {
    "a forced rule of `_redirects`": [["/forced.js", "forced_rule", "301 /new"]],
    "the file of this name": [
      ["/app.js", "exact_file", "200 script"],
      ["/about.html", "exact_file", "200 about"],
    ],
    "a page under its clean URL": [
      ["/about", "clean_url", "200 about"],
      ["/docs/", "clean_url", "200 docs"],
    ],
    "a redirect to the clean URL": [
      ["/about/?a=1", "clean_url", "308 /about?a=1"],
      ["/docs", "clean_url", "308 /docs/"],
    ],
    "another rule of `_redirects`": [["/old?a=1", "rule", "301 /new?a=1"]],
    "a fingerprinted file of a deployment that was live within the grace period": [
      [`/${ASSET}`, "grace", "200 former"],
    ],
    "a file whose accented letters have another Unicode form": [["/caf%C3%A9.txt", "unicode_form", "200 menu"]],
    "a catch-all rewrite of `_redirects`": [
      ["/any", "rule", "200 all"],
      ["/any.js", "missing_asset", "404 <!doctype"],
    ],
    "the page of a single-page application": [
      ["/any", "single_page", "200 home"],
      ["/any.js", "not_found", "404 <!doctype"],
      ["/any.PHP", "not_found", "404 <!doctype"],
    ],
    "the nearest `404.html` or `404/index.html` up the tree": [
      ["/docs/missing", "not_found", "404 lost in docs"],
      ["/missing", "not_found", "404 lost"],
      ["/de/missing", "not_found", "404 verloren"],
      ["/.env", "not_found", "404 lost"],
    ],
  };

  const pages = { "index.html": "home", "about.html": "about", "docs/index.html": "docs", "app.js": "script" };
  const rules = "/forced.js /new 301!\n/old /new";
  const sites = {
    "documented-all": {
      ...pages,
      "forced.js": "x",
      "cafe\u0301.txt": "menu",
      "all.html": "all",
      _redirects: `${rules}\n/* /all 200`,
    },
    "documented-app": { ...pages },
    "documented-lost": {
      ...pages,
      ".env": "KEY=1",
      "404.html": "lost",
      "docs/404.html": "lost in docs",
      "de/404/index.html": "verloren",
    },
  };
  beforeAll(async () => {
    await hosted.publish("documented-all", { [ASSET]: "former" });
    for (const [name, files] of Object.entries(sites)) await hosted.publish(name, files);
  });

  test("every row is tested here", () => {
    expect(firstColumn("How a URL finds its file")).toEqual(Object.keys(STEPS));
  });

  test.each(Object.entries(STEPS))("%s", async (row, cases) => {
    const name = row.includes("single-page")
      ? "documented-app"
      : row.includes("404")
        ? "documented-lost"
        : "documented-all";
    for (const [target, step, got] of cases) {
      const response = await hosted.get(`${name}.sites.test`, target);
      const what = response.headers.get("location") ?? (await response.text());
      expect([target, `${response.status} ${what}`.slice(0, got.length)]).toEqual([target, got]);
      expect([target, (await hosted.explain(`https://${name}.sites.test${target}`))?.step as string]).toEqual([
        target,
        step,
      ]);
    }
  });
});

describe("the example of _redirects", () => {
  const [example = ""] = blocks(section("Redirects and rewrites: `_redirects`"));
  const files = { "index.html": "home", "new.html": "new", "app/index.html": "app", "gone.html": "gone" };

  test("has no warnings", () => {
    expect(parseRedirects(example, new Set(Object.keys(files))).warnings).toEqual([]);
  });

  test.each([
    ["/old", 301, "/new"],
    ["/blog/a/b", 302, "/posts/a/b"],
    ["/2024/x", 301, "/archive/x"],
    ["/2024/a%2Fb", 301, "/archive/a%2Fb"],
    ["/store?id=7", 301, "/products/7?id=7"],
    ["/app/x/y", 200, "app"],
    ["/gone", 410, "gone"],
    ["/moved", 308, "https://www.example.com/"],
  ])("%s: %d %s", async (target, status, expected) => {
    const ask = await publish({ ...files, _redirects: example });
    const response = await ask(target);
    expect([response.status, response.headers.get("location") ?? (await response.text())]).toEqual([status, expected]);
  });
});

describe("the examples of _headers", () => {
  const [first = ""] = blocks(section("Response headers: `_headers`"));
  const [filled = ""] = blocks(section("Placeholders in values"));
  const [compressed = ""] = blocks(section("Files that are compressed already"));

  test("have no warnings", () => {
    for (const example of [first, filled, compressed]) expect(parseHeaders(example).warnings).toEqual([]);
  });

  test("set, remove and continue as described", async () => {
    const files = { "assets/a.js": "a", "docs/start.html": "start", "docs/a/b.html": "b" };
    const ask = await publish({ ...PAGES, ...files, _headers: first });
    const page = (await ask("/docs/start")).headers;
    expect(page.get("x-frame-options")).toBe("DENY");
    expect(page.get("strict-transport-security")).toBe("max-age=31536000");
    expect(page.get("link")).toBe("</style.css>; rel=preload; as=style");
    const deeper = await ask("/docs/a/b");
    expect([deeper.status, deeper.headers.get("link")]).toEqual([200, null]);
    const asset = (await ask("/assets/a.js")).headers;
    expect([asset.get("cache-control"), asset.get("x-frame-options")]).toEqual(["public, max-age=31536000", null]);
  });

  test("fill in placeholders", async () => {
    const files = { "films/dune.html": "dune", "docs/install/linux.html": "linux" };
    const ask = await publish({ ...PAGES, ...files, _headers: filled });
    expect((await ask("/films/dune")).headers.get("x-film")).toBe("dune");
    expect((await ask("/docs/install/linux")).headers.get("link")).toBe(
      '<https://docs.example.com/install/linux>; rel="canonical"',
    );
    expect((await ask(`/films/A1-._~;"${"%C3%A9"}`)).headers.get("x-film")).toBe("A1-._~%3B%22%C3%A9");
    expect((await ask(`/films/${"a".repeat(1001)}`)).headers.get("x-film")).toBe("");
  });

  test("send compressed files unchanged", async () => {
    const files = { "game.wasm.br": brotliCompressSync("wasm"), "a.tar.gz": "tar", "data.json.gz": "json" };
    const ask = await publish({ ...PAGES, ...files, _headers: compressed });
    const fields = async (target: string) => {
      const { headers } = await ask(target, { "accept-encoding": "identity" });
      return [headers.get("content-encoding"), headers.get("content-type")];
    };
    expect(await fields("/game.wasm.br")).toEqual(["br", "application/wasm"]);
    expect(await fields("/data.json.gz")).toEqual(["gzip", "application/json"]);
    expect(await fields("/a.tar.gz")).toEqual([null, "application/gzip"]);
  });
});

describe("the limits of the document", () => {
  const many = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("\n");
  const redirects = (text: string) => parseRedirects(text).rules.length;
  const headers = (text: string) => parseHeaders(text).rules.length;
  const params = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`);

  /** For each row, what is accepted at the limit and above it. */
  const LIMITS: Record<string, () => unknown> = {
    "size of each file": () => {
      const file = (length: number) => `/${"a".repeat(length - "/ /b\n".length)} /b\n`.repeat(256);
      return [redirects(file(1024)) === 256, redirects(file(1025)) === 255];
    },
    "length of a line": () => [redirects(`/${"a".repeat(1996)} /b`) === 1, redirects(`/${"a".repeat(1997)} /b`) === 0],
    "rules of `_redirects` without `:name` and `*`": () => redirects(many(2001, (i) => `/${i} /b`)) === 2000,
    "rules of `_redirects` with them": () => redirects(many(501, (i) => `/${i}/* /b`)) === 500,
    "segments of a path with `:name` or `*`": () => [
      redirects(`${"/a".repeat(32)}/* /b`) === 1,
      redirects(`${"/a".repeat(33)}/* /b`) === 0,
      headers(`/:a${"/a".repeat(31)}\n  X-A: 1`) === 1,
      headers(`/:a${"/a".repeat(32)}\n  X-A: 1`) === 0,
    ],
    "query parameters that a rule requires": () => [
      redirects(`/a ${params(8).join(" ")} /b`) === 1,
      redirects(`/a ${params(9).join(" ")} /b`) === 0,
    ],
    "query parameters of a request that are compared": async () => {
      const ask = await publish({ ...PAGES, _redirects: "/a p99=1 /b\n/c p100=1 /b" });
      const query = params(101).join("&");
      return [(await ask(`/a?${query}`)).status === 301, (await ask(`/c?${query}`)).status === 404];
    },
    "placeholders in a target": () => [
      redirects(`/* ${"/:splat".repeat(20)}`) === 1,
      redirects(`/* ${"/:splat".repeat(21)}`) === 0,
    ],
    "blocks of `_headers`": () => headers(many(501, (i) => `/${i}\n  X-A: 1`)) === 500,
    "`*` in a path of `_headers`": () => [headers("/*a*b*c*\n X-A: 1") === 1, headers("/*a*b*c*d*\n X-A: 1") === 0],
    "blocks with several `*`": () => [
      headers(many(21, (i) => `/*/${i}/*\n  X-A: 1`)) === 20,
      headers(`/*${"a".repeat(50)}*\n  X-A: 1`) === 1,
      headers(`/*${"a".repeat(51)}*\n  X-A: 1`) === 0,
    ],
    "headers of one response": () => {
      const kept = (value: string) => parseHeaders(`/:x\n${many(200, () => `  X-A: ${value}`)}`).rules[0]?.set.length;
      return [kept("1") === Math.floor(16384 / 104), kept(":x") === Math.floor(16384 / 1105)];
    },
  };

  test("are all tested here", () => {
    expect(firstColumn("Limits")).toEqual(Object.keys(LIMITS));
  });

  test.each(Object.entries(LIMITS))("%s", async (_, check) => {
    expect([await check()].flat()).not.toContain(false);
  });
});

describe("the differences of the document", () => {
  /** Returns the target or the content: `301 /b`, `200 home`. */
  async function led(_redirects: string, target: string, files = {}): Promise<string> {
    const response = await (await publish({ ...PAGES, ...files, _redirects }))(target);
    return `${response.status} ${response.headers.get("location") ?? (await response.text())}`;
  }

  async function field(name: string, _headers: string, target: string, files = {}): Promise<string | null> {
    return (await (await publish({ ...PAGES, ...files, _headers }))(target)).headers.get(name);
  }

  /** Returns whether each text has one warning and no rule. */
  function leftOut(parse: typeof parseRedirects | typeof parseHeaders, ...texts: string[]): boolean {
    return texts.every((text) => {
      const { rules, warnings } = parse(text);
      return rules.length === 0 && warnings.length === 1;
    });
  }

  const NO_MATCH = "404 lost";
  const SAME: Record<string, () => unknown> = {
    "`/old/* /:splat` asked for `/old//host`": async () => [await led("/old/* /:splat", "/old//host"), "301 /host"],
    "`/a/*/b`: `*` before the end of a path": () => [leftOut(parseRedirects, "/a/*/b /x"), true],
    "`/f/:slug.html`": async () => [
      [await led("/f/:slug.html /x", "/f/anything"), await led("/f/:slug.html /x", "/f/:slug.html")],
      [NO_MATCH, "301 /x"],
    ],
  };

  const NETLIFY: Record<string, () => unknown> = {
    "`/café` in a rule": async () => [await led("/café /x", "/caf%C3%A9"), "301 /x"],
    "`/about/ /about` asked for `/about`": async () => [await led("/about/ /about", "/about"), NO_MATCH],
    "`/* /en/:splat` asked for `/english`": async () => [await led("/* /en/:splat", "/english"), "301 /en/english"],
    "`https://:t.example.com/` with `evil.test/` for `:t`": async () => [
      await led("/go t=:t https://:t.example.com/", "/go?t=evil.test/"),
      NO_MATCH,
    ],
    "`id=:id` asked with `id=1&id=2`": async () => [await led("/p id=:id /q/:id?", "/p?id=1&id=2"), "301 /q/1?"],
    "`id=:id` asked with `id=a+b`": async () => [await led("/p id=:id /q/:id?", "/p?id=a+b"), "301 /q/a%20b?"],
    "`q=` or `q=:q` asked with `?q=` or `?q`": async () => [
      await Promise.all(["q=", "q=:q"].flatMap((q) => ["?q=", "?q"].map((query) => led(`/p ${q} /x`, `/p${query}`)))),
      ["301 /x?q=", "301 /x?q", "301 /x?q=", "301 /x?q"],
    ],
    "`/a q /b`: a parameter without `=`": () => [leftOut(parseRedirects, "/a q /b"), true],
    "`/:a/:b` asked for `/x//y`": async () => [await led("/:a/:b /z", "/x//y"), NO_MATCH],
    "`Country=`, `Language=`, `Role=`, `Cookie=`": () => [
      leftOut(
        parseRedirects,
        ...["Country=de", "Language=de", "Role=a", "Cookie=a"].map((word) => `/a /b 302 ${word}`),
      ),
      true,
    ],
    "`/a /b 301 word`: other words after the status": () => [leftOut(parseRedirects, "/a /b 301 word"), true],
    "statuses 300, 304, 401, 403, 500 and others": () => [
      leftOut(parseRedirects, ...[300, 304, 401, 403, 500, 999].map((status) => `/a /b ${status}`)),
      true,
    ],
    "`https://old.example/* /:splat`: a host before the path": () => [
      leftOut(parseRedirects, "https://old.example/* /:splat"),
      true,
    ],
    "`/api/* https://api.example/:splat 200`": () => [
      leftOut(parseRedirects, "/api/* https://api.example/:splat 200"),
      true,
    ],
    "`includeSubDomains` and `preload` in `_headers`": () => {
      const { rules, warnings } = parseHeaders(
        "/*\n  Strict-Transport-Security: max-age=1; includeSubDomains; preload",
      );
      return [
        [rules[0]?.set, warnings.length],
        [[["strict-transport-security", "max-age=1"]], 1],
      ];
    },
    "`X-A: é` in `_headers`": () => [leftOut(parseHeaders, "/*\n  X-A: é"), true],
    "`X-A: :page` below `/:page` in `_headers`": async () => [await field("x-a", "/:page\n  X-A: :page", "/x"), "x"],
    "`Content-Encoding: br` below `/*.br` in `_headers`": async () => [
      await field("content-encoding", "/*.br\n  Content-Encoding: br", "/a.br", { "a.br": "a" }),
      "br",
    ],
    "`/* /index.html 200` asked for a missing `/app.js`": async () => [
      await led("/* /index.html 200", "/app.js"),
      NO_MATCH,
    ],
    "`max-age=9` below `/a/*` in `_headers`, for `/a/x` with `/a/* /index.html 200`": async () => [
      await field("cache-control", "/a/*\n  Cache-Control: max-age=9", "/a/x", { _redirects: "/a/* /index.html 200" }),
      "public, max-age=0, must-revalidate",
    ],
    "`X-A: 1` below `/*` in `_headers`, for a redirect": async () => [
      await field("x-a", "/*\n  X-A: 1", "/docs", { "docs/index.html": "docs" }),
      "1",
    ],
    "`ETag`, `Last-Modified`, `Clear-Site-Data`, `Service-Worker-Allowed` in `_headers`": () => [
      leftOut(
        parseHeaders,
        ...["ETag", "Last-Modified", "Clear-Site-Data", "Service-Worker-Allowed"].map((name) => `/*\n  ${name}: x`),
      ),
      true,
    ],
    "`Basic-Auth` in `_headers`": () => [leftOut(parseHeaders, "/*\n  Basic-Auth: me:secret"), true],
    ...SAME,
  };

  const CLOUDFLARE: Record<string, () => unknown> = {
    "`/a /b` without a status": async () => [await led("/a /b", "/a"), "301 /b"],
    "`/about /x` where `about.html` exists": async () => [
      [
        await led("/about /x", "/about", { "about.html": "about" }),
        await led("/about /x 301!", "/about", { "about.html": "about" }),
      ],
      ["200 about", "301 /x"],
    ],
    "`/a /b 301!`": async () => [await led("/a /b 301!", "/a", { "a.html": "a" }), "301 /b"],
    "`/:x /one` before `/a /two`": async () => [await led("/:x /one\n/a /two", "/a"), "301 /one"],
    "`/a /b` asked for `/a/`": async () => [await led("/a /b", "/a/"), "301 /b"],
    "`/blog/* /b` asked for `/blog`": async () => [await led("/blog/* /b", "/blog"), "301 /b"],
    "`/a id=1 /b`": async () => [
      [await led("/a id=1 /b", "/a"), await led("/a id=1 /b", "/a?id=1")],
      [NO_MATCH, "301 /b?id=1"],
    ],
    "`/a /b 404`, and 410 and 451": async () => [
      await Promise.all([404, 410, 451].map((status) => led(`/a /b ${status}`, "/a", { "b.html": "b" }))),
      ["404 b", "410 b", "451 b"],
    ],
    "`/* /index.html 200`": async () => [await led("/* /index.html 200", "/any"), "200 home"],
    "`https://a.example/*` in `_headers`": () => [parseHeaders("https://a.example/*\n  X-A: 1").warnings.length, 1],
    "`/*/img/*` in `_headers`": async () => [await field("x-a", "/*/img/*\n  X-A: 1", "/a/img/b"), "1"],
    "`Cache-Control` in two blocks that match": async () => [
      await field("cache-control", "/*\n  Cache-Control: max-age=1\n/a\n  Cache-Control: max-age=2", "/a", {
        "a.html": "a",
      }),
      "max-age=2",
    ],
    "`Link` for a page that has one by the server": async () => [
      await field("link", "/a.html\n  Link: </x>; rel=preload", "/a.html", { "a.html": "a" }),
      '</a>; rel="canonical", </x>; rel=preload',
    ],
    "`X-A: :page` asked for `/a;b`": async () => [await field("x-a", "/:page\n  X-A: :page", "/a;b"), "a%3Bb"],
    "`Cache-Control` for a redirect": async () => [
      await field("cache-control", "/*\n  Cache-Control: max-age=9", "/docs", { "docs/index.html": "docs" }),
      "public, max-age=0, must-revalidate",
    ],
    "`Set-Cookie`, `Location` and the others that are refused": () => [
      leftOut(parseHeaders, "/*\n  Set-Cookie: a=b", "/*\n  Location: /x"),
      true,
    ],
    "`Access-Control-Allow-Origin` without `_headers`": async () => [
      await field("access-control-allow-origin", "", "/"),
      null,
    ],
    ...SAME,
  };

  test("are all tested here", () => {
    expect(firstColumn("Differences from Netlify").toSorted()).toEqual(Object.keys(NETLIFY).toSorted());
    expect(firstColumn("Differences from Cloudflare Pages").toSorted()).toEqual(Object.keys(CLOUDFLARE).toSorted());
  });

  test.each(Object.entries({ ...NETLIFY, ...CLOUDFLARE }))("%s", async (_, check) => {
    const [received, expected] = (await check()) as [unknown, unknown];
    expect(received).toEqual(expected);
  });
});
