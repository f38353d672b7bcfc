import { expect, test } from "bun:test";
import { DomainError } from "../errors.ts";
import { addressSubject, describeRate, STANDARD_RATES, takeFromLimit } from "./rate-limit.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0db8:0001:0002::1", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1:2:3:4:5", "fe80:0:0:1::/64"],
  ["", ""],
])("%s counts as %s", (address, subject) => {
  expect(addressSubject(address)).toBe(subject);
});

test("a refusal has the time to wait in whole seconds", async () => {
  const rateLimits = { take: async (key: string) => (key === "sign-in 203.0.113.7" ? 1501 : 0) };
  const ports = { store: { rateLimits }, rates: STANDARD_RATES };
  await takeFromLimit(ports, "signIn", "198.51.100.1", 0);
  const refusal = await takeFromLimit(ports, "signIn", "203.0.113.7", 0).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DomainError);
  expect(refusal).toMatchObject({ kind: "too_many_requests", extra: { retryAfter: 2 } });
});

test("without a limit nothing is counted or refused", async () => {
  const take = () => {
    throw new Error("counted");
  };
  await takeFromLimit({ store: { rateLimits: { take } }, rates: { signIn: null } }, "signIn", "203.0.113.7", 0);
});

test.each([
  [1, 1000, "1 a second"],
  [5, 60_000, "5 a minute"],
  [20, 3_600_000, "20 an hour"],
  [20, 86_400_000, "20 a day"],
  [10, 900_000, "10 in 15 minutes"],
  [10, 90_000, "10 in 90 seconds"],
])("%d in %d ms is %s", (count, window, text) => {
  expect(describeRate({ count, window })).toBe(text);
});
