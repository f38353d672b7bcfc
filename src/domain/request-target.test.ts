import { describe, expect, test } from "bun:test";
import { decodePath, ownPath, pathOf, queryOf, targetOf } from "./request-target.ts";

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

describe("a path of the server itself", () => {
  test.each([
    "/.well-known/vitrine/a",
    "/%2ewell-known/vitrine/a?b",
    "/.well-known%2fvitrine%2Fa",
    "/.%77ell-known/vitrine/a",
  ])("%s is one", (target) => expect(ownPath(`http://any.test${target}`)).toBe("/.well-known/vitrine/a"));

  test.each([
    "/.well-known/acme-challenge/%zz",
    "/.well-known/acme-challenge/a%00",
    "/.well-known/acme-challenge/a%5cb",
    "/.well-known/vitrine/%ff",
    "/.well-known/vitrine/..%2fx",
    "/%2ewell-known%2Fvitrine/%",
    `/${[...".well-known/acme-challenge/"].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("")}%`,
  ])("%s is one, although it is no path", (target) => expect(ownPath(`http://any.test${target}`)).not.toBe(null));

  test.each([
    "/",
    "/a?/.well-known/vitrine/a",
    "/a/.well-known/vitrine/a",
    "//.well-known/vitrine/a",
    "/.well-known/security.txt",
    "/%252ewell-known/vitrine/a",
    "/%252ewell-known/vitrine/%zz",
    "/.well-known/%zz/vitrine/a",
    "/%zz/..%2f.well-known/vitrine/a",
  ])("%s is none", (target) => expect(ownPath(`http://any.test${target}`)).toBe(null));
});
