import { expect, test } from "bun:test";
import { PENDING_CLAIM } from "../../../../src/api/testing/pending-claim.ts";
import { DAY, HOUR, timestamp } from "../../../../src/domain/timestamp.ts";
import { firstToExpire, issuerOf, validityOf } from "./certificate-words.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const expiring = (left: number) => ({ issuer: "https://acme.example/directory", not_after: timestamp(NOW + left) });

test.each([
  [82 * DAY + HOUR, { text: "valid for 82 days", soon: false }],
  [13 * DAY, { text: "valid for 13 days", soon: true }],
  [0, { text: "expired", soon: true }],
])("a certificate with %i ms left is described", (left, described) => {
  expect(validityOf(expiring(left), NOW)).toEqual(described);
});

test("of several domains, the certificate that expires first counts, if its domain is connected", () => {
  const claims = [90, 30, 60].map((days) => ({
    ...PENDING_CLAIM,
    connection_status: days === 30 ? ("action_needed" as const) : ("connected" as const),
    certificate: expiring(days * DAY),
  }));
  expect(firstToExpire(claims)).toEqual(expiring(60 * DAY));
  expect(firstToExpire([PENDING_CLAIM])).toBeNull();
});

test.each([
  ["https://acme-v02.api.letsencrypt.org/directory", "acme-v02.api.letsencrypt.org"],
  ["internal", "the CA of this server"],
])("a certificate of %s names who issued it", (issuer, words) => {
  expect(issuerOf({ ...expiring(0), issuer })).toBe(words);
});
