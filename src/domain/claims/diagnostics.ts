import type { Claim, DiagnosticComponent, ObservedMode, ProxyDiagnostics } from "../model/claim.ts";
import { challengePath } from "./challenge.ts";
import type { Observation, ProbeSeen } from "./observation.ts";
import { explain, isCachedError, isRedirect, originFailure, type Requested } from "./observation.ts";

const OK: DiagnosticComponent = { status: "ok", error: null };
const PENDING: DiagnosticComponent = { status: "pending", error: null };
const SKIPPED: DiagnosticComponent = { status: "skipped", error: null };

const failed = (error: string): DiagnosticComponent => ({ status: "error", error });
const doubtful = (error: string): DiagnosticComponent => ({ status: "warning", error });

interface DiagnosticContext {
  readonly now: number;
  readonly rangesVersion: string;
  /** With TLS off there is no HTTPS probe: its components are `skipped`, and the HTTP probe is used for the others. */
  readonly tlsOff: boolean;
}

/**
 * Returns the state of each hop through the edge; null for a hostname that is neither behind the
 * edge nor supposed to be. `observed` is the mode that the same check found.
 */
export function diagnose(
  claim: Claim,
  observation: Observation,
  observed: ObservedMode,
  addressError: string | null,
  context: DiagnosticContext,
): ProxyDiagnostics | null {
  const meant = claim.mode === "proxy" || claim.effectiveMode === "proxy";
  if (observed !== "proxy" && observed !== "mixed" && !meant) return null;
  const requested = { hostname: claim.hostname, path: challengePath(claim) };
  const seen = observed === "proxy" ? observation : { http: null, https: null };
  const main = context.tlsOff ? seen.http : seen.https;
  const parts = {
    dns: dnsPart(observed, addressError),
    edgeTls: edgeTlsPart(seen.https, context.tlsOff),
    edgeHttp: edgeHttpPart(requested, main, context.tlsOff),
    httpForwarding: httpForwardingPart(requested, seen.http, main),
    origin: originPart(main),
    ownership: ownershipPart(requested, main, context.tlsOff),
  };
  const failing = Object.values(parts).some(({ status }) => status === "error");
  return {
    checkedAt: context.now,
    consecutiveFailures: failing ? (claim.diagnostics?.consecutiveFailures ?? 0) + 1 : 0,
    generation: claim.routeGeneration,
    rangesVersion: context.rangesVersion,
    ...parts,
  };
}

function dnsPart(observed: ObservedMode, addressError: string | null): DiagnosticComponent {
  if (observed === "proxy") return OK;
  if (observed === "mixed") return doubtful(addressError ?? "the name points both to this server and to the edge");
  return observed === "direct"
    ? doubtful("the name points directly here, not to the edge")
    : failed(addressError ?? "the name does not point to the edge");
}

function edgeTlsPart(https: ProbeSeen | null, tlsOff: boolean): DiagnosticComponent {
  if (tlsOff) return SKIPPED;
  if (https === null) return PENDING;
  if (https.kind === "tls") return failed(`no TLS session with ${https.address} could be established: ${https.reason}`);
  if (https.kind === "malformed") return OK;
  if (https.kind !== "answered") return SKIPPED;
  if (https.certificateError === null) return OK;
  return doubtful(`the edge's certificate is not trusted: ${https.certificateError}`);
}

function edgeHttpPart(requested: Requested, main: ProbeSeen | null, tlsOff: boolean): ProxyDiagnostics["edgeHttp"] {
  const response = main?.kind === "answered" ? main : null;
  const facts = {
    address: main?.address ?? null,
    edgeCacheStatus: response?.cacheStatus ?? null,
    edgeRay: response?.ray ?? null,
    redirectLocation: response?.location ?? null,
    statusCode: response?.statusCode ?? null,
  };
  if (tlsOff) return { ...SKIPPED, ...facts };
  if (main === null) return { ...PENDING, ...facts };
  const error = explain(requested, "https", main);
  return { ...(error === null ? OK : failed(error)), ...facts };
}

function httpForwardingPart(
  requested: Requested,
  http: ProbeSeen | null,
  main: ProbeSeen | null,
): ProxyDiagnostics["httpForwarding"] {
  const statusCode = http?.kind === "answered" ? http.statusCode : null;
  if (http === null) return { ...PENDING, statusCode };
  const error = explain(requested, "http", http);
  if (error === null) return { ...OK, statusCode };
  // A redirect to HTTPS by the edge is fine as long as HTTPS reaches this server.
  const harmless = isRedirect(http) && main?.kind === "answered" && main.returned;
  return { ...(harmless ? doubtful(error) : failed(error)), statusCode };
}

function originPart(main: ProbeSeen | null): DiagnosticComponent {
  if (main === null) return PENDING;
  if (main.kind === "answered" && main.returned) return OK;
  const failure = originFailure(main);
  return failure === null ? PENDING : failed(failure);
}

function ownershipPart(requested: Requested, main: ProbeSeen | null, tlsOff: boolean): DiagnosticComponent {
  if (main?.kind !== "answered") return PENDING;
  if (main.returned) return OK;
  const unknown = originFailure(main) !== null || isRedirect(main) || isCachedError(main);
  return unknown ? PENDING : failed(explain(requested, tlsOff ? "http" : "https", main) ?? "");
}
