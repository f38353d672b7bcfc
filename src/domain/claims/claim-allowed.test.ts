import { expect, test } from "bun:test";
import { MINUTE } from "../timestamp.ts";
import { type ClaimState, checkClaimAllowed } from "./claim-allowed.ts";
import { T0 } from "./testing/observations.ts";

const free: ClaimState = { open: [], roomAt: [T0, T0 - MINUTE], pendingUntil: [], mostPending: 2 };
const own = { ownerId: 1, status: "pending", siteName: "blog" } as const;
const others = { ownerId: 2, status: "pending", siteName: "shop" } as const;
const holder = { ...others, status: "verified" } as const;
const busy = { roomAt: [T0 + 1, T0 + MINUTE] };
const full = { pendingUntil: [T0 + 5, T0 + 7] };

const held = { outcome: "held_by_owner", siteName: "blog" } as const;
const tooMany = { outcome: "too_many", retryAt: T0 + MINUTE } as const;
const tooManyPending = { outcome: "too_many_pending", retryAt: T0 + 5 } as const;

test.each<[string, Partial<ClaimState>, ReturnType<typeof checkClaimAllowed>]>([
  ["is allowed without a reason against it", {}, null],
  ["is made without any rate", { roomAt: [] }, null],
  ["is made beside another owner's that is pending", { open: [others] }, null],
  ["is made beside one pending claim of two", { pendingUntil: [T0 + 5] }, null],
  ["is made beside any number of pending claims without a limit", { ...full, mostPending: null }, null],
  ["is not made twice by an owner", { open: [others, own] }, held],
  [
    "is refused a second time to an owner who has lost the site's name",
    { open: [{ ...own, siteName: null }] },
    { ...held, siteName: null },
  ],
  ["is refused if another owner has proved it", { open: [others, holder] }, { outcome: "verified_elsewhere" }],
  ["is not made before every rate has room", busy, tooMany],
  ["is not made before a pending one has ended", full, tooManyPending],
  ["that the owner already has is refused for that first", { open: [holder, own], ...busy, ...full }, held],
  [
    "that another owner has proved is refused for that before the limits",
    { open: [holder], ...busy, ...full },
    { outcome: "verified_elsewhere" },
  ],
  ["over a rate is refused for that before the site's pending ones", { ...busy, ...full }, tooMany],
])("a claim %s", (_what, surroundings, expected) => {
  expect(checkClaimAllowed({ ownerId: 1, createdAt: T0 }, { ...free, ...surroundings })).toEqual(expected);
});
