import { describe, expect, test } from "bun:test";
import { bundledPublicSuffixes } from "../../clients/dns/public-suffixes.ts";
import { DomainError } from "../errors.ts";
import { counterpart, parseHostname } from "./hostname.ts";

const own = { baseHost: "vitrine.example.net", sitesDomain: "pages.example.net" };
const suffixes = bundledPublicSuffixes();
const parse = (text: string) => parseHostname(text, suffixes, own);

function refusal(text: string): string {
  try {
    return `accepted as ${parse(text)}`;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "invalid") return error.detail;
    throw error;
  }
}

describe("a valid hostname is stored in lower case, as A-labels and without trailing dot", () => {
  test.each([
    ["www.example.org", "www.example.org"],
    ["example.org", "example.org"],
    ["WWW.Example.ORG", "www.example.org"],
    ["www.example.org.", "www.example.org"],
    ["müller.example", "xn--mller-kva.example"],
    ["xn--mller-kva.example", "xn--mller-kva.example"],
    ["XN--MLLER-KVA.example", "xn--mller-kva.example"],
    ["a.b.c.d.example.co.uk", "a.b.c.d.example.co.uk"],
    ["1.example.org", "1.example.org"],
    ["notpages.example.net", "notpages.example.net"],
    ["example.net", "example.net"],
    [`${"a".repeat(63)}.example.org`, `${"a".repeat(63)}.example.org`],
  ])("%p", (text, stored) => {
    expect(parse(text)).toBe(stored);
  });
});

describe("an invalid hostname is refused with the reason", () => {
  test.each([
    ["", "empty"],
    [".", "empty"],
    ["..", "empty label"],
    ["www..example.org", "empty label"],
    [".example.org", "empty label"],
    ["www.example.org..", "empty label"],
    ["example", "single label"],
    ["localhost", ".localhost"],
    ["site.localhost", ".localhost"],
    ["printer.local", ".local"],
    ["db.internal", ".internal"],
    ["7.113.0.203.in-addr.arpa", ".arpa"],
    ["a.onion", ".onion"],
    ["203.0.113.7", "IP address"],
    ["203.0.113.7.", "IP address"],
    ["127.1", "IP address"],
    ["0x7f.0.0.0x1", "IP address"],
    ["１２７.0.0.1", "IP address"],
    ["2001:db8::7", "bare name"],
    ["[2001:db8::7]", 'character "["'],
    ["https://www.example.org", "bare name"],
    ["www.example.org:443", "bare name"],
    ["www.example.org/", "bare name"],
    ["*.example.org", "wildcards"],
    ["www.*.org", "wildcards"],
    ["exa mple.org", 'character " "'],
    [" example.org", 'character " "'],
    ["example.org\n", "character"],
    ["exa\u0000mple.org", "character"],
    ["ex%61mple.org", 'character "%"'],
    ["user@example.org", 'character "@"'],
    ["_dmarc.example.org", 'character "_"'],
    ["-a.example.org", '"-a"'],
    ["a-.example.org", '"a-"'],
    ["ab--cd.example.org", "reserved"],
    ["xn--a.example", "IDNA"],
    ["xn--.example", "IDNA"],
    ["a\u200db.example", "IDNA"],
    [`${"a".repeat(64)}.example.org`, "64 characters"],
    [`${"a.".repeat(121)}example.org`, "characters"],
    [`${"a.".repeat(112)}example.org`, "room for the TXT record"],
    ["com", "single label"],
    ["co.uk", "public suffix"],
    ["github.io", "public suffix"],
    ["vitrine.example.net", "belongs to this server"],
    ["VITRINE.example.net.", "belongs to this server"],
    ["pages.example.net", "belongs to this server"],
    ["blog.pages.example.net", "belongs to this server"],
    ["3--blog.pages.example.net", "belongs to this server"],
  ])("%p: %s", (text, why) => {
    expect(refusal(text)).toContain(why);
  });
});

test("the counterpart of a registered domain is its www, and the reverse", () => {
  expect(counterpart("example.co.uk", suffixes)).toBe("www.example.co.uk");
  expect(counterpart("www.example.co.uk", suffixes)).toBe("example.co.uk");
  expect(counterpart("shop.example.co.uk", suffixes)).toBeNull();
});
