import { describe, expect, test } from "bun:test";
import { decodePath, ownAddress, pathOf, queryOf, targetOf } from "./request-target.ts";

describe("a path is decoded once", () => {
  test.each([
    ["/", "/"],
    ["/a/b.html", "/a/b.html"],
    ["/caf%C3%A9", "/café"],
    ["/a%20b", "/a b"],
    ["/%2561", "/%61"],
    ["/%2e%2e%252f", "/..%2f"],
    ["/a..b/...", "/a..b/..."],
    ["/a+b", "/a+b"],
    ["/a%2Fb", "/a/b"],
  ])("%s is %s", (raw, path) => {
    expect(decodePath(raw)).toBe(path);
  });

  test.each([
    "/%",
    "/%zz",
    "/%ff",
    "/%c0%af",
    "/%c0%ae%c0%ae/",
    "/%ed%a0%80",
    "/%f4%90%80%80",
    "/..",
    "/../etc",
    "/a/..",
    "/%2e%2e/etc",
    "/%2e%2e%2fetc",
    "/a%5cb",
    "/a\\b",
    "/%00",
    "/a%0d%0ab",
    "/%7f",
  ])("%s is refused", (raw) => {
    expect(decodePath(raw)).toBe(null);
  });
});

test.each([
  ["http://x/", "/", ""],
  ["https://a.pages.test:8443//b/c?d=/e?f", "//b/c", "?d=/e?f"],
  ["http://a.pages.test/caf%C3%A9?", "/caf%C3%A9", "?"],
  ["http://a.pages.test", "/", ""],
])("the target of %s is %s%s", (url, path, query) => {
  expect([pathOf(url), queryOf(url), targetOf(url)]).toEqual([path, query, path + query]);
});

describe("the appliance's own addresses", () => {
  test.each([
    "/.well-known/vitrine/a",
    "/%2ewell-known/vitrine/a?b",
    "/.well-known%2fvitrine%2Fa",
    "/.%77ell-known/vitrine/a",
  ])("%s is one", (target) => expect(ownAddress(`http://any.test${target}`)).toBe("/.well-known/vitrine/a"));

  test.each([
    "/",
    "/a?/.well-known/vitrine/a",
    "/a/.well-known/vitrine/a",
    "//.well-known/vitrine/a",
    "/.well-known/security.txt",
    "/%252ewell-known/vitrine/a",
    "/.well-known/vitrine/..%2fa",
    "/.well-known/vitrine/%zz",
  ])("%s is none", (target) => expect(ownAddress(`http://any.test${target}`)).toBe(null));
});
