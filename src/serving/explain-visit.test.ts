import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY } from "../domain/timestamp.ts";
import { type Hosted, startHosted } from "./testing/hosted.ts";

const ASSET = "assets/app-Aa1bB2cC.js";
const FORMER = "assets/app-Zz9yY8xX.js";

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
  await hosted.publish("ruled", { "index.html": "1", [FORMER]: "old" });
  hosted.now += DAY;
  await hosted.publish("ruled", {
    "index.html": "home",
    "about.html": "about",
    "docs/index.html": "docs",
    "sale.html": "sale",
    "404.html": "lost",
    [ASSET]: "let a;",
    "large.txt": "a line\n".repeat(50_000),
    ".env": "KEY=1",
    _redirects:
      "/sale /about 302!\n/old /about 301\n/find q=:q /search/:q 302\n/team /about 200\n/gone 410\n/void /nothing 200",
    _headers: "/*\n  X-Frame-Options: DENY\n/about\n  Link: </x>; rel=preload",
  });
  await hosted.publish("app", { "200.html": "the application" });
  await hosted.publish("routed", { "index.html": "1", [FORMER]: "old" });
  await hosted.publish("routed", {
    "index.html": "home",
    "cafe\u0301.txt": "menu",
    _redirects: "/* /index.html 200",
    _headers: "/static/*\n  Cache-Control: public, max-age=31536000, immutable\n  X-Frame-Options: DENY",
  });
  const _headers = "/*\n  X-Frame-Options: DENY\n  Cache-Control: public";
  await hosted.publish("diary", { "index.html": "dear", _headers }, { makePrivate: true });
});
afterAll(() => hosted?.[Symbol.dispose]());

const explain = (site: string, target: string) => hosted.explain(`https://${site}.sites.test${target}`);

/** Fields that differ between two identical responses. */
const OF_THE_TRANSFER = new Set(["date", "content-length", "transfer-encoding"]);

test.each([
  ["ruled", "/", "clean_url", 200, null, "index.html"],
  ["ruled", "/about", "clean_url", 200, null, "about.html"],
  ["ruled", "/about/?a=1", "clean_url", 308, null, null],
  ["ruled", "/about.html", "exact_file", 200, null, "about.html"],
  ["ruled", `/${ASSET}`, "exact_file", 200, null, ASSET],
  ["ruled", `/${FORMER}`, "grace", 200, null, FORMER],
  ["ruled", "/large.txt", "exact_file", 200, null, "large.txt"],
  ["ruled", "/sale", "forced_rule", 302, 1, null],
  ["ruled", "/old", "rule", 301, 2, null],
  ["ruled", "/find?q=a%20b", "rule", 302, 3, null],
  ["ruled", "/team", "rule", 200, 4, "about.html"],
  ["ruled", "/gone", "rule", 410, 5, null],
  ["ruled", "/void", "rule", 404, 6, "404.html"],
  ["ruled", "/nowhere", "not_found", 404, null, "404.html"],
  ["ruled", "/%zz", "bad_path", 400, null, null],
  ["app", "/any/route", "single_page", 200, null, "200.html"],
  ["app", "/missing.js", "not_found", 404, null, null],
  ["routed", "/any/route", "rule", 200, 1, "index.html"],
  ["routed", "/static/app.js", "missing_asset", 404, 1, null],
  ["routed", "/static/route", "rule", 200, 1, "index.html"],
  ["routed", `/${FORMER}`, "grace", 200, null, FORMER],
  ["routed", "/caf%C3%A9.txt", "unicode_form", 200, null, "cafe\u0301.txt"],
  ["1--ruled", "/about", "single_page", 200, null, "index.html"],
])(
  "%s%s is explained by %s with the status and header fields of its response",
  async (site, target, step, status, line, file) => {
    const explained = await explain(site, target);
    expect(explained).toMatchObject({ step, status, file });
    expect(explained?.rule?.line ?? null).toBe(line);
    const response = await hosted.get(`${site}.sites.test`, target);
    expect(response.status).toBe(status);
    const fields = [...response.headers].filter(([name]) => !OF_THE_TRANSFER.has(name));
    expect(Object.entries(explained?.headers ?? {}).sort()).toEqual(fields.sort());
  },
);

test("the reason names the page of a clean URL, and says that another spelling is redirected", async () => {
  expect((await explain("ruled", "/"))?.reason).toBe("index.html is the page of this URL");
  expect((await explain("ruled", "/about/"))?.reason).toBe("this is another spelling of the URL of a page");
});

test("the matching lines of _headers are listed in order", async () => {
  expect((await explain("ruled", "/about"))?.headerLines).toEqual([1, 3]);
  expect((await explain("ruled", "/old"))?.headerLines).toEqual([1]);
  expect((await explain("ruled", "/%zz"))?.headerLines).toEqual([]);
});

test("each field of the site names its line, and one that the server overrides names none", async () => {
  const about = await explain("ruled", "/about");
  expect(about?.headers).toMatchObject({ "x-frame-options": "DENY", link: "</x>; rel=preload" });
  expect(about?.headerSources).toEqual({
    "x-frame-options": { file: "_headers", line: 1 },
    link: { file: "_headers", line: 3 },
  });
  expect((await explain("ruled", "/old"))?.headerSources).toEqual({
    "x-frame-options": { file: "_headers", line: 1 },
    location: { file: "_redirects", line: 2 },
  });
  const diary = await explain("diary", "/");
  expect(diary?.headers["cache-control"]).toBe("private, no-store");
  expect(diary?.headerSources).toEqual({ "x-frame-options": { file: "_headers", line: 1 } });
});

test("the caching of another path is named as left out", async () => {
  const route = await explain("routed", "/static/route");
  expect(route?.headers).toMatchObject({
    "x-frame-options": "DENY",
    "cache-control": "public, max-age=0, must-revalidate",
  });
  expect(route?.headerSources).toEqual({ "x-frame-options": { file: "_headers", line: 1 } });
  expect(route?.headersLeftOut).toEqual({ "cache-control": { file: "_headers", line: 1 } });
  for (const target of ["/", "/static/app.js"]) expect((await explain("routed", target))?.headersLeftOut).toEqual({});
});

test("a former asset is served for the grace period, and a change of it holds from the next visit on", async () => {
  await hosted.publish("tabs", { "404.html": "lost", [FORMER]: "old" });
  await hosted.publish("tabs", { "404.html": "lost" });
  const { id = 0 } = (await hosted.store.sites.find("tabs")) ?? {};
  const statusOf = async (days: number) => {
    hosted.now += days * DAY;
    const { status } = await hosted.get("tabs.sites.test", `/${FORMER}`);
    expect((await explain("tabs", `/${FORMER}`))?.status).toBe(status);
    hosted.now -= days * DAY;
    return status;
  };
  const graces = [null, 0, 30] as const;
  const seen: Record<string, readonly number[]> = {};
  for (const graceDays of graces) {
    await hosted.store.retention.setPolicy(id, { last: null, days: null, graceDays });
    seen[`${graceDays}`] = [await statusOf(7), await statusOf(8), await statusOf(30), await statusOf(31)];
  }
  expect(seen).toEqual({ null: [200, 404, 404, 404], 0: [404, 404, 404, 404], 30: [200, 200, 200, 404] });
});

test("the deciding rule is shown among its neighbours", async () => {
  const linesAt = async (target: string) => (await explain("ruled", target))?.nearbyRules.map(({ line }) => line);
  expect(await linesAt("/sale")).toEqual([1, 2, 3]);
  expect(await linesAt("/team")).toEqual([2, 3, 4, 5, 6]);
  expect(await linesAt("/about")).toEqual([]);
});

test("a path where no file can ever be served is explained as such", async () => {
  const neverServed = "rule files, and what begins with a dot, are kept but never served";
  for (const target of ["/.env", "/%2Eenv", "/_redirects", "/docs/.git/config"]) {
    expect(await explain("ruled", target)).toMatchObject({
      reason: `no file and no rule has this URL; ${neverServed}`,
    });
  }
  expect((await explain("app", "/.env"))?.reason).toEndWith(`is a single-page application; ${neverServed}`);
  expect(await explain("ruled", "/env")).toMatchObject({ reason: "no file and no rule has this URL" });
});

test("a private site is explained without a visit, and nothing is counted", async () => {
  const before = hosted.counted.length;
  expect(await explain("diary", "/")).toMatchObject({ private: true, frozen: false, status: 200, deploymentNumber: 1 });
  expect(hosted.counted).toHaveLength(before);
});

test("a host without a site has no explanation", async () => {
  expect(await explain("nobody", "/")).toBeNull();
});
