import { expect, test } from "bun:test";
import { excessOf, overQuota, type Quota, quotaInForce, UNLIMITED } from "./quota.ts";

const QUOTA: Quota = { sites: 2, bytes: 100 };

test.each([
  [{}, QUOTA],
  [{ sites: 5 }, { sites: 5, bytes: 100 }],
  [{ bytes: null }, { sites: 2, bytes: null }],
  [
    { sites: 0, bytes: 1 },
    { sites: 0, bytes: 1 },
  ],
])("with the own quota %p a user has %p", (own, inForce) => {
  expect(quotaInForce(QUOTA, own)).toEqual(inForce);
});

test.each([
  [QUOTA, { sites: 1, bytes: 99 }, { sites: 1, bytes: 1 }, null],
  [QUOTA, { sites: 2, bytes: 0 }, { sites: 1, bytes: 0 }, "sites"],
  [QUOTA, { sites: 3, bytes: 0 }, { sites: 0, bytes: 100 }, null],
  [QUOTA, { sites: 2, bytes: 99 }, { sites: 0, bytes: 2 }, "bytes"],
  [QUOTA, { sites: 2, bytes: 100 }, { sites: 0, bytes: 0 }, null],
  [QUOTA, { sites: 2, bytes: 101 }, { sites: 0, bytes: 0 }, "bytes"],
  [UNLIMITED, { sites: 1e6, bytes: 1e15 }, { sites: 1, bytes: 1e9 }, null],
] as const)("of %p, %p in use leave for %p: %p is exceeded", (quota, usage, more, kind) => {
  expect(excessOf(quota, usage, more)?.kind ?? null).toBe(kind);
});

test.each([
  [
    { kind: "sites", limit: 2, used: 2 },
    "a deployment limit was exceeded: the owner may have 2 sites and has 2: delete one, or ask the operator for more",
  ],
  [
    { kind: "bytes", limit: 1000, used: 900, more: 200 },
    "a deployment limit was exceeded: the owner's deployments may have 1,000 bytes, 900 are in use and this one has 200 more: delete a site, let a retention policy drop old deployments, or ask the operator for more",
  ],
] as const)("%p has limit, usage and remedy in its error", (excess, detail) => {
  expect(overQuota(excess)).toMatchObject({ kind: "limit_exceeded", detail });
});
