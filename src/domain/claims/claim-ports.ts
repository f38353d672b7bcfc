import type { Rates } from "../limits/rate-limit.ts";
import type { Certificates } from "../ports/certificates.ts";
import type { Dns } from "../ports/dns.ts";
import type { EdgeRanges, Prober } from "../ports/edge.ts";
import type { CreationLimits } from "../ports/store/claims.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import type { Timers } from "../ports/timers.ts";
import type { OwnNames, PublicSuffixes } from "./hostname.ts";
import type { RoutingTarget, TlsMode } from "./observation.ts";

/** The operator's settings for custom domains. */
interface DomainSettings extends Pick<CreationLimits, "mostPending"> {
  /** True if custom domains are enabled. */
  readonly on: boolean;
  readonly targets: readonly RoutingTarget[];
  readonly tls: TlsMode;
  readonly own: OwnNames;
}

/** Dependencies of the use cases for claims. */
export interface ClaimPorts {
  /** The name of this node among those that share the store. */
  readonly node: string;
  readonly store: Pick<Store, "sites" | "previews" | "claims" | "jobs" | "audit">;
  readonly dns: Dns;
  readonly edge: EdgeRanges;
  readonly prober: Prober;
  readonly certificates: Certificates;
  readonly suffixes: PublicSuffixes;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  readonly domains: DomainSettings;
  readonly rates: Pick<Rates, "claim" | "claimBurst">;
}
