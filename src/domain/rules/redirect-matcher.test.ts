import { describe, expect, test } from "bun:test";
import { compileRedirects } from "./redirect-matcher.ts";
import { parseRedirects } from "./redirects-file.ts";

/** Returns the target of a request and the line of its rule. */
function follow(rules: string, url: string): string | null {
  const [path = "", query] = url.split(/(?=\?)/);
  const match = compileRedirects(parseRedirects(rules).rules).match(path, query ?? "");
  return match && `${match.rule.line} ${match.kind === "redirect" ? match.location : match.path}`;
}

describe("matching", () => {
  test.each([
    ["/old /new", "/old", "1 /new"],
    ["/old /new", "/old/", "1 /new"],
    ["/old/ /new", "/old", "1 /new"],
    ["/old /new", "/OLD", null],
    ["/old /new", "/old/x", null],
    ["/blog/* /news/:splat", "/blog/a/b", "1 /news/a/b"],
    ["/blog/* /news/:splat", "/blog/a/", "1 /news/a/"],
    ["/blog/* /news/:splat", "/blog", "1 /news/"],
    ["/blog/* /news/:splat", "/blogger", null],
    ["/pre* /x/:splat", "/prefix/a", "1 /x/fix/a"],
    ["/news* /blog/:splat", "/news/x/", "1 /blog/x/"],
    ["/news* /blog/:splat", "/news/", "1 /blog/"],
    ["/news* /blog/:splat 200", "/news/x", "1 /blog/x"],
    ["/:year/:month /archive/:month/:year", "/2024/05", "1 /archive/05/2024"],
    ["/:year/:month /x", "/2024", null],
    ["/:year/:month /x", "/2024//", null],
    ["/:lang/docs/* /d/:lang/:splat", "/de/docs/a/b", "1 /d/de/a/b"],
    ["/wiki/Talk:Page /x", "/wiki/Talk:Page", "1 /x"],
    ["/café /coffee", "/café", "1 /coffee"],
    ["/caf%C3%A9 /coffee", "/café", "1 /coffee"],
    ["/café /coffee", "/caf%C3%A9", "1 /coffee"],
    ["/* /index.html 200", "/", "1 /index.html"],
    ["/a /caf%C3%A9 200", "/a", "1 /café"],
    ["/x/* /files/:splat 200", "/x/ü b", "1 /files/ü b"],
    ["/v6 https://[2001:db8::1]:8080/a[1]", "/v6", "1 https://[2001:db8::1]:8080/a%5B1%5D"],
  ])("%s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });

  test.each([
    ["/p/:id /q/:id", "/p/a%2Fb", "1 /q/a%2Fb"],
    ["/p/:id /q/:id", "/p/a%2fb", "1 /q/a%2Fb"],
    ["/p/:id /q/:id", "/p/a/b", null],
    ["/p/* /q/:splat", "/p/a%2Fb/c", "1 /q/a%2Fb/c"],
    ["/p/* /q?path=:splat", "/p/a%2Fb/c", "1 /q?path=a%2Fb%2Fc"],
    ["/p/:id https://example.com/:id", "/p/a%2Fb", "1 https://example.com/a%2Fb"],
    ["/p/:id https://:id.example.com/", "/p/a%2Fb", null],
    ["/p/* /files/:splat 200", "/p/a%2Fb", "1 /files/a/b"],
    ["/p/a%2Fb /x\n/p/a/b /y", "/p/a%2Fb", "1 /x"],
    ["/p/a%2Fb /x\n/p/a/b /y", "/p/a/b", "2 /y"],
    ["/p/:id /p/:id", "/p/a%2Fb", null],
    ["/drafts/* /gone 404!", "/drafts%2Fa", "1 /gone"],
    ["/:page /pages/:page\n/drafts/* /gone 404!", "/drafts%2Fa", "1 /pages/drafts%2Fa"],
    ["/p/:id /q/:id", "/p/%2Fb%", null],
  ])("an escaped slash is part of a segment, if a rule matches that: %s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });

  test("a target's query does not change the file, and the visitor's query stays complete", () => {
    const match = (rule: string) => compileRedirects(parseRedirects(rule).rules).match("/x/a?b#c.txt", "");
    expect(match("/x/* /files/:splat 200")).toMatchObject({ path: "/files/a?b#c.txt" });
    expect(match("/x/* /files/:splat?v=:splat#:splat 200")).toMatchObject({ path: "/files/a?b#c.txt" });
    expect(match("/x/* /files%3F/index.html?x=/y 200")).toMatchObject({ path: "/files?/index.html" });
  });

  test("the first matching rule in the file wins, with or without a pattern", () => {
    const rules = "/b/:x /one\n/b/a /two\n/* /three\n/c /four";
    expect(follow(rules, "/b/a")).toBe("1 /one");
    expect(follow(rules, "/c")).toBe("3 /three");
    expect(follow(`/b/a /zero\n${rules}`, "/b/a")).toBe("1 /zero");
  });
});

describe("query parameters", () => {
  test.each([
    ["/store id=:id /blog/:id", "/store?id=12", "1 /blog/12?id=12"],
    ["/store id=:id /blog/:id", "/store", null],
    ["/store id=12 /blog", "/store?id=13", null],
    ["/store id=:id /blog/:id?from=store", "/store?id=1&x=2", "1 /blog/1?from=store"],
    ["/old /new", "/old?a=1&b=2", "1 /new?a=1&b=2"],
    ["/old /new#part", "/old?a=1", "1 /new?a=1#part"],
    ["/find q=:q /search?text=:q", "/find?q=a%26b%3Dc", "1 /search?text=a%26b%3Dc"],
    ["/old /new?x=1", "/old?a=1", "1 /new?x=1"],
    ["/old /app#/route?tab=1", "/old?a=1", "1 /app?a=1#/route?tab=1"],
    ["/old /app?x=1#/route?tab=1", "/old?a=1", "1 /app?x=1#/route?tab=1"],
    ["/old/* /app#:splat", "/old/x?a=1", "1 /app?a=1#x"],
    ["/find q=:q /app#/find?q=:q", "/find?q=a%26b%3Dc", "1 /app?q=a%26b%3Dc#/find?q=a%26b%3Dc"],
    ["/p id=:id /q/:id", "/p?id=a%2Fb%3F%C3%A4", "1 /q/a%2Fb%3F%C3%A4?id=a%2Fb%3F%C3%A4"],
    [
      "/old id=:id https://example.com/:id",
      "/old?id=a%2Fb%0d%0ax",
      "1 https://example.com/a%2Fb%0D%0Ax?id=a%2Fb%0d%0ax",
    ],
  ])("%s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });
});

describe("URLs that match no rule", () => {
  test("are cached, and distinguished by their queries", () => {
    const rules = Array.from({ length: 30 }, (_, i) => `/:a/${i} q=1 /x`).join("\n");
    const { match } = compileRedirects(parseRedirects(rules).rules);
    for (let i = 0; i < 100; i += 1) expect([match(`/a/${i}`, ""), match(`/a/${i}`, "")]).toEqual([null, null]);
    expect(match("/a/7", "?q=1")).toMatchObject({ location: "/x?q=1" });
    expect(match("/a/7", "")).toBe(null);
  });
});

describe("safety of the target", () => {
  test("a visitor cannot make a path redirect to another host", () => {
    expect(follow("/old/* /:splat", "/old//evil.example/")).toBe("1 /evil.example/");
    expect(follow("/go/:to /:to", "/go/\r\nSet-Cookie: a")).toBe("1 /%0D%0ASet-Cookie:%20a");
    expect(follow("/go/:to /:to", "/go/%0D%0ASet-Cookie:%20a")).toBe("1 /%0D%0ASet-Cookie:%20a");
  });

  test.each([
    ["/go t=:t https://:t.example.com/", "/go?t=de", "1 https://de.example.com/?t=de"],
    ["/go t=:t https://:t.example.com/", "/go?t=evil.test/", null],
    ["/go t=:t https://:t.example.com/", "/go?t=evil.test%23", null],
    ["/go t=:t https://:t.example.com/", "/go?t=a@b", null],
    ["/go t=:t https://:t.example.com/", "/go?t=", null],
    ["/go/:t https://:t.example.com/", "/go/de", "1 https://de.example.com/"],
    ["/go/:t https://:t.example.com/", "/go/evil.test\u{fe68}", null],
    ["/go/:t https://:t.example.com/", "/go/evil.test:80", null],
    ["/go/* https://:splat.example.com/", "/go/evil.test/x", null],
    ["/go/* https://:splat.example.com?to=:splat", "/go/evil.test/x", null],
    ["/go/:t/* https://:t.example.com/:splat", "/go/de/a/b", "1 https://de.example.com/a/b"],
  ])("only text that is part of a hostname is inserted into the target's host: %s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });

  test.each([
    ["/caf%c3%a9/ /caf%c3%a9", "/caf%C3%A9", null],
    ["/a /a#top", "/a", null],
    ["/a /a#top", "/a/", "1 /a#top"],
    ["/p q=:q /p?q=:q", "/p?q=a%26b", null],
    ["/p q=:q /p?q=:q", "/p?q=a+b", "1 /p?q=a%20b"],
    ["/p q=:q /p?q=:q", "/p?q=a/b", null],
    ["/:x/* /:x/:splat?p=:splat", "/q/a/b?p=a%2Fb", null],
    ["/p/:x id=:id /p/:id", "/p/a%2Fb?id=a/b", null],
  ])("a redirect to the requested URL is skipped in every notation: %s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });

  test("after 50 redirects to the requested URL, no other rule applies", () => {
    const rules = (count: number) => `${"/:a/* /:a/:splat\n".repeat(count)}/* /last`;
    expect([follow(rules(49), "/x/y"), follow(rules(50), "/x/y")]).toEqual(["50 /last", null]);
  });

  test("a redirect to the requested URL is skipped", () => {
    expect(follow("/about/ /about\n/* /other", "/about")).toBe("2 /other");
    expect(follow("/about/ /about", "/about/")).toBe("1 /about");
    expect(follow("/* /x", "/x")).toBe(null);
  });

  test.each([
    ["/* /en/:splat 302", "/x/y", "1 /en/x/y"],
    ["/* /en/:splat 302", "/en/x", null],
    ["/* /en/:splat 302", "/en", null],
    ["/* /en/:splat 302", "/en/", null],
    ["/* /en/:splat 302", "/english", "1 /en/english"],
    ["/docs/* /docs/v1/:splat", "/docs/v1/a", null],
    ["/docs/* /docs/v1/:splat", "/docs/v10/a", "1 /docs/v1/v10/a"],
    ["/docs/* /docs/caf%C3%A9/:splat", "/docs/café/a", null],
    ["/a* /a-:splat", "/a-x", null],
    ["/* /en/:splat?x=1", "/en/x", null],
    ["/:lang/* /en/:splat", "/en/x", null],
    ["/:lang/* /en/:splat", "/de/x", "1 /en/x"],
    ["/a/b/* /a/:splat", "/a/b/x", "1 /a/x"],
    ["/a/* /:splat", "/a/a/x", "1 /a/x"],
    ["/* /en/:splat 200", "/en/x", "1 /en/en/x"],
    ["/* https://example.com/en/:splat", "/en/x", "1 https://example.com/en/en/x"],
    ["/* /en/ 302", "/en/x", "1 /en/"],
    ["/docs/* /docs/v1/:splat\n/* /index.html 200", "/docs/v1/a", null],
    ["/w/* /w/Talk:Page/:splat", "/w/Talk:Page/a", null],
    ["/docs/* v=1 /docs/v1/:splat\n/* /index.html 200", "/docs/v1/a", "2 /index.html"],
  ])("a redirect into a folder does not repeat: %s for %s", (rule, url, expected) => {
    expect(follow(rule, url)).toBe(expected);
  });

  test("500 matching patterns are compared at once with a path of thousands of segments", () => {
    const rules = Array.from({ length: 500 }, (_, i) => `/a/:x/* q=${i} /t/:splat`).join("\n");
    const { match } = compileRedirects(parseRedirects(rules).rules);
    // If each rule parsed the query, this would take half a minute.
    const path = `/${"a/".repeat(1_000_000)}`;
    expect(match(path, "")).toBe(null);
  });

  test("patterns that would cause catastrophic backtracking are compared at once", () => {
    const from = (i: number) => `/:a${i}/:b${i}${"/a/:c/a".repeat(30).replace(/:c/g, () => `:c${seed++}`)}/b*`;
    let seed = 0;
    const rules = Array.from({ length: 500 }, (_, i) => `${from(i)} /x`).join("\n");
    expect(compileRedirects(parseRedirects(rules).rules).match(`/${"a/".repeat(4000)}`, "")).toBe(null);
  });
});
