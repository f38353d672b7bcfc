import { expect, test } from "bun:test";
import { missingStartPage } from "./source.ts";

const NONE = "There is no index.html at the top: the site's address answers 404.";

test.each<[string, string[], string | null]>([
  ["a start page", ["index.html", "a.css"], null],
  ["the page of a single-page application", ["200.html", "a.js"], null],
  ["rules that may lead elsewhere", ["_redirects", "home.html"], null],
  ["only pages of other names", ["home.html", "Index.html", "docs/a.html"], NONE],
  ["a start page in a folder", ["package.json", "dist/index.html"], `${NONE} Did you mean ./site/dist?`],
  ["start pages in several folders", ["a/index.html", "b/index.html"], NONE],
])("with %s", (_what, paths, warning) => {
  const files = paths.map((path) => ({ path, file: path, size: 1 }));
  expect(missingStartPage("./site/", files)).toBe(warning);
});
