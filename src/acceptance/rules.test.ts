import { afterAll, beforeAll, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "./testing/appliance.ts";
import { zipOf } from "./testing/archives.ts";

let vitrine: TestAppliance;
let ada: string;
beforeAll(async () => {
  vitrine = await startAppliance();
  ada = (await vitrine.signUp("ada")).token;
}, 60_000);
afterAll(() => vitrine?.[Symbol.asyncDispose]());

test("rules are read once at deployment: they apply at once, and what is wrong is told with file and line", async () => {
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

test("an asset of the deployment before stays reachable for seven days", async () => {
  const asset = "assets/app-Aa1bB2cC.js";
  await vitrine.deploy(ada, await zipOf({ "index.html": "1", [asset]: "old" }), { site: "tabs" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "2" }), { site: "tabs" });
  expect(await (await vitrine.visit("tabs", `/${asset}`)).text()).toBe("old");
  vitrine.advance(7 * 24 * 60 * 60 * 1000 + 120_000);
  expect((await vitrine.visit("tabs", `/${asset}`)).status).toBe(404);
});
