import { describe, expect, test } from "bun:test";
import { provesClaim, randomToken } from "./challenge.ts";
import { addressProblem, proofNotSeen } from "./messages.ts";
import { type AddressesSeen, type Place, placeAddresses } from "./observation.ts";
import { aClaim, T0 } from "./testing/observations.ts";

const claim = aClaim();
const RESOLVER = "192.0.2.53:53";
const targets = [
  { type: "A", value: "203.0.113.7" },
  { type: "AAAA", value: "2001:db8::7" },
  { type: "CNAME", value: "pages.example.net" },
] as const;

describe("a missing proof", () => {
  const say = (values: string[], why: string | null = null) =>
    proofNotSeen(claim, { kind: "answered", resolver: RESOLVER, values, why });

  test("is reported with the record found, the expected record and the resolver", () => {
    const message = say(["v=spf1 -all"]);
    expect(message).toContain(`TXT record _vitrine-challenge.www.example.org with the value token=${"a".repeat(32)}`);
    expect(message).toContain('found TXT "v=spf1 -all"');
    expect(message).toContain(RESOLVER);
  });

  test("shows a few values, truncated and without control characters", () => {
    const message = say(["\u001b[31mred\u0000", "\u009b", "x".repeat(5000), "four", "five"]);
    expect(message).toContain('"\\u001b[31mred\\u0000", "\\u009b"');
    expect(message).toContain("and 2 more");
    expect(message.length).toBeLessThan(600);
  });

  test("is distinguished from a failing resolver and one that does not respond", () => {
    expect(say([], "NXDOMAIN: the name does not exist")).toContain("said NXDOMAIN");
    expect(proofNotSeen(claim, { kind: "failed", resolver: RESOLVER, reason: "SERVFAIL" })).toContain("SERVFAIL");
    expect(proofNotSeen(claim, { kind: "silent", resolver: RESOLVER, reason: "no reply" })).toContain("no resolver");
  });
});

test("a failed lookup of the proof is reported with the record, until it was seen", () => {
  const failed = { kind: "failed", resolver: RESOLVER, reason: "SERVFAIL" } as const;
  expect(proofNotSeen(claim, failed)).toEndWith(`with the value token=${"a".repeat(32)}.`);
  expect(proofNotSeen({ ...claim, status: "verified" }, failed)).not.toContain("token=");
});

describe("addresses", () => {
  const say = (seen: AddressesSeen, activatedAt: number | null = null) =>
    addressProblem({ hostname: "www.example.org", activatedAt }, seen, targets);
  const at = (...places: Place[]): AddressesSeen => ({
    kind: "addresses",
    resolver: RESOLVER,
    addresses: places.map((place, index) => ({ address: `192.0.2.${index}`, place })),
    aliases: ["old.example.com"],
  });

  test.each<[string, AddressesSeen, string | null]>([
    ["ours are no problem", at("ours", "ours"), null],
    ["the edge's are no problem", at("edge"), null],
    ["elsewhere are named, with their aliases", at("elsewhere"), "found 192.0.2.0 (over CNAME old.example.com)"],
    ["that are partly elsewhere are reported", at("ours", "elsewhere"), "points elsewhere in part"],
    [
      "of both this server and the edge are reported",
      at("ours", "edge"),
      "points both to this server (192.0.2.0) and to the edge",
    ],
    ["many are cut short", at("elsewhere", "elsewhere", "elsewhere", "elsewhere"), "192.0.2.2, …"],
    [
      "that are wanted are named, each kind as it is set",
      { kind: "absent", resolver: RESOLVER, why: "no data", aliases: [] },
      "set www.example.org to A 203.0.113.7 and AAAA 2001:db8::7, or to CNAME pages.example.net",
    ],
    [
      "that are wanted are named when a resolver fails",
      { kind: "failed", resolver: RESOLVER, reason: "SERVFAIL" },
      "nothing was changed. To connect it, set www.example.org to A 203.0.113.7",
    ],
    [
      "behind CNAME records that never end are shown the records",
      { kind: "absent", resolver: RESOLVER, why: "CNAME chain", aliases: ["a.example.org", "www.example.org"] },
      "too long (a.example.org, then www.example.org). To connect it, set www.example.org to A 203.0.113.7",
    ],
    ["NXDOMAIN is reported", { kind: "absent", resolver: RESOLVER, why: "NXDOMAIN", aliases: [] }, "NXDOMAIN"],
  ])("%s", (_, seen, words) => {
    if (words === null) expect(say(seen)).toBeNull();
    else expect(say(seen)).toContain(words);
  });

  test("of a connected hostname are not requested again when a resolver fails", () => {
    expect(say({ kind: "failed", resolver: RESOLVER, reason: "SERVFAIL" }, T0)).not.toContain("203.0.113.7");
  });
});

test.each<[string, string[], string[], Place[]]>([
  ["our own, first of all", ["203.0.113.7", "2001:db8::7"], [], ["ours", "ours"]],
  ["the edge's", ["104.16.0.1"], [], ["edge"]],
  ["elsewhere", ["198.51.100.1"], [], ["elsewhere"]],
  ["behind our name", ["198.51.100.1"], ["x.example.com", "pages.example.net"], ["ours"]],
  ["behind our name, which is behind the edge", ["104.16.0.1"], ["pages.example.net"], ["edge"]],
])("addresses %s", (_, addresses, aliases, places) => {
  const seen = placeAddresses(addresses, aliases, targets, (address) => address.startsWith("104."));
  expect(seen.map(({ place }) => place)).toEqual(places);
});

const token = "a".repeat(32);
test.each([
  [`token=${token}`, true],
  [token, true],
  [`  token=${token}  `, true],
  [`token=${token} expiry=never`, true],
  [`token=${token}b`, false],
  [`token=${token.slice(1)}`, false],
  [`TOKEN=${token}`, false],
  [`token=${token.toUpperCase()}`, false],
  [`token=${token}\u0000`, false],
  [`expiry=never token=${token}`, false],
  ["token=", false],
  ["", false],
])("the record %j proves the claim: %p", (record, proves) => {
  expect(provesClaim(record, token)).toBe(proves);
});

test("a token has 160 bits in base32, as in RFC 4648", () => {
  const random = (length: number) => Uint8Array.from({ length }, (_, index) => index * 13);
  expect(randomToken({ random })).toBe("aagrujzuifhfw2dvqkhzzknwypin32xx");
  expect(randomToken({ random: () => new Uint8Array(20) })).toBe("a".repeat(32));
  expect(randomToken({ random: () => new Uint8Array(20).fill(255) })).toBe("7".repeat(32));
});
