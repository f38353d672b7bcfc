import { describe, expect, test } from "bun:test";
import { compileRedirects } from "./redirect-matcher.ts";
import { parseRedirects } from "./redirects-file.ts";

/** Parses one line. Returns its rule without defaults, or the warning. */
function parseOne(line: string): unknown {
  const { rules, warnings } = parseRedirects(line);
  return rules[0] ?? warnings[0]?.message;
}

describe("the grammar of _redirects", () => {
  test.each([
    ["/old /new", { from: "/old", to: "/new", status: 301, force: false }],
    ["/old\t \t/new   302", { to: "/new", status: 302 }],
    ["/old /new 301!", { status: 301, force: true }],
    ["/old https://example.com/new 308", { to: "https://example.com/new", status: 308 }],
    ["/* /index.html 200", { from: "/*", status: 200 }],
    ["/store id=:id tag=shoes /blog/:id 302", { query: { id: ":id", tag: "shoes" }, to: "/blog/:id" }],
    ["/gone 410", { to: "", status: 410 }],
    ["/gone /gone.html 410!", { to: "/gone.html", status: 410, force: true }],
    ["/law /law.html 451", { status: 451 }],
    ["/old /new 301 # moved in 2019", { to: "/new", status: 301 }],
    ["/café /coffee", { from: "/café" }],
    ["/caf%C3%A9 /coffee", { from: "/caf%C3%A9" }],
    [`${"/a".repeat(100)} /new`, { from: "/a".repeat(100) }],
  ])("%s is a rule", (line, expected) => {
    expect(parseOne(line)).toMatchObject(expected);
  });

  test.each([
    ["/old", "the target is missing"],
    ["old /new", "the path must begin with /"],
    ["https://old.example/* /new", "rules for a host are not supported"],
    ["/old new", "the target is missing"],
    ["/old /new 999", "the status 999 is not supported"],
    ["/old /new 30", "the status 30 is not supported"],
    ["/old /new 302 Country=de", "the condition Country=de is not supported, so the rule was left out"],
    ["/old /new Language=de", "the condition Language=de is not supported"],
    ["/api/* https://api.example.com/:splat 200", "other hosts are not proxied"],
    ["/old //evil.example/", "the target must not begin with //"],
    ["/old?id=1 /new", "query parameters are written as name=value after the path"],
    ["/a/*/b /new", "a * may stand only once, at the end"],
    ["/:a/:a /new", "a placeholder stands twice"],
    ["/%zz /new", "the path is not valid percent-encoding"],
    ["/old 301", "the target is missing"],
    ["/old =x /new", "=x is neither a query parameter nor a target"],
    ["/old __proto__=1 /new", "a query parameter may not have this name"],
    [`/old ${"a=1 ".repeat(9)}/new`, "a rule may ask for at most 8 query parameters"],
    [`/old/* ${"/:splat".repeat(21)}`, "a target may have at most 20 placeholders"],
    [`${"/a".repeat(33)}/* /new`, "a path with :name or * may have at most 32 segments"],
  ])("%s is a warning", (line, message) => {
    expect(parseOne(line)).toStartWith(message);
  });

  test("a byte order mark, CRLF, blank lines and comments are accepted, and lines keep their numbers", () => {
    const { rules, warnings } = parseRedirects("\uFEFF/a /b\r\n\r\n# comment\r\n  /c /d 302  \r\nnonsense\r\n");
    expect(rules.map((rule) => [rule.line, rule.from])).toEqual([
      [1, "/a"],
      [4, "/c"],
    ]);
    expect(warnings).toEqual([{ file: "_redirects", line: 5, message: "the path must begin with /: nonsense" }]);
  });
});

describe("the limits of _redirects", () => {
  test("2,000 plain and 500 pattern rules are accepted, and each limit has one warning", () => {
    const plain = Array.from({ length: 2100 }, (_, i) => `/p${i} /t`);
    const patterns = Array.from({ length: 600 }, (_, i) => `/q${i}/* /t`);
    const { rules, warnings } = parseRedirects([...plain, ...patterns].join("\n"));
    expect(rules).toHaveLength(2500);
    expect(warnings).toEqual([
      { file: "_redirects", line: 2001, message: expect.stringContaining("2000 plain rules") },
      { file: "_redirects", line: 2601, message: expect.stringContaining("500 pattern rules") },
    ]);
  });

  test("everything after 256 KiB is ignored from a complete line on", () => {
    const line = `/${"x".repeat(1000)} /y\n`;
    const { rules, warnings } = parseRedirects(line.repeat(400));
    expect(rules).toHaveLength(Math.floor((256 * 1024) / line.length));
    expect(warnings.some((warning) => warning.message.includes("larger than 256 KiB"))).toBe(true);
  });

  test("256 KiB of garbage cause at most 101 warnings with short messages", () => {
    let seed = 1;
    const garbage = Array.from({ length: 256 * 1024 }, () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return String.fromCharCode(seed % 97 === 0 ? 10 : seed % 256);
    }).join("");
    const { warnings } = parseRedirects(garbage);
    expect(warnings.length).toBeLessThanOrEqual(101);
    for (const { message } of warnings) expect(message.length).toBeLessThan(300);
  });
});

describe("rules that cannot apply", () => {
  const files = new Set(["index.html", "about.html", "docs/index.html", "spa.html", "a page.html"]);
  test.each([
    ["/a /b\n/a /c", 2, "never applies: line 1 answers /a before it"],
    ["/a/ /b\n/a /c", 2, "never applies: line 1"],
    ["/blog/* /b\n/blog/:slug /c", 2, "never applies: line 1 answers /blog/:slug before it"],
    ["/* /spa.html 200\n/x /y", 2, "never applies: line 1"],
    ["/x /y\n/* /spa.html 200!", 1, "never applies: line 2 answers /x before it"],
    ["/a /b\n/b /a", 1, "redirects in a circle: /a → /b → /a"],
    ["/a/* /b/:splat\n/b/* /a/:splat", 1, "redirects in a circle: /a/x → /b/x → /a/x"],
    ["/:a/* /:a/b/:splat", 1, "redirects in a circle: /x/x → /x/b/x → /x/b/b/x"],
    ["/self /self", 1, "redirects in a circle: /self → /self"],
    ["/a/* /a/:splat", 1, "redirects in a circle: /a/* → /a/:splat"],
    ["/about /team", 1, "never applies: the file about.html answers; write 301! to force it"],
    ["/about/ /about", 1, "never applies: the file about.html answers"],
    ["/about /about/ 301!", 1, "redirects in a circle: /about → /about/ → /about"],
    ["/docs/ /docs 301!", 1, "redirects in a circle: /docs/ → /docs"],
    ["/a /b?x=1\n/b /a", 1, "redirects in a circle: /a → /b?x=1 → /a?x=1 → /b?x=1"],
    ["/a x=1 /b\n/b /a?x=1", 2, "redirects in a circle: /b → /a?x=1 → /b?x=1 → /a?x=1"],
    ["/t1/ /t1\n/t1 /a\n/t1 /c", 3, "never applies: line 2 answers /t1 before it"],
    ["/blog/* /blog/all\n/blog/news /c", 2, "never applies: line 1"],
    ["/old/* /new/:splat\n/old/x /c", 2, "never applies: line 1"],
    ["/:t/host https://:t.example.com/\n/:u/host /new.html 200\n/:v/host /c", 3, "never applies: line 2"],
    ["/a/b/* /spa.html 200\n/a/* /a/b/c 301\n/a/b/c /two", 3, "never applies: line 1 answers /a/b/c before it"],
    ["/x /two%20words.html 200", 1, "the target /two%20words.html is not in this deployment"],
    ["/a /docs\n/docs/ /a 302!", 1, "redirects in a circle: /a → /docs → /a"],
    ["/docs /elsewhere 301", 1, "never applies: the file docs/index.html answers; write 301! to force it"],
    ["/docs/ /elsewhere 301", 1, "never applies: the file docs/index.html answers"],
    ["/x /nothing.html 200", 1, "the target /nothing.html is not in this deployment"],
    ["/x/:id /y/:slug", 1, ":slug stands in the target, but not in the path"],
  ])("%j", (text, line, message) => {
    const { warnings } = parseRedirects(text, files);
    expect(warnings).toContainEqual({ file: "_redirects", line, message: expect.stringContaining(message) });
  });

  test.each([
    "/a id=1 /b\n/a /c",
    "/* /index.html 200",
    "/* /docs 302",
    "/a /b\n/c/* /d",
    "/home / 301",
    "/a/* /a/b/:splat",
    "/* /x/:splat",
    "/a https://example.com/a",
    "/guide /docs 200",
    "/port https://example.com:8080/x",
    "/w /a%20page.html 200",
    "/w /a%20page 200",
    "/t1/ /t1 301\n/t1 /spa.html 200",
    "/self /self?x=1 302",
    "/self /self?x=1 302\n/self x=1 /spa.html 200",
    "/self /self?x=1 302\n/self /spa.html 200",
    "/* /start\n/start /spa.html 200",
    "/blog/* /blog/all\n/blog/:slug /spa.html 200",
    "/:t/host https://:t.example.com/\n/%C3%A9/host /new",
    "/:t/host https://:t.example.com/\n/:u/host /new",
    "/:t/:u/host https://:t.example.com/\n/:t/:u/host https://:u.example.com/",
    "/* k=1 https://:splat/ 302\n/* /a/:splat 301!",
    "/* /a/:splat 302!\n/:q/b* https://:splat/ 301",
    "/d/* /d/v1/:splat 301!\n/d/v1/old /d/v1/new",
    "/d/* /d/v1/:splat 301!\n/d/:page /spa.html 200",
    "/d/* /d/v1/:splat 301!\n/d/:version/:page /spa.html 200",
    "/* /start\n/:page/* /spa.html 200",
    "/:a/:b /:b/x\n/:a/:b/ /spa.html 200",
    "/w /docs%2Findex.html 200",
  ])("%j has no warning", (text) => {
    expect(parseRedirects(text, files).warnings).toEqual([]);
  });

  test("a rule with the warning that it never applies matches no URL", () => {
    const draw = numbers();
    const pick = (words: readonly string[]) => words[draw() % words.length] as string;
    const froms = [
      "/a",
      "/a/",
      "/b",
      "/a/b",
      "/*",
      "/a/*",
      "/a*",
      "/:x",
      "/:x/b",
      "/a/:x",
      "/:x/*",
      "/:x/:y",
      "/a%2Fb",
    ];
    const tos = [
      "/a",
      "/b",
      "/a/b",
      "/c",
      "/a/",
      "/:x",
      "/a/:x",
      "/:splat",
      "/a/:splat",
      "/b/:splat",
      "/:y/:x",
      "/a?q=1",
    ];
    const others = [
      "https://:x.test/",
      "https://a.test/:splat",
      "/:x/:splat",
      "/b#a",
      "//x",
      "/ab",
      "/a-:x/:x",
      "/a:x",
    ];
    const ends = ["", "301!", "200", "200!", "404", "302"];
    const words = ["a", "b", "ab", "c", "é", "a%2Fb"];
    const paths = ["/", ...words.flatMap((one) => [`/${one}`, `/${one}/`, ...words.map((two) => `/${one}/${two}`)])];
    const deep = paths.flatMap((path) => [path, `${path}/b`, `${path}/b/`]);
    let hidden = 0;
    for (let i = 0; i < 500; i += 1) {
      const text = Array.from({ length: 4 }, () => {
        const query = draw() % 8 === 0 ? "q=1 " : "";
        return `${pick(froms)} ${query}${pick([...tos, ...others])} ${pick(ends)}`;
      }).join("\n");
      const { rules, warnings } = parseRedirects(text);
      const never = new Set(
        warnings.filter(({ message }) => message.startsWith("never applies")).map(({ line }) => line),
      );
      hidden += never.size;
      if (never.size === 0) continue;
      const forced = compileRedirects(rules.filter((rule) => rule.force));
      const other = compileRedirects(rules.filter((rule) => !rule.force));
      for (const address of deep) {
        for (const query of ["", "?q=1"]) {
          const path = address.replace("é", "%C3%A9");
          const match = forced.match(path, query) ?? other.match(path, query);
          if (match && never.has(match.rule.line))
            throw new Error(`${address}${query} is answered by line ${match.rule.line} of\n${text}`);
        }
      }
    }
    expect(hidden).toBeGreaterThan(200);
  });
});

/** Returns a random generator with a fixed seed, so that the test is the same in each run. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
