import { describe, expect, test } from "bun:test";
import { compileHeaders } from "./header-matcher.ts";
import { parseHeaders } from "./headers-file.ts";

/** Returns the fields that the rules set for a path. */
function fieldsFor(text: string, path: string): string[] {
  const met = compileHeaders(parseHeaders(text).rules).match(path);
  return met.flatMap(({ set }) => set.map(([name, value]) => `${name}: ${value}`));
}

describe("placeholders in values", () => {
  test.each([
    ["/movies/:title", 'You are watching ":title"', "/movies/dune", 'You are watching "dune"'],
    ["/:lang/:page", "/:page/:lang", "/de/about", "/about/de"],
    [
      "/docs/*",
      "<https://docs.example/:splat>; rel=canonical",
      "/docs/a/b",
      "<https://docs.example/a/b>; rel=canonical",
    ],
    ["/*.html", ":splat", "/a/b.html", "a/b"],
    ["/x*/:page/end", ":splat :page", "/xa/b/c/end", "a/b c"],
    ["/docs/*", ":splat", "/docs/", ""],
    ["/:page", ":other :page:page 12:30", "/a", ":other aa 12:30"],
    ["/docs/*", ":page", "/docs/a", ":page"],
    ["/*/a/*", ":splat", "/x/a/y", ":splat"],
  ])("%s with %j for %s", (path, value, requested, expected) => {
    expect(fieldsFor(`${path}\n  X-A: ${value}`, requested)).toEqual([`x-a: ${expected}`]);
  });

  test.each([
    ["line ends", "/a\r\nSet-Cookie: b=c", "/a%0D%0ASet-Cookie%3A%20b%3Dc"],
    ["control characters", "/\u0000\t\u007f", "/%00%09%7F"],
    ["what ends a part of a value", `/a;b,c"d>e 'f'`, "/a%3Bb%2Cc%22d%3Ee%20%27f%27"],
    ["what is not ASCII", "/é", "/%C3%A9"],
    ["what is escaped twice", "/%0D", "/%250D"],
    ["signs that mean anything", "/*!()", "/%2A%21%28%29"],
  ])("a visitor's text is escaped: %s", (_, path, expected) => {
    expect(fieldsFor("/*\n  X-A: /:splat", path)).toEqual([`x-a: ${expected}`]);
  });

  test("a value longer than 1,000 characters is omitted, and the rest of the field stays", () => {
    const text = "/:page\n  X-A: a :page b";
    expect(fieldsFor(text, `/${"a".repeat(1000)}`)).toEqual([`x-a: a ${"a".repeat(1000)} b`]);
    expect(fieldsFor(text, `/${"a".repeat(1001)}`)).toEqual(["x-a: a  b"]);
    expect(fieldsFor(text, `/${"é".repeat(200)}`)).toEqual(["x-a: a  b"]);
  });

  test("a value that is validated at deployment contains no placeholder", () => {
    const text = "/:x\n  Strict-Transport-Security: max-age=60; :x";
    expect(fieldsFor(text, "/includeSubDomains")).toEqual(["strict-transport-security: max-age=60; :x"]);
  });
});

describe("the rules for a path", () => {
  const match = (text: string, path: string) => compileHeaders(parseHeaders(text).rules).match(path);

  test("are applied in the order of the file, with or without placeholders", () => {
    const text = "/a\n X-A: 1\n/*\n X-A: 2\n/a\n X-A: 3\n/:x\n X-A: 4\n/b\n X-A: 5";
    expect(match(text, "/a").map(({ line }) => line)).toEqual([1, 3, 5, 7]);
  });

  test("are compared with the decoded path", () => {
    expect(match("/caf%C3%A9\n X-A: 1\n/th%C3%A9/*\n X-A: 2", "/café")).toHaveLength(1);
    expect(match("/caf%C3%A9\n X-A: 1\n/th%C3%A9/*\n X-A: 2", "/thé/x")).toHaveLength(1);
  });

  test("are omitted if the response would exceed 16 KiB of fields", () => {
    const block = (path: string, size: number) => `${path}\n${`  X-A: ${"a".repeat(1000)}\n`.repeat(size)}`;
    const text = [block("/a*", 7), block("/*", 7), block("/a*", 4), "/*\n  X-Last: 1"].join("\n");
    expect(match(text, "/a").map(({ line }) => line)).toEqual([1, 10, 25]);
    expect(match(text, "/b").map(({ line }) => line)).toEqual([10, 25]);
  });

  test("cannot be skipped by anything that a visitor sends", () => {
    const text = `/:a/:b\n${"  X-A: :a :b\n".repeat(7)}/*\n  X-Frame-Options: DENY`;
    const long = `/${"a".repeat(999)}/${"b".repeat(999)}`;
    expect(match(text, long).map(({ line }) => line)).toEqual([1, 9]);
  });

  test("are cached as empty for a path without a match, and for no other", () => {
    const matcher = compileHeaders(
      parseHeaders(Array.from({ length: 30 }, (_, i) => `/${i}/*\n X-A: ${i}`).join("\n")).rules,
    );
    for (let i = 0; i < 100; i += 1) expect([matcher.match(`/a${i}`), matcher.match(`/a${i}`)]).toEqual([[], []]);
    expect(matcher.match("/7/x")).toHaveLength(1);
  });
});
