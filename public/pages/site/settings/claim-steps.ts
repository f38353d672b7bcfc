import { HOUR } from "../../../../src/domain/timestamp.ts";
import type { DomainCapability, DomainClaim } from "../../../api/types.ts";
import { sentence, withMoments } from "../../../format.ts";

export type StepState = "done" | "current" | "later" | "failed";
export type StepName = "prove" | "point" | "secure" | "connect";

export interface Step {
  readonly name: StepName;
  readonly state: StepState;
}

/**
 * Returns the steps of a claim to *connected*: done, current and later. There is exactly one
 * current step until all are done.
 */
export function stepsOf(claim: DomainClaim, { automatic }: Pick<DomainCapability, "automatic">): readonly Step[] {
  const leadsHere = claim.observed_mode === "direct" || claim.observed_mode === "proxy";
  const securing = claim.connection_status === "securing";
  // A temporary failure of the resolver does not undo steps.
  const held = securing || claim.connection_status === "connected";
  const done: Record<StepName, boolean> = {
    prove: claim.verified_at !== null,
    point: claim.verified_at !== null && (leadsHere || held),
    secure: claim.activated_at !== null && !securing,
    connect: claim.connection_status === "connected" || claim.connection_status === "updating",
  };
  const names: StepName[] = automatic.enabled ? ["prove", "point", "secure", "connect"] : ["prove", "point", "connect"];
  const current = names.find((name) => !done[name]);
  return names.map((name) => ({ name, state: stateOf(claim, name, current, done[name]) }));
}

function stateOf(claim: DomainClaim, name: StepName, current: StepName | undefined, done: boolean): StepState {
  if (name === current) return claim.connection_status === "action_needed" ? "failed" : "current";
  return done ? "done" : "later";
}

/** Returns whether a claim can still make progress, so that a check is useful. */
export function isOpen(claim: DomainClaim): boolean {
  return (claim.status === "pending" || claim.status === "verified") && claim.withdrawn_at === null;
}

/** The server's error messages of the last check, most urgent first. A record that cannot be there yet is none. */
export function problemOf(claim: DomainClaim, now: number): string | null {
  const last = isTooEarly(claim, now) ? null : claim.last_error;
  const problem = claim.transition_error ?? claim.activation_error ?? claim.route_error ?? last;
  return problem && sentence(withMoments(problem));
}

/** Setting a record, and its way through the DNS, takes this long. */
const RECORD_TAKES_MS = HOUR;

/** Returns whether the TXT record was asked for just now, and no other was found in its place. */
function isTooEarly({ verified_at, created_at, last_error }: DomainClaim, now: number): boolean {
  const isAbsent = last_error?.includes("is not there") === true && !last_error.includes("found TXT");
  return isAbsent && verified_at === null && now - Date.parse(created_at) < RECORD_TAKES_MS;
}

/** Describes the current DNS state. */
export function dnsNow({ observed_mode, verified_at, last_checked_at, last_error }: DomainClaim): string {
  if (last_checked_at === null) return "not checked yet";
  // Only this distinguishes a failure of the resolver from a missing record.
  if (last_error?.includes("nothing was changed")) return "no response, which is usually temporary";
  if (verified_at === null) return "TXT record not there yet";
  const words = {
    direct: "the domain points to this server",
    proxy: "the domain points to this server through the proxy",
    mixed: "some addresses point to this server, others to the proxy",
    unsupported: "the domain points to another server",
    unavailable: "the domain has no address record",
  };
  return observed_mode === null ? "TXT record found" : words[observed_mode];
}
