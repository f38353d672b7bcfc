import { DAY } from "../timestamp.ts";

/** `pending` until the TXT record is seen; `expired` when it never was; `cancelled` when removed or lost. */
export type ClaimStatus = "pending" | "verified" | "expired" | "cancelled";

export type RouteStatus = "not_routed" | "publishing" | "routed" | "removing" | "removed";

/** The way from a hostname to this server: by its own addresses, or through the edge. */
export type Mode = "direct" | "proxy";

/** The mode that DNS shows. `unsupported`: addresses of other servers. `unavailable`: no address. */
export type ObservedMode = Mode | "mixed" | "unsupported" | "unavailable";

type DiagnosticStatus = "ok" | "pending" | "warning" | "error" | "skipped";

export interface DiagnosticComponent {
  readonly status: DiagnosticStatus;
  readonly error: string | null;
}

/** Result of the last check of a hostname behind the edge, one component per hop. */
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

/**
 * The reason why a claim is checked again. `waiting`: the owner must set records. `step`: the server is working, for
 * example on an order. `moving`: a transition is running. `failing`: a connected hostname fails. `resting`: everything
 * works.
 */
export type BackoffPolicy = "waiting" | "step" | "moving" | "failing" | "resting";

/** A hostname claimed for a site. It stores facts; `connectionStatus` derives the status. Times are epoch milliseconds. */
export interface Claim {
  readonly id: number;
  /** Incremented by every save. A save with an older revision is refused. */
  readonly revision: number;
  readonly hostname: string;
  /** The label of the alias that the hostname follows; null for the site's active deployment. */
  readonly alias: string | null;
  /** Null once the site is gone; only an ended claim outlives its site. */
  readonly siteId: number | null;
  readonly siteName: string | null;
  readonly ownerId: number;
  readonly status: ClaimStatus;
  /** The secret of the TXT record: base32, 160 bits, fresh for every claim. */
  readonly proofToken: string;
  /** The last segment of `challenge_path`, and the response at that path. Neither can be derived from the other. */
  readonly probeToken: string;
  readonly probeResponse: string;
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

  /** Since when the addresses of a verified hostname have not resolved to this server; null while they do. */
  readonly misroutedSince: number | null;
  /** Since when the TXT record and the addresses are both missing. The claim is lost seven days later. */
  readonly recordsGoneSince: number | null;
  /** Consecutive responses without the TXT record of this verified claim. */
  readonly proofMisses: number;
  /** The policy by which the next check was planned, and the number of checks made under it. */
  readonly backoff: BackoffPolicy;
  readonly attempts: number;
  /** When the next check is due; null when none is planned. */
  readonly nextCheckAt: number | null;
}

export interface NewClaim
  extends Pick<Claim, "hostname" | "ownerId" | "proofToken" | "probeToken" | "probeResponse" | "createdAt"> {
  /** Absent for the active deployment. */
  readonly alias?: string | null;
  readonly siteId: number;
}

/** The time that a claim waits for its TXT record, and the time that a verified claim survives without its records. */
const CLAIM_LIFETIME = 7 * DAY;
export const LOSS_GRACE = 7 * DAY;

/** Returns the initial fields of a claim, without those that the store assigns. */
export function startClaim(claim: NewClaim): Omit<Claim, "id" | "revision" | "siteName"> {
  return {
    ...claim,
    alias: claim.alias ?? null,
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
    misroutedSince: null,
    recordsGoneSince: null,
    proofMisses: 0,
    backoff: "waiting",
    attempts: 0,
    nextCheckAt: claim.createdAt,
  };
}

export function isMode(observed: ObservedMode | null): observed is Mode {
  return observed === "direct" || observed === "proxy";
}

/** The statuses of a claim that has not ended. */
export const OPEN_STATUSES: readonly ClaimStatus[] = ["pending", "verified"];

/** The statuses of a route that visitors may still use. */
export const ACTIVE_ROUTE_STATUSES: readonly RouteStatus[] = ["publishing", "routed", "removing"];

/** Returns whether a claim is open. The challenge is served for open claims only. */
export function isOpen(claim: Pick<Claim, "status" | "withdrawnAt">): boolean {
  return OPEN_STATUSES.includes(claim.status) && claim.withdrawnAt === null;
}

export type ConnectionStatus = "waiting_for_dns" | "securing" | "connected" | "updating" | "action_needed";

/** Derives the status that the owner sees. */
export function connectionStatus(claim: Claim): ConnectionStatus {
  if (claim.status === "pending") return "waiting_for_dns";
  // When a claim ended against the owner's will, `lastError` says what to do.
  if (claim.status !== "verified") return claim.lastError === null ? "waiting_for_dns" : "action_needed";
  if (claim.withdrawnAt !== null) return "updating";
  if (claim.targetMode !== null) return claim.transitionError === null ? "updating" : "action_needed";
  return claim.activatedAt === null ? beforeActivation(claim) : afterActivation(claim);
}

/** Returns whether a hostname that was connected lost its certificate and waits for a new one. */
export function awaitsCertificateAgain({ activatedAt, backoff }: Pick<Claim, "activatedAt" | "backoff">): boolean {
  return activatedAt !== null && backoff === "step";
}

/** Returns whether a change of a claim affects visitors: it changes a route, or the canonical hostname of a site. */
export function changesRouting(before: RoutingFacts | undefined, after: RoutingFacts): boolean {
  return before?.routeStatus !== after.routeStatus || before.activatedAt !== after.activatedAt;
}

// --- internal ---

type RoutingFacts = Pick<Claim, "routeStatus" | "activatedAt">;

function beforeActivation(claim: Claim): ConnectionStatus {
  if (claim.misroutedSince !== null || claim.observedMode === null) return "waiting_for_dns";
  if (claim.activationError !== null) return "action_needed";
  const leadsHere = claim.observedMode === "direct" || claim.observedMode === "proxy";
  // A resolver that fails temporarily does not undo what an earlier check found.
  const unknown = claim.observedMode === "unavailable" && claim.challengeSeenAt !== null;
  return leadsHere || unknown ? "securing" : "waiting_for_dns";
}

function afterActivation(claim: Claim): ConnectionStatus {
  if (claim.misroutedSince !== null || claim.activationError !== null) return "action_needed";
  return awaitsCertificateAgain(claim) ? "securing" : "connected";
}
