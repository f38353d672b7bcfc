import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { missingStartPage, readSource, refuseSources } from "./source.ts";

const NONE = "There is no index.html at the top: the site's URL shows a 404 page.";

test.each<[string, string[], string | null]>([
  ["a start page", ["index.html", "a.css"], null],
  ["the page of a single-page application", ["200.html", "a.js"], null],
  ["a start page of the older extension", ["index.htm", "a.css"], null],
  ["rules that may lead elsewhere", ["_redirects", "home.html"], null],
  ["only pages of other names", ["home.html", "Index.html", "docs/a.html"], NONE],
  ["a start page in a folder", ["package.json", "dist/index.html"], `${NONE} Did you mean ./site/dist?`],
  ["start pages in several folders", ["a/index.html", "b/index.html"], NONE],
])("with %s", (_what, paths, warning) => {
  const files = paths.map((path) => ({ path, file: path, size: 1 }));
  expect(missingStartPage("./site/", files)).toBe(warning);
});

const folder = temporaryFolder();

async function sourceOf(name: string) {
  const file = join(folder, name);
  await writeFile(file, "content");
  return readSource(file);
}

test.each(["site.tar.gz", "site.tgz", "Site.TAR", "site.tar.zst", "site.7z"])("%s is refused", async (name) => {
  await expect(sourceOf(name)).rejects.toThrow(`${name} is an archive, but only a ZIP is unpacked`);
});

test.each(["tar.html", "data.csv.gz", "my.tar.txt.pdf"])("%s is deployed as a single file", async (name) => {
  expect(await sourceOf(name)).toMatchObject({ kind: "files" });
});

test.each<[string, string[], string | null]>([
  ["a project with a built site", ["package.json", "src/a.ts", "dist/index.html"], "dist"],
  ["a project with several of them", ["package.json", "_site/index.html", "build/index.html"], "build"],
  ["a project with a start page of its own", ["package.json", "index.html", "dist/index.html"], null],
  ["a project without a built site", ["package.json", "docs/index.html", "dist/app.js"], null],
  ["a folder that is no project", ["dist/index.html"], null],
])("the sources of %s are refused if a folder is meant", async (_, paths, meant) => {
  const project = temporaryFolder();
  for (const path of paths) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), "content");
  }
  const refused = refuseSources(project).then(
    () => null,
    (error: Error) => error.message,
  );
  const built = meant && join(project, meant);
  expect(await refused).toBe(built && `${project} is a project without an index.html, and ${built} has one`);
});
