import { expect, test } from "bun:test";
import { kindOf, nameIn } from "./file-words.ts";

test.each([
  ["", "index.html", "index.html"],
  ["assets/", "assets/app.js", "app.js"],
  [null, "assets/app.js", "assets/app.js"],
])("in %j, %s is shown as %s", (folder, path, name) => {
  expect(nameIn(folder, path)).toBe(name);
});

test.each([
  ["text/html; charset=utf-8", "text/html"],
  ["image/png", "image/png"],
  ["application/octet-stream", "Download"],
])("the type %s is shown as %s", (type, kind) => {
  expect(kindOf(type)).toBe(kind);
});
