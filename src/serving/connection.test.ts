import { expect, test } from "bun:test";
import { proxyTrust } from "./connection.ts";

const trust = proxyTrust(["10.0.0.0/8", "2001:db8::/32"]);

test.each([
  ["nobody forwards", "203.0.113.7", null, "203.0.113.7"],
  ["an untrusted peer is not believed", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["a trusted peer is", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  [
    "the last untrusted entry counts, the rest may be invented",
    "10.0.0.1",
    "1.1.1.1, 198.51.100.1, 10.2.3.4",
    "198.51.100.1",
  ],
  ["a chain of proxies alone ends at its first", "10.0.0.1", "10.9.9.9", "10.9.9.9"],
  ["nonsense ends the chain", "10.0.0.1", "nonsense", "10.0.0.1"],
  ["IPv4 in IPv6 clothes", "::ffff:203.0.113.7", null, "203.0.113.7"],
  ["a trusted peer in IPv6 clothes", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a port is no part of an address", "10.0.0.1", "203.0.113.7:51234", "203.0.113.7"],
  ["nor of a trusted proxy's", "10.0.0.1", "198.51.100.1, 10.2.3.4:51234", "198.51.100.1"],
  ["IPv6 with a port has brackets", "10.0.0.1", "[2001:470::7]:443", "2001:470::7"],
  ["brackets may also come alone", "10.0.0.1", "[2001:470::7]", "2001:470::7"],
  ["what follows is no port", "10.0.0.1", "203.0.113.7:https", "10.0.0.1"],
  ["IPv6 proxies", "2001:db8::1", "2001:470::1", "2001:470::1"],
])("%s", (_fact, peer, forwardedFor, client) => {
  expect(trust.clientAddress(peer, forwardedFor)).toBe(client);
});

test("X-Forwarded-Proto is accepted from a trusted peer only", () => {
  expect(trust.isSecure("10.0.0.1", false, "https")).toBe(true);
  expect(trust.isSecure("10.0.0.1", true, "http")).toBe(false);
  expect(trust.isSecure("203.0.113.7", false, "https")).toBe(false);
  expect(trust.isSecure("203.0.113.7", true, null)).toBe(true);
});

test("the header with the visitor's country is accepted from a trusted peer only", () => {
  expect(trust.country("10.0.0.1", "DE")).toBe("DE");
  expect(trust.country("203.0.113.7", "DE")).toBeNull();
  expect(trust.country("", "DE")).toBeNull();
  expect(proxyTrust([]).country("10.0.0.1", "DE")).toBeNull();
});
