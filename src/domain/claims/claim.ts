import { DAY } from "../timestamp.ts";
import type { BackoffPolicy } from "./schedule.ts";

/** `pending` until the TXT record is seen; `expired` when it never was; `cancelled` when removed or lost. */
export type ClaimStatus = "pending" | "verified" | "expired" | "cancelled";

export type RouteStatus = "not_routed" | "publishing" | "routed" | "removing" | "removed";

/** How a hostname leads here: by our own addresses, or through the edge. */
export type Mode = "direct" | "proxy";

/** What DNS shows. `unsupported`: elsewhere. `unavailable`: no address. */
export type ObservedMode = Mode | "mixed" | "unsupported" | "unavailable";

type DiagnosticStatus = "ok" | "pending" | "warning" | "error" | "skipped";

export interface DiagnosticComponent {
  readonly status: DiagnosticStatus;
  readonly error: string | null;
}

/** What the last look at a hostname behind the edge showed, part by part. */
export interface ProxyDiagnostics {
  readonly checkedAt: number;
  readonly consecutiveFailures: number;
  /** The publication of the route that was probed. */
  readonly generation: number;
  readonly rangesVersion: string | null;
  readonly dns: DiagnosticComponent;
  readonly edgeTls: DiagnosticComponent;
  readonly edgeHttp: DiagnosticComponent & {
    readonly address: string | null;
    readonly edgeCacheStatus: string | null;
    readonly edgeRay: string | null;
    readonly redirectLocation: string | null;
    readonly statusCode: number | null;
  };
  readonly httpForwarding: DiagnosticComponent & { readonly statusCode: number | null };
  readonly origin: DiagnosticComponent;
  readonly ownership: DiagnosticComponent;
}

/** A hostname claimed for a site: facts only. `connectionStatus` derives what they amount to. Times are epoch milliseconds. */
export interface Claim {
  readonly id: number;
  /** Raised by every save: a save of an older one is refused. */
  readonly revision: number;
  readonly hostname: string;
  /** Null once the site is gone; only an ended claim outlives its site. */
  readonly siteId: number | null;
  readonly siteName: string | null;
  readonly ownerId: number;
  readonly status: ClaimStatus;
  /** The secret of the TXT record: base32, 160 bits, fresh for every claim. */
  readonly proofToken: string;
  /** The last segment of `challenge_path`, and what is answered there. Neither can be told from the other. */
  readonly probeToken: string;
  readonly probeAnswer: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly verifiedAt: number | null;
  readonly withdrawnAt: number | null;
  readonly removalRequestedAt: number | null;

  readonly routeStatus: RouteStatus;
  readonly routeGeneration: number;
  readonly routeError: string | null;

  readonly mode: Mode;
  readonly effectiveMode: Mode | null;
  readonly targetMode: Mode | null;
  readonly observedMode: ObservedMode | null;
  readonly transitionStartedAt: number | null;
  readonly transitionDeadlineAt: number | null;
  readonly transitionError: string | null;
  /** The mode whose transition the owner cancelled: it does not start again until DNS shows something else. */
  readonly cancelledMode: Mode | null;

  readonly challengeSeenAt: number | null;
  readonly activatedAt: number | null;
  readonly activationCheckedAt: number | null;
  readonly activationError: string | null;
  readonly lastCheckedAt: number | null;
  readonly lastError: string | null;
  readonly diagnostics: ProxyDiagnostics | null;

  /** Since when the addresses of a verified name do not lead here; null while they do. */
  readonly astraySince: number | null;
  /** Since when its TXT record is gone as well; seven days later the claim is lost. */
  readonly goneSince: number | null;
  /** Looks in a row that answered without the TXT record of this verified claim. */
  readonly proofMisses: number;
  /** Why the next look is planned when it is, and how many steps on that ladder were taken. */
  readonly ladder: BackoffPolicy;
  readonly attempts: number;
  /** When the next look is due; null when there is none. */
  readonly nextCheckAt: number | null;
}

/** What a new claim starts from. */
export interface NewClaim {
  readonly hostname: string;
  readonly siteId: number;
  readonly ownerId: number;
  readonly proofToken: string;
  readonly probeToken: string;
  readonly probeAnswer: string;
  readonly createdAt: number;
}

/** How long a claim waits for its proof, and how long a verified one outlives the loss of its records. */
const CLAIM_LIFETIME = 7 * DAY;
export const LOSS_GRACE = 7 * DAY;

/** Returns the facts of a claim that was just made, except those that the store gives it. */
export function startClaim(claim: NewClaim): Omit<Claim, "id" | "revision" | "siteName"> {
  return {
    ...claim,
    status: "pending",
    expiresAt: claim.createdAt + CLAIM_LIFETIME,
    verifiedAt: null,
    withdrawnAt: null,
    removalRequestedAt: null,
    routeStatus: "not_routed",
    routeGeneration: 0,
    routeError: null,
    mode: "direct",
    effectiveMode: null,
    targetMode: null,
    observedMode: null,
    transitionStartedAt: null,
    transitionDeadlineAt: null,
    transitionError: null,
    cancelledMode: null,
    challengeSeenAt: null,
    activatedAt: null,
    activationCheckedAt: null,
    activationError: null,
    lastCheckedAt: null,
    lastError: null,
    diagnostics: null,
    astraySince: null,
    goneSince: null,
    proofMisses: 0,
    ladder: "waiting",
    attempts: 0,
    nextCheckAt: claim.createdAt,
  };
}

export function isMode(observed: ObservedMode | null): observed is Mode {
  return observed === "direct" || observed === "proxy";
}

/** Whether a claim still means something: only then is its challenge answered. */
export function isOpen(claim: Pick<Claim, "status" | "withdrawnAt">): boolean {
  return (claim.status === "pending" || claim.status === "verified") && claim.withdrawnAt === null;
}

export function txtName(hostname: string): string {
  return `_vitrine-challenge.${hostname}`;
}

export function txtValue(proofToken: string): string {
  return `token=${proofToken}`;
}

export const CHALLENGE_PREFIX = "/.well-known/vitrine/";

export function challengePath(claim: Pick<Claim, "probeToken">): string {
  return `${CHALLENGE_PREFIX}${claim.probeToken}`;
}
