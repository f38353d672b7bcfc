import { describe, expect, test } from "bun:test";
import { borrowedCaching, secondsOfReuse, withoutBorrowedCaching } from "./caching-fields.ts";
import { compileHeaders } from "./header-matcher.ts";
import { parseHeaders } from "./headers-file.ts";

test.each<[string, string, number]>([
  ["cache-control", "public, max-age=31536000, immutable", Infinity],
  ["cache-control", "public,MAX-AGE=60", 60],
  ["cache-control", 'max-age="60"', 60],
  ["cache-control", "max-age=0, s-maxage=86400", 86_400],
  ["cache-control", "max-age=0, stale-while-revalidate=30", 30],
  ["cache-control", "public, max-age=0, must-revalidate", 0],
  ["cache-control", "no-cache", 0],
  ["cache-control", "no-store, max-age=60", 0],
  ["cache-control", 'no-cache="x-a", max-age=60', 60],
  ["cdn-cache-control", "max-age=60", 60],
  ["netlify-cdn-cache-control", "public, durable, s-maxage=60", 60],
  ["surrogate-control", "max-age=3600+600", 3600],
  ["expires", "Thu, 31 Dec 2037 23:55:55 GMT", Infinity],
  ["expires", "Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["expires", "0", 0],
  ["expires", "never", 0],
  ["x-a", "max-age=60", 0],
])("%s: %s lets caches reuse a response for %d seconds", (name, value, seconds) => {
  expect(secondsOfReuse(name, value)).toBe(seconds);
});

describe("a file at another file's address", () => {
  const CACHED = "Cache-Control: max-age=60";
  test.each([
    [`/static/*\n  ${CACHED}\n  X-A: 1`, "/static/a", ["cache-control of 1"], ["x-a"]],
    [`/:page\n  ${CACHED}`, "/about", [], ["cache-control"]],
    [`/docs/:page\n  ${CACHED}`, "/docs/a", ["cache-control of 1"], []],
    [`/static/a\n  ${CACHED}`, "/static/a", [], ["cache-control"]],
    [`/*\n  ${CACHED}`, "/static/a", [], ["cache-control"]],
    [`/*.html\n  ${CACHED}`, "/static/a.html", [], ["cache-control"]],
    [`/*.js\n  ${CACHED}\n/*\n  Cache-Control: no-cache`, "/a.js", ["cache-control of 1"], ["cache-control"]],
    [
      "/a/*\n  Cache-Control: no-store\n  CDN-Cache-Control: max-age=9",
      "/a/b",
      ["cdn-cache-control of 1"],
      ["cache-control"],
    ],
  ])("with %j at %s lacks %j and has %j", (text, path, left, kept) => {
    const { match } = compileHeaders(parseHeaders(text).rules);
    const [matching, own] = [match(path), match("/index.html")];
    expect(borrowedCaching(matching, own).map(({ name, line }) => `${name} of ${line}`)).toEqual(left);
    const names = withoutBorrowedCaching(matching, own).flatMap(({ set }) => set.map(([name]) => name));
    expect(names).toEqual(kept);
  });
});
