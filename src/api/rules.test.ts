import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const vitrine = await openTestApi();
afterAll(() => vitrine[Symbol.asyncDispose]());
const { token: ada } = await vitrine.signUp("ada");
const remote = ["--server", vitrine.listen(), "--token", ada];

test("rules are read at deployment and apply at once, with warnings that name file and line", async () => {
  const files = {
    "index.html": "home",
    "about.html": "about",
    "404.html": "lost",
    _redirects: "/old /about 301\n/about /team\n/a /b\n/b /a\nnonsense\n/x /y 302 Country=de",
    _headers: "/*\n  X-Frame-Options: DENY\n  Set-Cookie: a=b",
  };
  expect((await vitrine.deploy(ada, await zipOf(files), { site: "ruled" })).status).toBe(201);

  const old = await vitrine.visit("ruled", "/old?from=mail");
  expect([old.status, old.headers.get("location")]).toEqual([301, "/about?from=mail"]);
  const about = await vitrine.visit("ruled", "/about");
  expect([about.status, about.headers.get("x-frame-options"), about.headers.get("set-cookie")]).toEqual([
    200,
    "DENY",
    null,
  ]);

  const response = await vitrine.call("GET", "/sites/ruled/deployments", { token: ada });
  const [deployment] = (await response.json()) as { warnings: { file: string; line: number; message: string }[] }[];
  expect(deployment!.warnings.map(({ file, line, message }) => `${file}:${line} ${message.split(/[:;]/)[0]}`)).toEqual([
    "_redirects:2 never applies",
    "_redirects:3 redirects in a circle",
    "_redirects:4 redirects in a circle",
    "_redirects:5 the path must begin with /",
    "_redirects:6 the condition Country=de is not supported, so the rule was left out",
    "_headers:3 the header set-cookie is refused",
  ]);
});

test("a text that is not UTF-8 is sent without a charset, with a warning", async () => {
  const legacy = new Uint8Array([0x67, 0x72, 0xfc, 0xdf, 0x65]);
  const files = { "index.html": "gr\u00fc\u00dfe", "404.html": legacy, "old.html": legacy, "old.txt": legacy };
  await vitrine.deploy(ada, await zipOf(files), { site: "legacy" });
  const response = await vitrine.call("GET", "/sites/legacy/deployments", { token: ada });
  expect(await response.json()).toMatchObject([
    {
      warnings: [
        { file: "404.html", line: 0, message: expect.stringContaining("is a text that is not UTF-8, like 2 others") },
      ],
    },
  ]);
  const typeOf = async (path: string) => (await vitrine.visit("legacy", path)).headers.get("content-type");
  expect(await Promise.all(["/", "/old", "/old.txt", "/none"].map(typeOf))).toEqual([
    "text/html; charset=utf-8",
    "text/html",
    "text/plain",
    "text/html",
  ]);
});

test("a URL is explained by the API, and as text in a terminal", async () => {
  const files = {
    "index.html": "home",
    _redirects: "# moved\n/old topic=:t /new/:t 302!",
    _headers: "/*\n  X-Mood: fine",
  };
  await vitrine.deploy(ada, await zipOf(files), { site: "explained" });
  const explain = (query: string) => vitrine.call("GET", `/sites/explained/explain?${query}`, { token: ada });
  expect(await (await explain(`path=${encodeURIComponent("/old?topic=art")}`)).json()).toMatchObject({
    url: expect.stringMatching(/^http:\/\/explained\.localhost:\d+\/old\?topic=art$/),
    deployment_number: 1,
    private: false,
    frozen: false,
    status: 302,
    step: "forced_rule",
    reason: "a forced rule of _redirects comes before all files",
    file: null,
    rule: { line: 2, text: "/old topic=:t /new/:t 302!" },
    header_lines: [1],
    headers: { location: "/new/art?topic=art", "x-mood": "fine" },
    header_sources: { location: { file: "_redirects", line: 2 }, "x-mood": { file: "_headers", line: 1 } },
    nearby_rules: [{ line: 2, text: "/old topic=:t /new/:t 302!" }],
  });
  const missing = await explain("path=/&deployment=7");
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("has no deployment 7")]);
  const word = await explain("path=old");
  expect([word.status, await word.text()]).toEqual([422, expect.stringContaining("begins with /")]);
  const withFragment = await explain(`path=${encodeURIComponent("/old?topic=art#/top?x")}`);
  expect(await withFragment.json()).toMatchObject({
    url: `${vitrine.siteUrl("explained")}/old?topic=art`,
    headers: { location: "/new/art?topic=art" },
  });
  for (const path of ["/.well-known/vitrine/probe", "/%2Ewell-known/vitrine/probe"]) {
    const own = await explain(`path=${encodeURIComponent(path)}`);
    expect([own.status, await own.text()]).toEqual([
      422,
      expect.stringContaining("the server answers this URL itself"),
    ]);
  }

  const moved = await runCli(["explain", "explained", "http://explained.localhost/old?topic=art", ...remote]);
  expect(moved.stdout.split("\n").slice(1, 5)).toEqual([
    "  status      302, to /new/art?topic=art",
    "  reason      a forced rule of _redirects comes before all files",
    "  rule        _redirects, line 2: /old topic=:t /new/:t 302!",
    "  deployment  1",
  ]);
  await vitrine.call("PUT", "/sites/explained/access", { token: ada });
  const home = await runCli(["explain", "explained", "", "--deployment", "1", ...remote]);
  expect(home.stdout).toMatch(/^http:\/\/1--explained\..*\/\n {2}access .*\n {2}status {6}200\n/);
  expect(home.stdout).toContain("  access      private: visitors sign in, and must be readers of the site\n");
  expect(home.stdout).toContain("  _headers    line 1\n");
  expect(home.stdout).toContain("\n  x-mood: fine\n");
});

test("an absolute URL is explained for its own host if that belongs to the site", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "1", "first.html": "1" }), { site: "hosted" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "2", "404.html": "2" }), { site: "hosted" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "neighbour" });
  const explain = async (path: string, deployment = "") => {
    const query = new URLSearchParams({ path, ...(deployment && { deployment }) });
    const response = await vitrine.call("GET", `/sites/hosted/explain?${query}`, { token: ada });
    return [response.status, await response.json()];
  };
  const [live, first] = [vitrine.siteUrl("hosted"), vitrine.siteUrl("1--hosted")];
  expect(await explain(`${live}/first`)).toEqual([
    200,
    expect.objectContaining({ url: `${live}/first`, deployment_number: 2, status: 404 }),
  ]);
  const ofFirst = expect.objectContaining({ url: `${first}/first?a`, deployment_number: 1, status: 200 });
  expect(await explain("HTTPS://1--Hosted.localhost.:1/first?a#b")).toEqual([200, ofFirst]);
  expect(await explain(`${live}/first?a`, "1")).toEqual([200, ofFirst]);
  expect(await explain("http://9--hosted.localhost/")).toEqual([
    404,
    { detail: "the site shows no deployment at this URL" },
  ]);
  for (const host of ["neighbour.localhost", "localhost", "other.example"]) {
    const refused = [422, { detail: [expect.objectContaining({ loc: ["query", "path"] })] }];
    expect(await explain(`http://${host}/`)).toEqual(refused);
    expect(await explain(`http://${host}/`, "1")).toEqual(refused);
  }

  const printed = await runCli(["explain", "hosted", `${first}/first`, ...remote]);
  expect(printed.stdout).toContain("  deployment  1\n");
  const foreign = await runCli(["explain", "hosted", "http://other.example/first", ...remote]);
  expect([foreign.status, foreign.stderr]).toEqual([
    1,
    expect.stringContaining(`nothing of the site is at other.example: its own URL is ${live}`),
  ]);
});

test("at the sign-in path of a private site no file is explained", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "x" }), { site: "walled", access: "private" });
  const explain = async (path: string) =>
    (await vitrine.call("GET", `/sites/walled/explain?${new URLSearchParams({ path })}`, { token: ada })).status;
  expect(await explain("/.vitrine/enter?code=x")).toBe(422);
  expect(await explain("/.vitrine/entered")).toBe(200);
  await vitrine.call("DELETE", "/sites/walled/access", { token: ada });
  expect(await explain("/.vitrine/enter?code=x")).toBe(200);
});

test("an invalid request is refused before the site is looked up, and an invalid name is an unknown site", async () => {
  const explain = async (name: string, path: string) =>
    (await vitrine.call("GET", `/sites/${name}/explain?${new URLSearchParams({ path })}`, { token: ada })).status;
  expect(await explain("nobody", "/")).toBe(404);
  expect(await explain("nobody", "/.well-known/vitrine/x")).toBe(422);
  expect(await explain("nobody", "old")).toBe(422);
  for (const name of ["a%20b", "%20", "%5B", "x%3Ay", "%00", "a%25b", "xn--a", "a%2Fb", "a%40b"]) {
    expect([name, await explain(name, "/")]).toEqual([name, 404]);
  }
});

test("a host that the server took back from a site is not explained for the site", async () => {
  await using after = await openTestApi({ "base-url": "http://pages.localhost", "sites-domain": "localhost" });
  const { token, user } = await after.signUp("ada");
  await addSite(after.store, "pages", user.id, false);
  await after.deploy(token, await zipOf({ "index.html": "x" }), { site: "pages" });
  const explain = (query: string) => after.call("GET", `/sites/pages/explain?${query}`, { token });
  const refused = await explain("path=/");
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("dashboard")]);
  expect((await explain("path=http://pages.localhost/")).status).toBe(422);
  expect((await explain("path=/&deployment=1")).status).toBe(200);
});

test("every URL that visitors can request is explained, up to the maximum length", async () => {
  await using roomy = await openTestApi({ "max-url-length": "14000" });
  const { token } = await roomy.signUp("ada");
  await roomy.deploy(token, await zipOf({ "index.html": "home", "404.html": "lost" }), { site: "long" });
  const explain = (path: string) =>
    roomy.call("GET", `/sites/long/explain?${new URLSearchParams({ path })}`, { token });
  const long = `/${"a".repeat(9000)}`;
  expect((await roomy.visit("long", long)).status).toBe(404);
  expect(await (await explain(long)).json()).toMatchObject({ status: 404, step: "not_found" });
  // Each blank takes three characters in a request and one in the body of the explanation.
  const blank = `/a${" ".repeat(4700)}b`;
  const refused = await explain(blank);
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("14000 characters")]);
});

test("an asset of the previous deployment stays available for seven days", async () => {
  const asset = "assets/app-Aa1bB2cC.js";
  await vitrine.deploy(ada, await zipOf({ "index.html": "1", [asset]: "old" }), { site: "tabs" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "2" }), { site: "tabs" });
  expect(await (await vitrine.visit("tabs", `/${asset}`)).text()).toBe("old");
  vitrine.advance(7 * 24 * 60 * 60 * 1000 + 120_000);
  expect((await vitrine.visit("tabs", `/${asset}`)).status).toBe(404);
});
