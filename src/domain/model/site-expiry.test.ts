import { expect, test } from "bun:test";
import { DAY, HOUR } from "../timestamp.ts";
import { expiryAfter } from "./site-expiry.ts";

test.each([
  [null, null, null],
  [HOUR, 1000 + HOUR, null],
  [2 * DAY - 1, 999 + 2 * DAY, null],
  [2 * DAY, 1000 + 2 * DAY, 1000 + DAY],
  [30 * DAY, 1000 + 30 * DAY, 1000 + 29 * DAY],
])("a site that lives %p ends at %p, with a notice at %p", (lifetime, expiresAt, expiryNoticeAt) => {
  expect(expiryAfter(1000, lifetime)).toEqual({ expiresAt, expiryNoticeAt, expired: false });
});
