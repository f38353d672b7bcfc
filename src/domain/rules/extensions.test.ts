import { describe, expect, test } from "bun:test";
import mime from "mime";
import { extensionOf, hasExtension } from "./extensions.ts";

test.each([
  ["app.js", "js"],
  ["a.b/APP.Min.JS", "js"],
  ["a.b/app", ""],
  ["html", ""],
  ["", ""],
  ["a.", ""],
  [".js", "js"],
])("the extension of %j is %j", (path, extension) => {
  expect(extensionOf(path)).toBe(extension);
});

test("pages are the names with the media type of a page", () => {
  const types = ["text/html", "application/xhtml+xml"];
  const names = types.flatMap((type) => [...(mime.getAllExtensions(type) ?? [])]).map((extension) => `a.${extension}`);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !hasExtension(name, "page"))).toEqual([]);
});

describe.each(["page", "generatedPage"] as const)("a name of the kind %s", (kind) => {
  test.each(["a.png", "a.css", "a.json", "a.pdf", "a.zip"])("is not %s", (name) => {
    expect(hasExtension(name, kind)).toBe(false);
  });
});
