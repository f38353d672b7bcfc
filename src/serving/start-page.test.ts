import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Manifest } from "../domain/model/manifest.ts";
import { parseRedirects } from "../domain/rules/redirects-file.ts";
import { startPagesOf } from "./start-page.ts";
import { type Hosted, startHosted } from "./testing/hosted.ts";

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
});
afterAll(() => hosted[Symbol.dispose]());

function manifestOf(paths: readonly string[], rules: string): Manifest {
  const files = paths.map((path) => ({ path, digest: "a".repeat(64), size: 1 }));
  return { files, redirects: parseRedirects(rules).rules, headers: [] };
}

test.each<[string, string[], string, number]>([
  ["a start page", ["index.html", "404.html"], "", 200],
  ["an older extension", ["index.htm", "404.html"], "", 200],
  ["the page of an app", ["200.html"], "", 200],
  ["no start page", ["about.html", "a.css"], "", 404],
  ["no start page and an error page", ["about.html", "404.html"], "", 404],
  ["a start page that is never served", [".hidden/index.html"], "", 404],
  ["a rewrite", ["home.html"], "/ /home 200", 200],
  ["a rewrite to nothing", ["home.html"], "/ /gone 200", 404],
  ["a redirect", ["home.html"], "/ /home", 301],
])("with %s, the status is that of a visit", async (name, paths, rules, status) => {
  const site = name.replaceAll(" ", "-").toLowerCase();
  const pages = startPagesOf(hosted.store);
  expect(pages.statusOf(manifestOf(paths, rules))).toBe(status);
  await hosted.publish(site, { ...Object.fromEntries(paths.map((path) => [path, "text"])), _redirects: rules });
  const id = (await hosted.store.sites.findRoute(site))?.activeDeploymentId ?? 0;
  expect(await pages.statusOfStored(id)).toBe(status);
  expect((await hosted.get(`${site}.sites.test`)).status).toBe(status);
});

test("a deployment that was deleted has no status", async () => {
  expect(await startPagesOf(hosted.store).statusOfStored(9999)).toBeNull();
});
