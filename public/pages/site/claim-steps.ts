import type { DomainCapability, DomainClaim } from "../../api/types.ts";
import { formatMoment, sentence } from "../../format.ts";

export type StepState = "done" | "current" | "later" | "failed";
export type StepName = "prove" | "point" | "secure" | "connect";

export interface Step {
  readonly name: StepName;
  readonly state: StepState;
}

/**
 * Returns the way of a claim to *connected*: what is done, where it stands, and what comes later. There is exactly one
 * step to look at until all are done.
 */
export function stepsOf(claim: DomainClaim, { automatic }: Pick<DomainCapability, "automatic">): readonly Step[] {
  const leadsHere = claim.observed_mode === "direct" || claim.observed_mode === "proxy";
  const securing = claim.connection_status === "securing";
  // A resolver that fails in between takes nothing back.
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

/** Whether a claim still goes somewhere: only then is it worth a check. */
export function isOpen(claim: DomainClaim): boolean {
  return (claim.status === "pending" || claim.status === "verified") && claim.withdrawn_at === null;
}

/** What the last look said is wrong, in the server's words; the most urgent first. */
export function problemOf(claim: DomainClaim): string | null {
  const problem = claim.transition_error ?? claim.activation_error ?? claim.route_error ?? claim.last_error;
  return problem && sentence(withMoments(problem));
}

/** The server's sentences name moments, such as that of the next look, as programs write them. */
function withMoments(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (moment) => formatMoment(moment));
}

/** What DNS answers now, in words. */
export function dnsNow({ observed_mode, verified_at, last_checked_at, last_error }: DomainClaim): string {
  if (last_checked_at === null) return "not checked yet";
  // The one thing that tells a resolver's failure from a record that is missing.
  if (last_error?.includes("nothing was changed")) return "no answer, which is usually temporary";
  if (verified_at === null) return "TXT record not found";
  const words = {
    direct: "the domain points to this server",
    proxy: "the domain points to this server through the proxy",
    mixed: "some addresses point to this server, others to the proxy",
    unsupported: "the domain points to another server",
    unavailable: "the domain has no address record",
  };
  return observed_mode === null ? "TXT record found" : words[observed_mode];
}
