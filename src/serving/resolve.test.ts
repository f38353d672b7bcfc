import { describe, expect, test } from "bun:test";
import { decodePath } from "../domain/request-target.ts";
import { parseRedirects } from "../domain/rules/redirects-file.ts";
import { type CompiledManifest, compileManifest, compileWholeManifest } from "./deployments.ts";
import { mayBeFormer, type RequestFacts, type Resolution, resolve } from "./resolve.ts";

function site(files: string, redirects = ""): CompiledManifest {
  return compileWholeManifest({
    files: files.split(" ").map((path) => ({ path, digest: "0".repeat(64), size: 1 })),
    redirects: parseRedirects(redirects).rules,
    headers: [],
  });
}

function ask(target: string, facts: Partial<RequestFacts> = {}): RequestFacts {
  const [path = "", query] = target.split(/(?=\?)/);
  return {
    path,
    decodedPath: decodePath(path),
    query: query ?? "",
    accept: "text/html,*/*;q=0.8",
    secFetchDest: null,
    ...facts,
  };
}

/** Formats a resolution as one line: step, status, target. */
function format(response: Resolution): string {
  const what =
    response.kind === "file" ? response.file.path : response.kind === "redirect" ? response.location : "plain";
  const canonical = response.kind === "file" && response.canonical !== null ? ` canonical ${response.canonical}` : "";
  return `${response.step}${response.rule === null ? "" : `:${response.rule.line}`} ${response.status} ${what}${canonical}`;
}

const SITE = site(
  "index.html about.html docs/index.html both.html both/index.html bare bare.html app.js café.html old/index.htm two/index.htm two/index.html 404.html docs/404.html _headers .env a/.git/x .well-known/security.txt",
);

describe("without rules", () => {
  test.each([
    ["/", "clean_url 200 index.html"],
    ["/app.js", "exact_file 200 app.js"],
    ["/about", "clean_url 200 about.html"],
    ["/about/?a=1", "clean_url 308 /about?a=1"],
    ["/about.html", "exact_file 200 about.html canonical /about"],
    ["/docs?a=1&b=%20", "clean_url 308 /docs/?a=1&b=%20"],
    ["/docs/", "clean_url 200 docs/index.html"],
    ["/docs/index.html", "exact_file 200 docs/index.html canonical /docs/"],
    ["/docs/index", "clean_url 200 docs/index.html canonical /docs/"],
    ["/index.html", "exact_file 200 index.html canonical /"],
    ["/old", "clean_url 308 /old/"],
    ["/old/", "clean_url 200 old/index.htm"],
    ["/old/index.htm", "exact_file 200 old/index.htm canonical /old/"],
    ["/two/", "clean_url 200 two/index.html"],
    ["/two/index.htm", "exact_file 200 two/index.htm"],
    ["/bare.html", "exact_file 200 bare.html"],
    ["/bare", "exact_file 200 bare"],
    ["/bare/", "not_found 404 404.html"],
    ["/both", "clean_url 200 both.html"],
    ["/both/", "clean_url 200 both/index.html"],
    ["/caf%C3%A9/", "clean_url 308 /caf%C3%A9"],
    ["/caf%c3%a9", "clean_url 200 café.html"],
    ["/%61bout", "clean_url 200 about.html"],
    ["/.well-known/security.txt", "exact_file 200 .well-known/security.txt"],
    ["/none", "not_found 404 404.html"],
    ["/docs/deep/er/none", "not_found 404 docs/404.html"],
    ["/About", "not_found 404 404.html"],
    ["/_headers", "not_found 404 404.html"],
    ["/.env", "not_found 404 404.html"],
    ["/a/.git/x", "not_found 404 404.html"],
    ["/__proto__", "not_found 404 404.html"],
    ["/constructor", "not_found 404 404.html"],
    ["//docs", "not_found 404 404.html"],
    ["//evil.example/..", "bad_path 400 plain"],
    ["/%2e%2e%2fapp.js", "bad_path 400 plain"],
    ["/%00", "bad_path 400 plain"],
    ["/%zz", "bad_path 400 plain"],
    ["/a%5Cb", "bad_path 400 plain"],
  ])("%s is %s", (target, expected) => {
    expect(format(resolve(SITE, ask(target)))).toBe(expected);
  });

  test("the 404 page for a path of thousands of folders is found quickly", () => {
    // Searching in each of them would take half a minute.
    expect(format(resolve(SITE, ask(`/docs/${"a/".repeat(200_000)}`)))).toBe("not_found 404 docs/404.html");
  });

  test("an empty site responds with a plain page", () => {
    expect(format(resolve(site("x.png"), ask("/")))).toBe("not_found 404 plain");
  });
});

describe("rules", () => {
  const files = "index.html about.html docs/index.html 404.html gone.html";
  test.each([
    ["/about /x 301!", "/about", "forced_rule:1 301 /x"],
    ["/about /x 301", "/about", "clean_url 200 about.html"],
    ["/old /about", "/old?x=1", "rule:1 301 /about?x=1"],
    ["\n/app/* /about 200", "/app/x/y", "rule:2 200 about.html"],
    ["/app/* /docs 200", "/app/x", "rule:1 200 docs/index.html"],
    ["/app/* /about/ 200", "/app/x", "rule:1 200 about.html"],
    ["/x /gone.html 410", "/x", "rule:1 410 gone.html"],
    ["/x 410", "/x", "rule:1 410 plain"],
    ["/x 451", "/x", "rule:1 451 plain"],
    ["/x /404.html 404", "/x", "rule:1 404 404.html"],
    ["/x /none 410", "/x", "rule:1 410 plain"],
    ["/x /none 200", "/x", "rule:1 404 404.html"],
    ["/a /b 200\n/b /about 200", "/a", "rule:1 404 404.html"],
    ["/* /about 200!", "/docs/", "forced_rule:1 200 about.html"],
    ["/x /_headers 200", "/x", "rule:1 404 404.html"],
    ["/s id=:id /about", "/s", "not_found 404 404.html"],
    ["/old/* /:splat", "/old//evil.example", "rule:1 301 /evil.example"],
    ["/old/:page /:page", "/old/a%2Fb", "rule:1 301 /a%2Fb"],
    ["/docs/* /about 404!", "/docs%2Findex.html", "forced_rule:1 404 about.html"],
  ])("%j for %s: %s", (redirects, target, expected) => {
    expect(format(resolve(site(`${files} _headers`, redirects), ask(target)))).toBe(expected);
  });
});

describe("a rewrite for many paths to a page answers no request for an asset", () => {
  const files = "index.html app/index.html old/x.js 404.html";
  test.each([
    ["/* /index.html 200", "/static/app.js", "missing_asset:1 404 404.html"],
    ["/* /index.html 200", "/static/APP.JS", "missing_asset:1 404 404.html"],
    ["/* /index.html 200", "/logo.svg?v=1", "missing_asset:1 404 404.html"],
    ["/* /index.html 200", "/game.wasm.br", "missing_asset:1 404 404.html"],
    ["/* / 200", "/app.css", "missing_asset:1 404 404.html"],
    ["/app/* /app/index.html 200", "/app/main.js", "missing_asset:1 404 404.html"],
    ["/:lang/* /app 200", "/en/main.js", "missing_asset:1 404 404.html"],
    ["/:file /index.html 200", "/main.js", "missing_asset:1 404 404.html"],
    ["/* /:splat/index.html 200", "/app", "clean_url 308 /app/"],
    ["/* /index.html 200", "/users/7", "rule:1 200 index.html"],
    ["/* /index.html 200", "/wp-login.php", "rule:1 200 index.html"],
    ["/* /index.html 200", "/main.js/", "rule:1 200 index.html"],
    ["/new/* /old/:splat 200", "/new/x.js", "rule:1 200 old/x.js"],
    ["/main.js /index.html 200", "/main.js", "rule:1 200 index.html"],
    ["/* /index.html 404", "/main.js", "rule:1 404 index.html"],
    ["/* /index.html 200!", "/main.js", "forced_rule:1 200 index.html"],
    ["/* v=:v /index.html 200", "/main.js?v=1", "missing_asset:1 404 404.html"],
    // The first rule that matches ends the search, whether it shows anything or not.
    ["/* /index.html 200\n/main.js /old/x.js 200", "/main.js", "missing_asset:1 404 404.html"],
    ["/main.js /old/x.js 200\n/* /index.html 200", "/main.js", "rule:1 200 old/x.js"],
  ])("%j for %s: %s", (redirects, target, expected) => {
    expect(format(resolve(site(files, redirects), ask(target)))).toBe(expected);
  });
});

describe("the error page", () => {
  test.each([
    ["index.html 404/index.html", "/none", "not_found 404 404/index.html"],
    ["404.html 404/index.html", "/none", "not_found 404 404.html"],
    ["404.html docs/404/index.html", "/docs/none", "not_found 404 docs/404/index.html"],
    ["404/index.html docs/404.html", "/docs/a/none", "not_found 404 docs/404.html"],
    ["404.html de/docs/404/index.html", "/de/none", "not_found 404 404.html"],
    ["404.html de/docs/404/index.html", "/de/docs/a/b", "not_found 404 de/docs/404/index.html"],
    ["404/index.html", "/404/", "clean_url 200 404/index.html"],
    ["index.html docs/404/index.html", "/none", "single_page 200 index.html"],
    ["404/other.html", "/none", "not_found 404 plain"],
  ])("of %j for %s is %s", (files, target, expected) => {
    expect(format(resolve(site(files), ask(target)))).toBe(expected);
  });

  test("in the root is found in deployments of earlier versions, which did not count it", () => {
    const { files } = site("index.html 404/index.html");
    const former = compileManifest({ redirects: [], headers: [], errorPageDepth: -1 }, files);
    expect(format(resolve(former, ask("/none")))).toBe("not_found 404 404/index.html");
  });
});

describe("the single-page fallback", () => {
  test.each<readonly [string, string, Partial<RequestFacts>, string]>([
    ["index.html", "/users/7", {}, "single_page 200 index.html"],
    ["index.html 200.html 404.html", "/users/7", {}, "single_page 200 200.html"],
    ["index.html 404.html", "/users/7", {}, "not_found 404 404.html"],
    ["index.html docs/404.html", "/docs/7", {}, "single_page 200 index.html"],
    ["index.html", "/assets/x.js", {}, "not_found 404 plain"],
    ["index.html", "/users/jane.doe", {}, "single_page 200 index.html"],
    ["index.html", "/users/jane@example.com", {}, "single_page 200 index.html"],
    ["index.html", "/users/7", { accept: "application/json" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "text/html;q=0, application/json" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "text/html;q=0, */*" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "text/*;q=0.0, */*" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "*/*;q=0, application/json" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "*/*;q=0, TEXT/HTML;q=0.1" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { accept: "application/xhtml+xml, */*;q=0" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { accept: "application/xhtml+xml;q=0, */*" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { accept: "application/xhtml+xml;q=0, image/*" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: "text/html;q=0, application/xhtml+xml" }, "not_found 404 plain"],
    ["index.html", "/users/7", { accept: null }, "single_page 200 index.html"],
    ["index.html", "/users/7", { accept: "*/*" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { secFetchDest: "document" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { secFetchDest: "iframe" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { secFetchDest: "frame" }, "single_page 200 index.html"],
    ["index.html", "/users/7", { secFetchDest: "script" }, "not_found 404 plain"],
    ["index.html", "/users/7", { secFetchDest: "" }, "not_found 404 plain"],
    ...["html", "htm", "php", "asp", "aspx", "jsp", "cgi", "PHP", "Html"].map(
      (extension) => ["index.html", `/wp-login.${extension}`, {}, "not_found 404 plain"] as const,
    ),
    ["index.html", "/wp-login.php/", {}, "single_page 200 index.html"],
    ["index.html", "/php", {}, "single_page 200 index.html"],
  ])("of %j for %s with %j: %s", (files, target, facts, expected) => {
    expect(format(resolve(site(files), ask(target, facts)))).toBe(expected);
  });
});

describe("the grace period", () => {
  const former = {
    path: "assets/old-0a1b2c3d.css",
    digest: "1".repeat(64),
    size: 1,
    encodings: {},
    isEncoded: true,
    isLegacyText: false,
  };
  const OLD = "/assets/old-0a1b2c3d.css";
  const FOUND = "grace 200 assets/old-0a1b2c3d.css";
  test.each([
    ["index.html", "", OLD, FOUND],
    ["index.html 404.html", "", OLD, FOUND],
    ["index.html assets/old-0a1b2c3d.css", "", OLD, "exact_file 200 assets/old-0a1b2c3d.css"],
    ["index.html", "/assets/old-* /index.html 200", OLD, FOUND],
    ["index.html", "/* /index.html 200", OLD, FOUND],
    ["index.html", "/* /index.html 200", "/users/7", "rule:1 200 index.html"],
    ["index.html", "/a /b\n/* /app/:splat 200", OLD, FOUND],
    ["index.html", "/* /index.html 200!", OLD, "forced_rule:1 200 index.html"],
    ["index.html", "/* /index.html 404", OLD, "rule:1 404 index.html"],
    ["index.html", "/* /index.html 302", OLD, "rule:1 302 /index.html"],
    ["index.html", "/* v=1 /index.html 200", `${OLD}?v=1`, FOUND],
    ["index.html b.css", "/assets/* /b.css 200", OLD, "rule:1 200 b.css"],
    ["index.html", "/* /index.html 200\n/assets/* /other 301", OLD, FOUND],
  ])("with %j and %j, %s: %s", (files, redirects, target, expected) => {
    const now = site(files, redirects);
    const request = ask(target);
    const first = resolve(now, request);
    expect(format(mayBeFormer(first, request.path) ? resolve(now, request, former) : first)).toBe(expected);
  });

  test("an earlier catch-all rewrite hides the rules after it", () => {
    const now = site("index.html", "/* /index.html 200\n/old /new 301");
    expect(format(resolve(now, ask("/old")))).toBe("rule:1 200 index.html");
  });

  test.each([
    ["", "/assets/app-Aa1bB2cC.js", true],
    ["/* /index.html 200", "/assets/app-Aa1bB2cC.js", true],
    ["/* /index.html 200", "/users/7", false],
    ["/assets/* /index.html 200", "/assets/app-Aa1bB2cC.js", true],
    ["/assets/* /other 302", "/assets/app-Aa1bB2cC.js", false],
    ["", "/app.js", false],
    ["", "/", false],
    ["", "/.git/app-Aa1bB2cC.js", false],
    ["", "/%zz-0a1b2c3d.css", false],
  ])("with %j, former deployments are searched for %s: %p", (redirects, target, worth) => {
    expect(mayBeFormer(resolve(site("index.html", redirects), ask(target)), target)).toBe(worth);
  });
});

describe("accented letters", () => {
  const [NFC, NFD] = ["caf\u00e9", "cafe\u0301"];
  const requested = (name: string) => encodeURI(name);
  test.each([
    [`${NFD}.jpg`, `/${NFC}.jpg`, "", `unicode_form 200 ${NFD}.jpg`],
    [`${NFC}.jpg`, `/${NFD}.jpg`, "", `unicode_form 200 ${NFC}.jpg`],
    [`${NFC}.jpg ${NFD}.jpg`, `/${NFD}.jpg`, "", `exact_file 200 ${NFD}.jpg`],
    [`${NFC}.jpg ${NFD}.jpg`, `/${NFC}.jpg`, "", `exact_file 200 ${NFC}.jpg`],
    [`${NFD}.html`, `/${NFC}`, "", `unicode_form 200 ${NFD}.html`],
    [`${NFD}/index.html`, `/${NFC}/`, "", `unicode_form 200 ${NFD}/index.html`],
    [`${NFD}/index.html`, `/${NFC}?a=1`, "", `unicode_form 308 /${encodeURI(NFD)}/?a=1`],
    [`${NFD}.jpg index.html`, `/${NFC}.jpg`, "/* /index.html 200", `unicode_form 200 ${NFD}.jpg`],
    [`${NFD}.jpg`, `/${NFC}.jpg`, `/${NFC}.jpg /x 301`, "rule:1 301 /x"],
    [`${NFD}.jpg 404.html`, "/th\u00e9.jpg", "", "not_found 404 404.html"],
    [`${NFD}.jpg`, "/cafe.jpg", "", "not_found 404 plain"],
  ])("of %s for %s with %j: %s", (files, target, redirects, expected) => {
    expect(format(resolve(site(files, redirects), ask(requested(target))))).toBe(expected);
  });
});
