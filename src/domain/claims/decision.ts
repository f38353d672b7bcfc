import type { TlsMode } from "./activation.ts";
import type { Claim } from "./claim.ts";
import type { OwnNames } from "./hostname.ts";
import type { RoutingTarget } from "./observation.ts";

/** What is to be done after the claim was recorded. */
type Action =
  | "publish_route"
  | "request_certificate"
  /** To be recorded in one step with this claim: the same-named happening at the verified claim of the hostname. */
  | "tell_holder_proof_seen"
  | "tell_holder_proof_missed"
  | "overtake_holder";

export interface Decision {
  readonly claim: Claim;
  readonly actions: readonly Action[];
  /** Whether another look can already find more. */
  readonly lookAgain: boolean;
}

/** All that a decision takes into account besides the claim and what happened. */
export interface DecisionContext {
  readonly now: number;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** False shortly after the wall clock jumped: then nothing ends because of the time. */
  readonly clockTrusted: boolean;
  readonly targets: readonly RoutingTarget[];
  readonly rangesVersion: string;
  readonly tls: TlsMode;
  readonly own: OwnNames;
}

/** Returns the claim with nothing further to do. */
export function settled(claim: Claim): Decision {
  return { claim, actions: [], lookAgain: false };
}
