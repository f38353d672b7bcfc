import { expect, test } from "bun:test";
import { DomainError } from "./errors.ts";
import { addressSubject, SIGN_IN_LIMIT, takeFromLimit } from "./rate-limit.ts";

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

test("a refusal says in whole seconds when to come back", async () => {
  const limits = { take: async (key: string) => (key === "sign-in 203.0.113.7" ? 1501 : 0) };
  await takeFromLimit(limits, SIGN_IN_LIMIT, "198.51.100.1", 0);
  const refusal = await takeFromLimit(limits, SIGN_IN_LIMIT, "203.0.113.7", 0).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DomainError);
  expect(refusal).toMatchObject({ kind: "too_many_requests", extra: { retryAfter: 2 } });
});
