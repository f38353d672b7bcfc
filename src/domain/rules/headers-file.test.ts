import { describe, expect, test } from "bun:test";
import { parseHeaders } from "./headers-file.ts";
import { type Glob, matchesGlob, parseGlob, splitGlobPath } from "./path-glob.ts";

describe("the grammar of _headers", () => {
  test("a path line starts a block of headers and removals", () => {
    const text =
      "# all\n/*\n  X-Frame-Options: DENY\n  X-Time: 12:30\n/assets/*\n  ! X-Frame-Options\n  Cache-Control: no-cache\n";
    expect(parseHeaders(text)).toEqual({
      rules: [
        {
          line: 2,
          path: "/*",
          set: [
            ["x-frame-options", "DENY"],
            ["x-time", "12:30"],
          ],
          remove: [],
        },
        { line: 5, path: "/assets/*", set: [["cache-control", "no-cache"]], remove: ["x-frame-options"] },
      ],
      warnings: [],
    });
  });

  test("a byte order mark, CRLF and missing indentation are accepted", () => {
    const { rules, warnings } = parseHeaders("\uFEFF/*\r\nX-A: 1\r\n");
    expect(rules).toEqual([{ line: 1, path: "/*", set: [["x-a", "1"]], remove: [] }]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ["X-A: 1", 1, "a line with a path must come first"],
    ["/*\n  Set-Cookie: a=b", 2, "the header set-cookie is refused"],
    ["/*\n  Location: /x", 2, "the header location is refused: write a rule into _redirects"],
    ["/*\n  Transfer-Encoding: chunked", 2, "the header transfer-encoding is set by the server alone"],
    ["/*\n  connection: close", 2, "is set by the server alone"],
    ["/*\n  X-Accel-Redirect: /internal/", 2, "a proxy in front of the server would obey it"],
    ["/*\n  X-Sendfile: /etc/passwd", 2, "a proxy in front of the server would obey it"],
    ["/*\n  ! Content-Length", 2, "is set by the server alone"],
    ["/*\n  Basic-Auth: me:secret", 2, "the header basic-auth is not supported: make the site private"],
    ["/*\n  Bad Name: x", 2, "this is not a header's name"],
    ["/*\n  X-A:", 2, "the header's value is missing"],
    ["/*\n  X-A: caf\u00e9\u4e2d", 2, "may hold only printable ASCII"],
    ["/*\n  X-A: a\u0000b", 2, "may hold only printable ASCII"],
    ["/*\n  nonsense", 2, "neither a path, nor Name: value, nor ! Name"],
    ["https://:project.example/*\n  X-A: 1", 1, "rules for a host are not supported"],
    ["/%zz\n  X-A: 1", 1, "the path is not valid percent-encoding"],
    ["/*/:a/*\n  X-A: 1", 1, "a placeholder may not stand between two *"],
    [`/*${"a".repeat(51)}*\n  X-A: 1`, 1, "at most 50 characters may stand between two *"],
    ["/*a*b*c*d*\n  X-A: 1", 1, "a path may have at most 4 *"],
    [`/:a${"/b".repeat(32)}\n  X-A: 1`, 1, "a path with :name or * may have at most 32 segments"],
    [
      "/*\n  Content-Encoding: br",
      2,
      "the header content-encoding may be set only for a path that ends in .br (br), .gz",
    ],
    ["/*.js\n  ! Content-Encoding", 2, "may be set only for a path that ends in .br"],
    ["/*.br\n  Content-Encoding: gzip", 2, "the header content-encoding must be br for files of this name"],
  ])("%j is a warning in line %d", (text, line, message) => {
    const { rules, warnings } = parseHeaders(text);
    expect(rules).toEqual([]);
    expect(warnings).toEqual([{ file: "_headers", line, message: expect.stringContaining(message) }]);
  });

  test.each([
    ["max-age=31536000", "max-age=31536000", 0],
    ["max-age=31536000; includeSubDomains; preload", "max-age=31536000", 1],
    ["INCLUDESUBDOMAINS;max-age=60 ;PreLoad", "max-age=60", 1],
    ["includeSubDomains", null, 1],
  ])("Strict-Transport-Security applies to its own host only: %s", (value, kept, count) => {
    const { rules, warnings } = parseHeaders(`/*\n  X-A: 1\n  Strict-Transport-Security: ${value}`);
    const set = kept === null ? [] : [["strict-transport-security", kept]];
    expect(rules[0]?.set).toEqual([["x-a", "1"], ...set] as [string, string][]);
    const message = expect.stringContaining("includeSubDomains and preload were left out");
    expect(warnings).toEqual(Array(count).fill({ file: "_headers", line: 3, message }));
  });

  test("Content-Encoding can be set for files that are already compressed", () => {
    const text = "/*.br\n  Content-Encoding: br\n/a.svgz\n  Content-Encoding: gzip\n/old/*.gz\n  ! Content-Encoding";
    const { rules, warnings } = parseHeaders(text);
    expect(warnings).toEqual([]);
    expect(rules.map(({ set, remove }) => [...set, ...remove])).toEqual([
      [["content-encoding", "br"]],
      [["content-encoding", "gzip"]],
      ["content-encoding"],
    ]);
  });

  test("20 paths with several * are accepted", () => {
    const { rules, warnings } = parseHeaders(
      Array.from({ length: 30 }, (_, i) => `/*/${i}/*\n X-A: 1\n/x${i}*\n X-A: 1`).join("\n"),
    );
    expect(rules.map(({ line }) => line)).toHaveLength(50);
    expect(warnings).toEqual([
      { file: "_headers", line: 81, message: expect.stringContaining("20 paths with several *") },
    ]);
  });

  test("a path may have 16 KiB of fields, each counted with an extra 100 characters", () => {
    const { rules, warnings } = parseHeaders(`/*\n${" X-A: 1\n".repeat(158)}`);
    expect(rules[0]?.set).toHaveLength(Math.floor((16 * 1024) / ("x-a1".length + 100)));
    expect(warnings[0]).toEqual({
      file: "_headers",
      line: 159,
      message: expect.stringContaining("16 KiB of header fields"),
    });
  });

  test.each([
    [24, 0],
    [25, 1],
  ])(
    "a path may have 16 KiB of fields to the byte: with a last value of %d characters, %d are left out",
    (length, count) => {
      // Fifteen fields of 1,000 bytes, one of 1,257 and the last one.
      const values = [...Array<number>(15).fill(1000 - 103), 1257 - 103, length];
      const { rules, warnings } = parseHeaders(`/*\n${values.map((size) => ` X-A: ${"x".repeat(size)}\n`).join("")}`);
      expect([rules[0]?.set.length, warnings.length]).toEqual([17 - count, count]);
    },
  );

  test("a :splat without exactly one * is a warning", () => {
    const { rules, warnings } = parseHeaders("/a\n  X-A: /:splat\n/*/b/*\n  X-A: /:splat\n/c/*\n  X-A: /:splat");
    expect(rules).toHaveLength(3);
    const message = expect.stringContaining(":splat was left as it is");
    expect(warnings).toEqual([2, 4].map((line) => ({ file: "_headers", line, message })));
  });

  test("500 blocks are accepted", () => {
    const { rules, warnings } = parseHeaders(Array.from({ length: 600 }, (_, i) => `/${i}\n X-A: 1`).join("\n"));
    expect(rules).toHaveLength(500);
    expect(warnings).toEqual([{ file: "_headers", line: 1001, message: expect.stringContaining("500 header rules") }]);
  });
});

describe("the path of a header rule", () => {
  test.each([
    ["/*", "/", true],
    ["/*", "/a/b", true],
    ["/about", "/about", true],
    ["/about", "/about/", false],
    ["/assets/*", "/assets/a/b.js", true],
    ["/assets/*", "/assets", false],
    ["/*.js", "/a/b.js", true],
    ["/*.js", "/a/b.json", false],
    ["/*/x/*.png", "/a/b/x/c/d.png", true],
    ["/*/x/*.png", "/a/b/c/d.png", false],
    ["/a*a", "/a", false],
    ["/a*a", "/aa", true],
    ["/:lang/about", "/de/about", true],
    ["/:lang/about", "//about", false],
    ["/:lang/about", "/de/x/about", false],
    ["/:lang/*", "/de/x/about", true],
    ["/docs/*/:page", "/docs/a/b", true],
    ["/docs/*/:page", "/docs/a/", false],
    ["/caf%C3%A9/*", "/café/a", true],
    ["/Talk:Page", "/Talk:Page", true],
    ["/", "/", true],
    ["/", "/a", false],
    ["/a/*/b", "/a/b", false],
    ["/a/*/b", "/a//b", true],
    ["/a/*/:b/c", "/a/x/y/c", true],
    ["/a/*/:b/c", "/a//y/c", true],
    ["/a/*/:b/c", "/a/y/c", false],
    ["/a*b*c", "/abc", true],
    ["/a*b*c", "/acb", false],
    ["/*b*bc", "/abc", false],
    ["/*b*bc", "/abbc", true],
    ["/:lang*", "/:language", true],
    ["/:lang*", "/de", false],
    [`/:a${"/b".repeat(31)}`, `/x${"/b".repeat(31)}`, true],
    [`/*${"/b".repeat(32)}`, `/x/y${"/b".repeat(32)}`, true],
    [`/*${"/b".repeat(32)}`, "/b".repeat(32), false],
  ])("%s and %s: %p", (pattern, path, fits) => {
    expect(matchesGlob(parseGlob(pattern) as Glob, splitGlobPath(path))).toBe(fits);
  });

  test("of a path with thousands of segments only as many are split off as a pattern can have", () => {
    const { first, last } = splitGlobPath("/a".repeat(4000));
    expect([first.length, last.length]).toEqual([33, 33]);
  });
});
