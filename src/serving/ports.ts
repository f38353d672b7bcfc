import type { PageTally } from "../domain/analytics/view-deltas.ts";
import type { ShareTarget } from "../domain/model/share.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import type { ContentStore } from "../domain/ports/content.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Throttle } from "../domain/ports/system.ts";
import type { Absent } from "./pages/error-page.ts";
import type { SiteVisit } from "./visit.ts";
import type { VisitPermit } from "./visit-permit.ts";

/** The site and the deployment of a host. */
export interface Route {
  /** In lower case, without port and trailing dot. */
  readonly host: string;
  /** The same for all routes with byte-identical responses. Prepared files have it. */
  readonly key: string;
  readonly siteId: number;
  readonly siteName: string;
  readonly private: boolean;
  /** True if the operator froze it. Visitors get no content of it, and no sign-in. */
  readonly frozen: boolean;
  readonly deploymentId: number;
  readonly deploymentNumber: number;
  /** When the host started to show the deployment, in milliseconds since the epoch. */
  readonly publishedAt: number;
  /** True if the host follows the active deployment, unlike an alias or `<n>--<site>`. */
  readonly isLive: boolean;
  /** For how long fingerprinted files of a replaced deployment are served: 0 unless the host follows the active one. */
  readonly graceMs: number;
  /** The share target that the host shows. */
  readonly target: ShareTarget;
  /** True for the host of an alias, or of a deployment that was never active. */
  readonly isPreview: boolean;
  /** Why the host shows no deployment; null if it shows one. */
  readonly absent: Absent | null;
  /** The host to which the request is redirected, because its site was renamed; null for none. */
  readonly movedTo: string | null;
  /** The site's main host for search engines; null if it is this one. */
  readonly canonicalHost: string | null;
}

/** Decides who may see a private site. Called for each request, before anything of the site is read. */
interface Gate {
  /** Returns null to allow the request, or the response that refuses it. */
  check(request: Request, route: Route, visitor: Visitor): Promise<Response | null>;
}

/** The kind of a response in the analytics: a page, or something else. */
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
  /** Counts content that was sent from memory. */
  readonly countHit: () => void;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly views: ViewCounter;
  /** Limits the requests of each address; null for no limit. */
  readonly throttle: Throttle | null;
  /** The right to answer visits, if the database is shared; null without others. */
  readonly permit: VisitPermit | null;
  /** Logs an error that made a visit fail. */
  readonly report: (error: unknown) => void;
}

export interface HostingOptions {
  readonly sitesDomain: string;
  /** `http` or `https`, as in the base URL. */
  readonly scheme: string;
  /** Memory for cached content in this thread: its share of `--cache-bytes`. */
  readonly cacheBytes: number;
  /** The grace period of sites without their own. */
  readonly graceMs: number;
}
