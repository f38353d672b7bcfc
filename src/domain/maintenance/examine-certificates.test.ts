import { describe, expect, test } from "bun:test";
import { type Certificate, type ManagedCertificate, NO_ATTEMPTS } from "../model/certificate.ts";
import { DAY } from "../timestamp.ts";
import { examineManaged, examineProvided, examineWildcard } from "./examine-certificates.ts";

const NOW = Date.UTC(2026, 10, 21);
const HOSTS = { baseHost: "pages.example.org", sitesDomain: "pages.example.org", wildcard: false };

/** A certificate that is ordered, and ends in so many days; null for one that was not issued yet. */
function managed(days: number | null, error: string | null = null): ManagedCertificate {
  return {
    subject: "shop.example.org",
    identifiers: ["shop.example.org"],
    challenge: "http-01",
    origin: "claim",
    attempts: { ...NO_ATTEMPTS, error },
    pending: null,
    current: days === null ? null : ({ notAfter: NOW + days * DAY } as Certificate),
    orderedAt: null,
    renewal: null,
    live: true,
  };
}

describe("a certificate that the server orders", () => {
  test.each([
    [60, null, "ok", "shop.example.org is valid for 60 more days"],
    [14, null, "ok", "shop.example.org is valid for 14 more days"],
    [13.5, null, "warning", "shop.example.org expires in 13 days"],
    [0.5, "the CA refused it", "warning", "shop.example.org expires in 0 days: the CA refused it"],
    [-2, null, "problem", "shop.example.org expired 2 days ago"],
    [null, null, "warning", "shop.example.org has no certificate yet: it is being issued"],
    [null, "no address", "warning", "shop.example.org has no certificate yet: no address"],
  ] as const)("that ends in %p days after the error %p is %s", (days, error, verdict, detail) => {
    expect(examineManaged([managed(days, error)], NOW)).toMatchObject([{ verdict, detail }]);
  });
});

test.each([
  [["pages.example.org", "*.pages.example.org"], null],
  [["pages.example.org"], "*.pages.example.org"],
  [["*.example.org"], "*.pages.example.org"],
  [["other.example.org"], "pages.example.org, *.pages.example.org"],
])("a certificate of the operator's own for %p lacks %p", (names, lacking) => {
  const [end, ...others] = examineProvided("cert.pem", { names, notAfter: NOW + 30 * DAY }, HOSTS, NOW);
  expect(end).toMatchObject({ verdict: "ok", detail: "cert.pem is valid for 30 more days" });
  const detail = `cert.pem is valid for ${names.join(", ")}, but not for ${lacking}`;
  expect(others.map((finding) => finding.detail)).toEqual(lacking === null ? [] : [detail]);
});

test("sites need a wildcard certificate unless DNS-01 can be answered", () => {
  expect(examineWildcard({ ...HOSTS, wildcard: true })).toEqual([]);
  expect(examineWildcard(HOSTS)).toMatchObject([
    { advice: "set dns-listen, and add the DNS record _acme-challenge.pages.example.org NS pages.example.org" },
  ]);
});
