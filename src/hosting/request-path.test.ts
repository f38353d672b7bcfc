import { describe, expect, test } from "bun:test";
import { decodePath } from "./request-path.ts";

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
