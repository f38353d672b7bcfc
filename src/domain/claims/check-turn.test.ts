import { expect, test } from "bun:test";
import type { CheckTurn } from "../ports/store/claims.ts";
import { decideTurn, type TurnRecord } from "./check-turn.ts";

const NEVER: TurnRecord = { checkHolder: null, checkUntil: null, checkedAt: null, checkSilent: false };
const held = (checkUntil: number): TurnRecord => ({ ...NEVER, checkHolder: "node/a", checkUntil });
const checked = (checkedAt: number, checkSilent = false): TurnRecord => ({ ...NEVER, checkedAt, checkSilent });

const BEGUN: CheckTurn = { outcome: "begun" };
const RUNNING: CheckTurn = { outcome: "running" };

test.each<[string, TurnRecord | null, CheckTurn]>([
  ["a claim that was deleted", null, { outcome: "done", silent: false }],
  ["a claim that was never checked", NEVER, BEGUN],
  ["a claim whose lease another holder has", held(1001), RUNNING],
  ["a lease of a holder that read the clock later", held(1150), RUNNING],
  ["a turn that has run out", held(1000), BEGUN],
  ["a turn of a clock that was wrong", held(1200), BEGUN],
  ["a claim just checked", checked(991), { outcome: "done", silent: false }],
  ["a claim just checked without an answer", checked(991, true), { outcome: "done", silent: true }],
  ["a claim checked by a holder that read the clock later", checked(1009), { outcome: "done", silent: false }],
  ["a claim checked a while ago", checked(990), BEGUN],
  ["a claim checked by a clock that was wrong", checked(1010), BEGUN],
])("%s", (_what, kept, expected) => {
  expect(decideTurn(kept, { now: 1000, until: 1100, shareFor: 10 })).toEqual(expected);
});
