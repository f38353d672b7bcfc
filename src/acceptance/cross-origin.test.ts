import { expect } from "bun:test";
import { dirname } from "node:path";
import { zipOf } from "./testing/archives.ts";
import { browserStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { test, beforeAll, vitrine, ada, open } = await browserStories(() =>
  startTestServer({ "base-url": "http://vitrine.test" }),
);

// Checks the CORS example of docs/rules.md in a browser.

const APP = "http://app.vitrine.test";
const ASSETS = "http://assets.vitrine.test";

beforeAll(async () => {
  const rules = await documentedRules();
  const _headers = rules._headers.replace("https://app.example.com", APP);
  const files = { "index.html": "assets", "404.html": "lost", "api/v2.json": '{"version":2}', "data/index.html": "{}" };
  await vitrine.deploy(ada, await zipOf({ ...files, "fonts/inter-4.woff2": await aFont(), ...rules, _headers }), {
    site: "assets",
  });
  await vitrine.deploy(ada, await zipOf({ "index.html": "app" }), { site: "app" });
  await vitrine.deploy(ada, await zipOf({ "index.html": "other" }), { site: "other" });
});

/** The two files of the example, as documented. */
async function documentedRules(): Promise<{ _redirects: string; _headers: string }> {
  const text = await Bun.file(`${import.meta.dir}/../../docs/rules.md`).text();
  const [, section = ""] = text.split("### Fonts and JSON for other origins (CORS)");
  const [, _redirects = "", , _headers = ""] = section.split(/^```\n/m);
  return { _redirects, _headers };
}

/** A font that the browser can load: the one for the icons of its developer tools. */
async function aFont(): Promise<Uint8Array> {
  const folder = dirname(Bun.resolveSync("playwright-core/package.json", import.meta.dir));
  const [font] = await Array.fromAsync(new Bun.Glob("lib/**/*.ttf").scan({ cwd: folder, absolute: true }));
  return Bun.file(font as string).bytes();
}

/** Runs a script in a page of the origin. Resolves with its result as text. */
async function inPageOf(origin: string, script: string): Promise<string> {
  const { page } = await open(null);
  await page.goto(`${origin}/`);
  return page.evaluate(`(async () => { ${script} })().then(String, (error) => "refused: " + error.name)`);
}

const fetchOf = (path: string, options = "{}") =>
  `const answer = await fetch("${ASSETS}${path}", ${options}); return answer.status + " " + (await answer.text());`;

test("JSON is fetched from another origin through a redirect", async () => {
  expect(await inPageOf(APP, fetchOf("/api/latest.json"))).toBe('200 {"version":2}');
});

test("a request with a custom header passes OPTIONS before and after the redirect", async () => {
  const options = `{ headers: { "X-Client": "app" } }`;
  expect(await inPageOf(APP, fetchOf("/api/latest.json", options))).toBe('200 {"version":2}');
});

test("a font is loaded from another origin through a redirect", async () => {
  const script = `const font = await new FontFace("x", "url(${ASSETS}/fonts/latest.woff2)").load(); return font.status;`;
  expect(await inPageOf(APP, script)).toBe("loaded");
  expect(await inPageOf("http://other.vitrine.test", script)).toBe("loaded");
});

test("a page can read that a file is missing", async () => {
  expect(await inPageOf(APP, fetchOf("/api/v3.json"))).toBe("404 lost");
});

test("the browser refuses an origin, header or path that is not in _headers", async () => {
  expect(await inPageOf("http://other.vitrine.test", fetchOf("/api/latest.json"))).toBe("refused: TypeError");
  expect(await inPageOf(APP, fetchOf("/api/latest.json", `{ headers: { "X-Other": "1" } }`))).toBe(
    "refused: TypeError",
  );
  expect(await inPageOf(APP, fetchOf("/data"))).toBe("refused: TypeError");
});
