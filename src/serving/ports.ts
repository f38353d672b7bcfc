import type { PageTally } from "../domain/analytics/view-deltas.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import type { ContentStore } from "../domain/ports/content.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import type { ShareTarget } from "../domain/shares/share.ts";
import type { SiteVisit } from "./visit.ts";

/** `unpublished`: the site has nothing but previews so far. */
export type Absent = "unpublished" | "expired" | "unknown";

/** The site that a host shows, and the deployment. */
export interface Route {
  /** In lower case, without port and trailing dot. */
  readonly host: string;
  /** The same for all routes with the same responses, byte for byte. Prepared files have it. */
  readonly key: string;
  readonly siteId: number;
  readonly siteName: string;
  readonly private: boolean;
  /** True if the operator froze it: visitors get nothing of it, not even the sign-in. */
  readonly frozen: boolean;
  readonly deploymentId: number;
  readonly deploymentNumber: number;
  /** When the deployment became what this host shows, in milliseconds since the epoch. */
  readonly publishedAt: number;
  /** True if the host shows the active deployment, whichever that is; not so an alias, or `<n>--<site>`. */
  readonly isLive: boolean;
  /** Which of the site's deployments the host shows, for shares. */
  readonly target: ShareTarget;
  /** True if this is the address of an alias, or of a deployment that was never active. */
  readonly isPreview: boolean;
  /** Why the host shows no deployment; null where it shows one. */
  readonly absent: Absent | null;
  /** The site's main host for search engines; null where it is this one. */
  readonly canonicalHost: string | null;
}

/** Decides who may see a private site. Called for each request of one, before anything of the site is read. */
export interface Gate {
  /** Returns null to let the request in, or the response that refuses it. */
  check(request: Request, route: Route, visitor: Visitor): Promise<Response | null>;
}

/** What the statistics count a response as: a page, or something else. */
export type Seen = PageTally | "asset" | "missing";

/** Counts responses to GET in memory. */
export interface ViewCounter {
  /** `bytes` is the length of the body. */
  count(visit: SiteVisit, seen: Seen, bytes: number): void;
}

export interface HostingPorts {
  readonly store: Pick<
    Store,
    "generation" | "affectedSites" | "sites" | "previews" | "deployments" | "files" | "claims" | "acme"
  >;
  readonly content: Pick<ContentStore, "read" | "open">;
  /** Counts a content that was sent from memory. */
  readonly countHit: () => void;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly views: ViewCounter;
  /** Limits the requests of each address; null where they are not limited. */
  readonly throttle: Throttle | null;
  /** Logs an error that made a visit fail. */
  readonly report: (error: unknown) => void;
}

export interface HostingOptions {
  readonly sitesDomain: string;
  /** `http` or `https`, as the base address has it. */
  readonly scheme: string;
  /** Memory for cached content in this thread: its share of `--cache-bytes`. */
  readonly cacheBytes: number;
}
