import { expect, test } from "bun:test";
import { challengeRecordName, wantedByServer } from "../certificates/wanted.ts";
import { certificateFor, covers } from "./certificate.ts";

test.each([
  ["example.org", ["example.org"], true],
  ["example.org", ["*.example.org"], false],
  ["a.example.org", ["*.example.org"], true],
  ["b.a.example.org", ["*.example.org"], false],
  ["aexample.org", ["*.example.org"], false],
  [".example.org", ["*.example.org"], false],
  ["a.example.com", ["x.example.com", "*.example.org", "a.example.com"], true],
  ["org", ["*.org"], false],
])("whether %s is covered by %j: %p", (hostname, names, expected) => {
  expect(covers(names, hostname)).toBe(expected);
});

test("a name's own certificate takes precedence over a wildcard, and otherwise the one that ends later", () => {
  const wildcard = { names: ["*.example.org"], notAfter: 900 };
  const own = { names: ["a.example.org"], notAfter: 100 };
  const newer = { names: ["a.example.org", "b.example.org"], notAfter: 200 };
  expect(certificateFor("a.example.org", [wildcard, own, newer])).toBe(newer);
  expect(certificateFor("c.example.org", [wildcard, own, newer])).toBe(wildcard);
  expect(certificateFor("example.org", [wildcard, own, newer])).toBeNull();
});

test.each([
  ["example.org", "example.org", true, [["example.org", "*.example.org"]]],
  ["example.org", "example.org", false, [["example.org"]]],
  ["www.example.org", "example.org", true, [["*.example.org"]]],
  ["app.example.com", "sites.example", true, [["app.example.com"], ["*.sites.example"]]],
  ["localhost", "localhost", true, []],
  ["192.0.2.7", "sites.example", true, [["*.sites.example"]]],
])("base host %s with sites below %s (wildcard: %p) needs %j", (baseHost, sitesDomain, wildcard, expected) => {
  const wanted = wantedByServer({ baseHost, sitesDomain, wildcard });
  expect(wanted.map((one) => [...one.identifiers])).toEqual(expected);
});

test("a certificate with a wildcard is proven by DNS-01, others by HTTP-01", () => {
  const wanted = wantedByServer({ baseHost: "app.example.com", sitesDomain: "sites.example", wildcard: true });
  expect(wanted.map((one) => one.challenge)).toEqual(["http-01", "dns-01"]);
});

test("a wildcard is proven at the record of its parent", () => {
  expect(challengeRecordName("*.example.org")).toBe("_acme-challenge.example.org");
  expect(challengeRecordName("example.org")).toBe("_acme-challenge.example.org");
});
