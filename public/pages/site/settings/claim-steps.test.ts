import { describe, expect, test } from "bun:test";
import { PENDING_CLAIM } from "../../../../src/api/testing/pending-claim.ts";
import { addressProblem, proofNotSeen } from "../../../../src/domain/claims/messages.ts";
import { aClaim } from "../../../../src/domain/claims/testing/observations.ts";
import { MINUTE } from "../../../../src/domain/timestamp.ts";
import type { DomainClaim } from "../../../api/types.ts";
import { formatMoment } from "../../../format.ts";
import { dnsNow, isOpen, problemOf, stepsOf } from "./claim-steps.ts";

const NOW = "2026-11-21T00:00:00.000Z";
const verified = { ...PENDING_CLAIM, status: "verified", verified_at: NOW, last_checked_at: NOW } as const;
const connected = {
  ...verified,
  connection_status: "connected",
  observed_mode: "direct",
  effective_mode: "direct",
  activated_at: NOW,
} as const;

const acme = { automatic: { enabled: true, issuer: "Let's Encrypt", challenge: "http-01" } };
const plain = { automatic: { enabled: false, issuer: null, challenge: null } };
const read = (claim: DomainClaim, capability: Parameters<typeof stepsOf>[1] = acme) =>
  stepsOf(claim, capability).map(({ name, state }) => `${name} ${state}`);

describe("the steps to connected", () => {
  test.each<[string, DomainClaim, string[]]>([
    [
      "a new claim waits for its proof",
      PENDING_CLAIM,
      ["prove current", "point later", "secure later", "connect later"],
    ],
    ["then for its addresses", verified, ["prove done", "point current", "secure later", "connect later"]],
    [
      "then for its certificate",
      { ...verified, connection_status: "securing", observed_mode: "direct" },
      ["prove done", "point done", "secure current", "connect later"],
    ],
    ["and is there", connected, ["prove done", "point done", "secure done", "connect done"]],
    [
      "a failed order needs its owner",
      { ...verified, connection_status: "action_needed", observed_mode: "direct", activation_error: "CAA" },
      ["prove done", "point done", "secure failed", "connect later"],
    ],
    [
      "a connected name without its certificate waits for a new one",
      { ...connected, connection_status: "securing" },
      ["prove done", "point done", "secure current", "connect later"],
    ],
    [
      "also while a resolver fails",
      { ...connected, connection_status: "securing", observed_mode: "unavailable" },
      ["prove done", "point done", "secure current", "connect later"],
    ],
    [
      "a connected name whose probe fails has its certificate",
      { ...connected, connection_status: "action_needed", activation_error: "refused" },
      ["prove done", "point done", "secure done", "connect failed"],
    ],
    [
      "a connected name whose addresses went away has to be pointed here again",
      { ...connected, connection_status: "action_needed", observed_mode: "unsupported" },
      ["prove done", "point failed", "secure done", "connect later"],
    ],
  ])("%s", (_fact, claim, steps) => {
    expect(read(claim)).toEqual(steps);
  });

  test("a server without automatic certificates has no step for them", () => {
    expect(read(PENDING_CLAIM, plain)).toEqual(["prove current", "point later", "connect later"]);
  });
});

test("the most urgent problem is shown first, as a sentence", () => {
  const of = (errors: Partial<DomainClaim>) => problemOf({ ...PENDING_CLAIM, ...errors }, Date.parse(NOW));
  expect(of({})).toBeNull();
  expect(of({ last_error: "the record is missing" })).toBe("The record is missing");
  expect(of({ last_error: "x", transition_error: "www.example.org leads elsewhere" })).toBe(
    "www.example.org leads elsewhere",
  );
});

test("timestamps are formatted for people", () => {
  const [end, next] = ["2026-11-29T09:30:00.000Z", "2026-11-22T09:30:00.000Z"];
  const last_error = `The record is missing, the claim ends at ${end}. Next check: ${next}.`;
  expect(problemOf({ ...PENDING_CLAIM, last_error }, Date.parse(NOW))).toBe(
    `The record is missing, the claim ends at ${formatMoment(end)}. Next check: ${formatMoment(next)}.`,
  );
});

test.each<[what: string, values: string[], minutes: number, isAlarm: boolean]>([
  ["an absent record that was asked for a minute ago", [], 1, false],
  ["an absent record that was asked for two hours ago", [], 120, true],
  ["another record in its place", ["token=b"], 1, true],
])("%s is an alarm: %p", (_what, values, minutes, isAlarm) => {
  const seen = { kind: "answered", resolver: "192.0.2.53", values, why: null } as const;
  const claim = { ...PENDING_CLAIM, last_error: proofNotSeen(aClaim(), seen) };
  const problem = problemOf(claim, Date.parse(claim.created_at) + minutes * MINUTE);
  expect(problem !== null).toBe(isAlarm);
});

const NAME = { hostname: "www.example.org", activatedAt: null };

test.each([
  addressProblem(NAME, { kind: "silent", resolver: "192.0.2.53", reason: "ETIMEOUT" }, []),
  addressProblem(NAME, { kind: "failed", resolver: "192.0.2.53", reason: "SERVFAIL" }, []),
])("a failing resolver says nothing about the record: %s", (error) => {
  const checked = { ...PENDING_CLAIM, last_checked_at: NOW, last_error: `${error} Next check: ${NOW}.` };
  expect(dnsNow(checked)).toBe("no response, which is usually temporary");
  expect(dnsNow({ ...checked, verified_at: NOW, observed_mode: "unavailable" })).toBe(
    "no response, which is usually temporary",
  );
});

test("the DNS result is described", () => {
  expect(dnsNow(PENDING_CLAIM)).toBe("not checked yet");
  expect(dnsNow({ ...PENDING_CLAIM, last_checked_at: NOW })).toBe("TXT record not there yet");
  expect(dnsNow(verified)).toBe("TXT record found");
  expect(dnsNow({ ...verified, observed_mode: "unsupported" })).toBe("the domain points to another server");
});

test("a claim that ended, or is being removed, has no steps", () => {
  expect([PENDING_CLAIM, connected].map(isOpen)).toEqual([true, true]);
  expect(isOpen({ ...PENDING_CLAIM, status: "expired" })).toBe(false);
  expect(isOpen({ ...connected, withdrawn_at: NOW })).toBe(false);
});
