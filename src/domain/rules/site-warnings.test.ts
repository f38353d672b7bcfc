import { describe, expect, test } from "bun:test";
import { parseHeaders } from "./headers-file.ts";
import { parseRedirects } from "./redirects-file.ts";
import { warnAboutSite } from "./site-warnings.ts";

/** Returns the warnings for a site with these files, each with file and line. */
function warningsOf(files: string, { redirects = "", headers = "" } = {}): string[] {
  const rules = { redirects: parseRedirects(redirects).rules, headers: parseHeaders(headers).rules };
  const warnings = warnAboutSite(new Set(files.split(" ")), rules);
  return warnings.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

describe("a missing index page", () => {
  const MISSING = "index.html:0 there is no index.html at the top, so the site's URL shows a 404 page";
  test.each([
    ["about.html 404.html", "", [MISSING]],
    ["dist/index.html dist/app.js", "", [`${MISSING}. If dist/index.html is the start page, deploy its folder`]],
    ["a/b/index.html c/index.html", "", [`${MISSING}. If c/index.html is the start page, deploy its folder`]],
    ["index.htm 404.html", "", []],
    ["old/index.htm 404.html", "", [`${MISSING}. If old/index.htm is the start page, deploy its folder`]],
    ["about.html app.js", "/ /about 302", []],
    ["about.html app.js", "/* /about 200", []],
    ["about.html app.js", "/x /about 200", [MISSING]],
    ["200.html app.js", "", []],
    ["report.pdf", "", []],
  ])("of %s with %j", (files, redirects, expected) => {
    expect(warningsOf(files, { redirects })).toEqual(expected);
  });
});

describe("a missing page for unknown paths", () => {
  const MISSING = [
    "404.html:0 without a 404.html, wrong URLs show the start page (200): add one, or name the app's page 200.html",
  ];
  test.each([
    ["index.html app.js", "", MISSING],
    ["index.html about.html", "/old /about", MISSING],
    ["index.html about.html", "/* a=1 /about", MISSING],
    ["index.html docs/404.html", "", MISSING],
    ["index.html 404.html", "", []],
    ["index.html 404/index.html", "", []],
    ["index.html 200.html", "", []],
    ["index.html app.js", "/* /index.html 200", []],
    ["index.html app.js", "/* / 302", []],
    ["index.html", "", []],
  ])("of %s with %j", (files, redirects, expected) => {
    expect(warningsOf(files, { redirects })).toEqual(expected as string[]);
  });
});

describe("long caching where a rewrite shows a page", () => {
  const files = "index.html 404.html app/index.html";
  const long = "Cache-Control: public, max-age=31536000, immutable";
  const borrowed = (line: number, page: string) => [
    expect.stringMatching(
      new RegExp(`^_headers:1 .* line ${line} of _redirects shows ${page} where no file is: .* without this caching`),
    ),
  ];
  const own = [expect.stringContaining("_headers:1 lets caches keep index.html for a day or longer wherever line 1")];
  test.each([
    ["/* /index.html 200", `/static/*\n  ${long}`, borrowed(1, "index.html")],
    ["/* / 200", `/*.js\n  ${long}`, borrowed(1, "index.html")],
    ["/* /index.html 200!", `/static/:file\n  Cache-Control: s-maxage=86400`, borrowed(1, "index.html")],
    ["\n/app/* /app 200", `/app/static/*\n  CDN-Cache-Control: max-age=86400`, borrowed(2, "app/index.html")],
    ["/:lang/* /:lang/index.html 200", `/static/*\n  ${long}`, borrowed(1, ":lang/index.html")],
    ["/* /index.html 200", `/*\n  ${long}`, own],
    ["/* /index.html 200", "/static/*\n  Cache-Control: max-age=86399", []],
    ["/* /index.html 200", `/static/app\n  ${long}`, []],
    ["/app/* /app 200", `/static/*\n  ${long}`, []],
    ["/app /app/index.html 200", `/app*\n  ${long}`, []],
    ["/* /index.html 302", `/static/*\n  ${long}`, []],
    ["/* /:splat 200", `/static/*\n  ${long}`, []],
    ["", `/static/*\n  ${long}`, []],
  ])("of %j and %j", (redirects, headers, expected) => {
    expect(warningsOf(files, { redirects, headers })).toEqual(expected as string[]);
  });

  test("the first ten are reported", () => {
    const headers = Array.from({ length: 11 }, (_, i) => `/${i}/*\n  ${long}`).join("\n");
    expect(warningsOf(files, { redirects: "/* /index.html 200", headers })).toHaveLength(10);
  });
});

describe("files that are already compressed", () => {
  const game = "index.html 404.html build/game.wasm.br build/game.js.br";
  const WARNING =
    "build/game.wasm.br:0 is compressed, and browsers are not told so: write the path /*.br with Content-Encoding: br into _headers";
  test.each([
    [game, "", [WARNING]],
    [game, "/*\n  Content-Encoding: br", [WARNING]],
    [game, "/build/*.js.br\n  Content-Encoding: br", [WARNING]],
    [game, "/*.br\n  Content-Encoding: br\n/*.wasm.br\n  ! Content-Encoding", [WARNING]],
    [game, "/*.br\n  Content-Encoding: br", []],
    [`${game} build/game.wasm build/game.js`, "", []],
    ["index.html 404.html data.csv.gz site.tar.gz", "", []],
    ["index.html 404.html map.svgz", "", [expect.stringContaining("map.svgz:0 is compressed")]],
  ])("of %s with %j", (files, headers, expected) => {
    expect(warningsOf(files, { headers })).toEqual(expected as string[]);
  });

  test("the first thousand are checked", () => {
    const packed = (count: number) => Array.from({ length: count }, (_, i) => `packed/${i}.js.br`).join(" ");
    const headers = "/packed/*.br\n  Content-Encoding: br";
    expect(warningsOf(`404.html index.html ${packed(999)} x.js.br`, { headers })).toHaveLength(1);
    expect(warningsOf(`404.html index.html ${packed(1000)} x.js.br`, { headers })).toEqual([]);
  });
});
