import { describe, expect, test } from "bun:test";
import { readMarkup } from "../../clients/html/read-markup.ts";
import type { FileReader } from "../model/file-facts.ts";
import { newSecret } from "../tokens/secret.ts";
import { hashAnchor } from "./anchors.ts";
import { readFile, unreadFile } from "./file-facts.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readWhole = (reader: FileReader, content: string | Uint8Array) =>
  readFile(reader, typeof content === "string" ? bytesOf(content) : content, readMarkup);
const read = (reader: FileReader, content: string | Uint8Array) => readWhole(reader, content).facts;

/** Returns the addresses as `kind address`. */
const addressesIn = (reader: FileReader, content: string | Uint8Array) =>
  read(reader, content).references.map(({ kind, address }) => `${kind} ${address}`);

describe("a page", () => {
  test.each<[what: string, page: string, addresses: readonly string[]]>([
    ["entities", '<a href="/a?b=1&amp;c=2&#x26;d&lt">', ["link /a?b=1&c=2&d<"]],
    ["quotes and case", "<A HREF='/a'></A><a href=/b>", ["link /a", "link /b"]],
    ["the first of two attributes", '<a href="/a" href="/b">', ["link /a"]],
    ["a slash that ends nothing", "<a/href=/a/><a href=/b />", ["link /a/", "link /b"]],
    ["a comment", "<!-- <a href=/a> --><!--><a href=/b>-->", ["link /b"]],
    ["a script", "<script>'<a href=/a>'</script><a href=/b>", ["link /b"]],
    ["a title", "<title><a href=/a></title><textarea><img src=/b></textarea>", []],
    ["without scripts", "<noscript><a href=/a></noscript>", ["link /a"]],
    ["a template", "<template><a href=/a><template></template><a href=/b></template><a href=/c>", ["link /c"]],
    ["an unclosed template", "<template><a href=/a>", []],
    ["other schemes", '<a href="mailto:a"><a href=" javascript:x"><a href="data:,"><a href="java\nscript:x">', []],
    [
      "an area and a form",
      "<area href=/a><form action=/b?c#d><form method=post action=/e><form>",
      ["link /a", "form /b"],
    ],
    ["a refresh", `<meta http-equiv=refresh content="0; URL='/a'"><meta http-equiv=refresh content=5>`, ["link /a"]],
    ["a refresh with spaces", "<meta http-equiv=refresh content='0 ;url=/a b'>", ["link /a b"]],
    ["a refresh without a time", "<meta http-equiv=refresh content='; url=/a'>", []],
    ["a srcset", '<img srcset="/a,b 1x, /c 2x,/d,, /e (x,y) 3x">', ["image /a,b", "image /c", "image /d", "image /e"]],
    [
      "media",
      "<video src=/a poster=/b><source src=/c srcset=/d><track src=/e>",
      "media /a,image /b,media /c,image /d,media /e".split(","),
    ],
    ["frames", "<iframe src=/a></iframe><object data=/b><embed src=/c>", ["frame /a", "object /b", "object /c"]],
    [
      "scripts",
      "<script src=/a></script><script type=module src=/b></script><script type=x src=/c></script>",
      ["script /a", "script /b"],
    ],
    [
      "links",
      "<link rel='Icon x' href=/a><link rel=alternate href=/b><link rel=preload imagesrcset='/c 1x' href=/d>",
      ["image /a", "image /c", "preload /d"],
    ],
    ["the canonical address", "<link rel=canonical href=https://a.example/>", ["canonical https://a.example/"]],
    [
      "SVG",
      "<svg><use xlink:href='/a#x'/><use href='#b'/><image href=/c /><style>a{fill:url(/d)}</style></svg>",
      ["image /a#x", "image /c", "image /d"],
    ],
    ["an image that loads nothing", "<img src=''><img src=' '><input type=image src=/a><input src=/b>", ["image /a"]],
    ["style attributes", `<p style="background:url(/a)"><p style='b:url("/b")'>`, ["image /a", "image /b"]],
    ["plain text", "<plaintext><a href=/a></plaintext><a href=/b>", []],
  ])("reads %s as a browser does", (_, page, addresses) => {
    expect(addressesIn("page", page)).toEqual([...addresses]);
  });

  test("has the lines of the file, its base and the places that fragments name", () => {
    const page = '<base href="/b/"><base href="/c/">\r\n<p id=one>\n<a\nhref="x" name="t&uuml;r">';
    const { facts, outline } = readWhole("page", page);
    expect(facts.base).toBe("/b/");
    expect(facts.references.map(({ line }) => line)).toEqual([4]);
    expect(outline).toEqual({ links: 1, anchors: Uint32Array.from(["one", "tür"].map(hashAnchor)).sort() });
  });

  test.each<[what: string, bytes: Uint8Array]>([
    ["UTF-8 whatever it declares", bytesOf('<meta charset="iso-8859-1"><a href="/ü">')],
    ["what it declares", Buffer.from('<meta charset="iso-8859-1"><a href="/ü">', "latin1")],
    ["Windows-1252 without a declaration", Buffer.from('<a href="/ü">', "latin1")],
    ["its byte order mark", Buffer.from('\ufeff<a href="/ü">', "utf16le")],
    ["a declaration that no browser knows", Buffer.from('<meta charset="x-none"><a href="/ü">', "latin1")],
  ])("is decoded as %s", (_, bytes) => {
    expect(addressesIn("page", bytes)).toEqual(["link /ü"]);
  });
});

test.each<[what: string, sheet: string, addresses: readonly string[]]>([
  ["quotes", `a{b:url("/a");c:url('/b');d:url(/c)}`, ["image /a", "image /b", "image /c"]],
  ["white space and case", 'a{b:URL(\n"/a" );c:url( /b )}', ["image /a", "image /b"]],
  ["imports", `@import "/a"; @import/**/url(/b) print; @IMPORT url("/c");`, ["style /a", "style /b", "style /c"]],
  ["comments and strings", `/* url(/a) */ a{content:"url(/b)";c:url(/d)} /* "`, ["image /d"]],
  ["escapes", String.raw`a{b:url(/a\)b\20 c);c:url("/\"d")}`, ["image /a)b c", 'image /"d']],
  ["addresses without a request", "a{b:url(data:x);c:url(#d);d:url()}", []],
  ["namespaces", "@namespace url(http://a.example/);@NAMESPACE svg 'http://b.example/';a{b:url(/c)}", ["image /c"]],
  ["broken addresses", `a{b:url(/a b);c:url(/d"e);f:url(/g`, ["image /g"]],
  ["names that end like it", "a{b:my-url(/a);c:_url(/b)} @imports '/c'", []],
])("a style sheet with %s is read as a browser does", (_, sheet, addresses) => {
  expect(addressesIn("style", sheet)).toEqual([...addresses]);
});

test("a manifest has icons and a start address", () => {
  const manifest = '{"icons":\n[{"src":"/a"}, null, {"src": 1}],\n"start_url":"/b"}';
  expect(read("manifest", manifest).references.map(({ address, line }) => [address, line])).toEqual([
    ["/b", 3],
    ["/a", 2],
  ]);
  for (const broken of ["", "[", "null", "3", '{"icons":3}']) expect(addressesIn("manifest", broken)).toEqual([]);
});

/** What takes the square of its length would take minutes. */
const HALF_A_MEGABYTE = 512 * 1024;
const many = (text: string) => text.repeat(HALF_A_MEGABYTE / text.length);

test.each<[what: string, content: string]>([
  ["opening brackets", many("<")],
  ["opening tags", many("<a ")],
  ["nested elements", many("<div>")],
  ["closing tags", many("</div>")],
  ["one tag of attributes", `<a ${many("b=c ")}>`],
  ["attributes with one name", `<a ${many("href=/a ")}>`],
  ["one attribute", `<a href="${many("x")}">`],
  ["quotes", many(`"'`)],
  ["entities", many("&amp;&#99999999999;&")],
  ["comments", many("<!--")],
  ["NUL", `<a href="/a\0b">\0${many("<p\0>")}`],
  ["style elements", many("<style>")],
  ["open functions", many("url(")],
  ["open functions and white space", `url(${many(" ")}`],
  ["escapes", many("\\")],
  ["imports", many("@import")],
  ["imports with comments", many("@import/**/")],
  ["private keys", many("-----BEGIN PRIVATE KEY-----\\n")],
  ["prefixes of secrets", many("sk-T3BlbkFJ-")],
  ["srcset", `<img srcset="${many(",")}"><img srcset="${many("a (")}">`],
  ["a refresh", `<meta http-equiv=refresh content="${many(" ")}">`],
  ["templates", many("<template>")],
  ["foreign elements", many("<svg><title>")],
])("half a megabyte of %s is read in a moment", (_, content) => {
  for (const reader of ["page", "style", "manifest", "text"] as const) {
    const start = performance.now();
    read(reader, reader === "style" || !content.includes("url(") ? content : `<style>${content}</style>`);
    expect(performance.now() - start).toBeLessThan(10_000);
  }
});

test("the largest page is read in a moment, also if it is one line, as minified pages are", () => {
  const page = `<a href=/x>${"x".repeat(190)}</a>`.repeat(49_000);
  const before = process.cpuUsage();
  expect(read("page", page).references).toHaveLength(49_000);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
});

test("what cannot be read is a problem, never an error", () => {
  const binary = new Uint8Array(1000).map((_, index) => index % 9);
  expect(read("page", binary).problem).toBe("it is not text");
  expect(read("text", binary).problem).toBeNull();
  expect(unreadFile("page", 11 * 1024 * 1024)?.facts.problem).toBe("it is larger than 10 MiB");
  expect(read("page", "<a href=/x>".repeat(50_001))).toMatchObject({ problem: "it has more than 50000 links" });
  const broken = readFile("page", bytesOf("<p>"), () => {
    throw new Error("the parser has a bug");
  });
  expect(broken.facts).toMatchObject({ references: [], problem: "it cannot be read as what its name says" });
});

describe("a secret", () => {
  const ownSecret = (prefix: "vtd" | "vtr") =>
    newSecret({ random: (length) => new Uint8Array(length).fill(7), sha256: String }, prefix);
  const own = ownSecret("vtd");
  const letters = (length: number) => "aB3dE5gH7jK9mN2pQ4sT6vW8yZ1".repeat(8).slice(0, length);
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY-----`;

  test.each<[name: string, value: string]>([
    ["an AWS access key", `AKIA${"Q3EGJ7KLMNPRSTUV"}`],
    ["a GitHub token", `ghp_${letters(36)}`],
    ["a GitHub token", `github_pat_${letters(22)}_${letters(59)}`],
    ["a GitLab token", `glpat-${letters(20)}`],
    ["a Slack token", `xoxb-1234567890-1234567890123-${letters(24)}`],
    ["a Stripe live key", `sk_live_${letters(24)}`],
    ["an npm token", `npm_${letters(36)}`],
    ["an OpenAI key", `sk-proj-${letters(40)}T3BlbkFJ${letters(40)}`],
    ["an Anthropic key", `sk-ant-api03-${letters(93)}AA`],
    ["a private key", key],
    ["a private key", JSON.stringify(key)],
    ["a credential of this server", ownSecret("vtd")],
    ["a credential of this server", ownSecret("vtr")],
  ])("is found: %s", (name, value) => {
    const [found, ...others] = read("text", `first line\nkey = '${value}';`).secrets;
    expect(others).toEqual([]);
    expect(found).toMatchObject({ name, line: 2 });
    expect(value).toContain(found?.start as string);
    expect(found?.start).toHaveLength(8);
  });

  test.each([
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    `ghp_${"x".repeat(36)}`,
    `ghp_${letters(35)}`,
    `ghp_${letters(37)}`,
    `sk_test_${letters(24)}`,
    `pk_live_${letters(24)}`,
    "-----BEGIN PRIVATE KEY-----\nMIIEvQ...\n-----END PRIVATE KEY-----",
    `-----BEGIN CERTIFICATE-----\n${letters(64)}\n`,
    `LS0tLS1CRUdJTiB${letters(64)}`,
    `${own.slice(0, -1)}${own.endsWith("a") ? "b" : "a"}`,
    letters(200),
  ])("is not %s", (text) => {
    expect(read("text", text).secrets).toEqual([]);
  });
});
