import { describe, expect, test } from "bun:test";
import { canonicalPath, cleanUrl, isServed, rewriteTarget } from "./clean-urls.ts";

const files = new Set([
  "index.html",
  "about.html",
  "docs/index.html",
  "both.html",
  "both/index.html",
  "bare",
  "bare.html",
  "old/index.htm",
  "two/index.htm",
  "two/index.html",
]);
const has = (file: string) => files.has(file);

describe("clean URLs", () => {
  test.each([
    ["/", "file index.html"],
    ["/about", "file about.html"],
    ["/about/", "redirect /about"],
    ["/docs", "redirect /docs/"],
    ["/docs/", "file docs/index.html"],
    ["/both", "file both.html"],
    ["/both/", "file both/index.html"],
    ["/index", "file index.html"],
    ["/bare/", null],
    ["/old/", "file old/index.htm"],
    ["/old", "redirect /old/"],
    ["/old/index", null],
    ["/two/", "file two/index.html"],
    ["/none", null],
    ["/none/", null],
    ["//", null],
    ["/about//", null],
    ["//docs", null],
  ])("%s leads to %p", (path, expected) => {
    const found = cleanUrl(has, path);
    expect(found && `${found.kind} ${found.path}`).toBe(expected);
  });

  test.each([
    ["/about", "about.html"],
    ["/about/", "about.html"],
    ["/docs", "docs/index.html"],
    ["/docs/index.html", "docs/index.html"],
    ["/old", "old/index.htm"],
    ["/none", null],
  ])("a rewrite to %s serves %p", (path, expected) => {
    expect(rewriteTarget(has, path)).toBe(expected);
  });

  test.each([
    ["index.html", "/"],
    ["docs/index.html", "/docs/"],
    ["about.html", "/about"],
    ["index.htm", "/"],
    ["old/index.htm", "/old/"],
    ["old/no-index.htm", null],
    ["app.js", null],
  ])("%s has the URL %p", (file, expected) => {
    expect(canonicalPath(file)).toBe(expected);
  });

  test.each([
    ["index.html", true],
    [".well-known/security.txt", true],
    [".well-known/acme-challenge/token", false],
    [".well-known/vitrine/token", false],
    ["docs/_redirects", true],
    ["_redirects", false],
    ["_headers", false],
    [".env", false],
    ["a/.git/config", false],
    ["a/.well-known/x", false],
  ])("whether %s is served: %p", (file, served) => {
    expect(isServed(file)).toBe(served);
  });
});
