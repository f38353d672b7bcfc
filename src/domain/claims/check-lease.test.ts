import { expect, test } from "bun:test";
import type { CheckLease } from "../ports/store/claims.ts";
import { type CheckLeaseRecord, decideCheckLease } from "./check-lease.ts";

const NEVER: CheckLeaseRecord = { checkHolder: null, checkUntil: null, checkedAt: null, checkSilent: false };
const held = (checkUntil: number): CheckLeaseRecord => ({ ...NEVER, checkHolder: "node/a", checkUntil });
const checked = (checkedAt: number, checkSilent = false): CheckLeaseRecord => ({ ...NEVER, checkedAt, checkSilent });

const BEGUN: CheckLease = { outcome: "begun" };
const RUNNING: CheckLease = { outcome: "running" };

test.each<[string, CheckLeaseRecord | null, CheckLease]>([
  ["a claim that was deleted", null, { outcome: "done", silent: false }],
  ["a claim that was never checked", NEVER, BEGUN],
  ["a claim whose lease another holder has", held(1001), RUNNING],
  ["a lease of a holder that read the clock later", held(1150), RUNNING],
  ["an expired lease", held(1000), BEGUN],
  ["a lease of a clock that was wrong", held(1200), BEGUN],
  ["a claim just checked", checked(991), { outcome: "done", silent: false }],
  ["a claim just checked without an answer", checked(991, true), { outcome: "done", silent: true }],
  ["a claim checked by a holder that read the clock later", checked(1009), { outcome: "done", silent: false }],
  ["a claim checked a while ago", checked(990), BEGUN],
  ["a claim checked by a clock that was wrong", checked(1010), BEGUN],
])("%s", (_what, kept, expected) => {
  expect(decideCheckLease(kept, { now: 1000, until: 1100, shareFor: 10 })).toEqual(expected);
});
