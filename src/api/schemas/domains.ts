import { Type as t } from "@sinclair/typebox";
import type { DomainCapability } from "../../domain/claims/capability.ts";
import { challengePath, txtName, txtValue } from "../../domain/claims/challenge.ts";
import { type Claim, connectionStatus, type ProxyDiagnostics } from "../../domain/model/claim.ts";
import type { CertificateStatus } from "../../domain/ports/certificates.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

const Mode = oneOf(["direct", "proxy"]);
const status = t.String({ description: "ok, pending, warning, error or skipped" });
const component = { status, error: TextOrNull };

const ProxyDiagnosticsResponse = t.Object({
  checked_at: t.String(),
  consecutive_failures: t.Integer(),
  generation: t.Integer({ description: "The publication of the route that was probed" }),
  ranges_version: TextOrNull,
  dns: t.Object(component),
  edge_tls: t.Object(component),
  origin: t.Object(component),
  ownership: t.Object(component),
  edge_http: t.Object({
    ...component,
    address: TextOrNull,
    edge_cache_status: TextOrNull,
    edge_ray: TextOrNull,
    redirect_location: TextOrNull,
    status_code: orNull(t.Integer()),
  }),
  http_forwarding: t.Object({ ...component, status_code: orNull(t.Integer()) }),
});

export const DomainClaimResponse = namedSchema(
  "DomainClaimResponse",
  {
    id: t.Integer(),
    hostname: t.String(),
    target: orNull(t.Object({ alias: t.String() }), {
      description: "The alias whose deployment visitors get; null for the site's active deployment",
    }),
    site_name: TextOrNull,
    status: oneOf(["pending", "verified", "expired", "cancelled"]),
    connection_status: oneOf(["waiting_for_dns", "securing", "connected", "updating", "action_needed"]),
    mode: Mode,
    effective_mode: orNull(Mode),
    target_mode: orNull(Mode),
    observed_mode: orNull(oneOf(["direct", "proxy", "mixed", "unsupported", "unavailable"])),
    route_status: oneOf(["not_routed", "publishing", "routed", "removing", "removed"]),
    route_generation: t.Integer(),
    route_error: TextOrNull,
    verification: t.Object({ name: t.String(), type: t.Literal("TXT"), value: t.String() }),
    challenge_path: TextOrNull,
    challenge_seen_at: TextOrNull,
    created_at: t.String(),
    expires_at: t.String(),
    activated_at: TextOrNull,
    activation_checked_at: TextOrNull,
    activation_error: TextOrNull,
    last_checked_at: TextOrNull,
    last_error: TextOrNull,
    verified_at: TextOrNull,
    withdrawn_at: TextOrNull,
    removal_requested_at: TextOrNull,
    transition_started_at: TextOrNull,
    transition_deadline_at: TextOrNull,
    transition_error: TextOrNull,
    proxy_diagnostics: orNull(ProxyDiagnosticsResponse),
    certificate: orNull(
      t.Object({
        issuer: t.String({ description: "The URL of the ACME directory of the CA" }),
        not_after: t.String({ description: "When it expires; it is renewed before" }),
      }),
      { description: "The certificate that this server has for the hostname; null without one" },
    ),
  },
  {
    id: 4,
    hostname: "www.example.org",
    target: null,
    site_name: "brisk-otter-4821",
    status: "verified",
    connection_status: "connected",
    mode: "direct",
    effective_mode: "direct",
    target_mode: null,
    observed_mode: "direct",
    route_status: "routed",
    route_generation: 1,
    route_error: null,
    verification: {
      name: "_vitrine-challenge.www.example.org",
      type: "TXT",
      value: "token=mfrggzdfmztwq2lknnwg23tpobyxe43u",
    },
    challenge_path: "/.well-known/vitrine/nbswy3dpeb3w64tmmqqho33snrsccili",
    challenge_seen_at: "2026-11-20T16:06:02.101Z",
    created_at: "2026-11-20T16:05:12.418Z",
    expires_at: "2026-11-27T16:05:12.418Z",
    activated_at: "2026-11-20T16:06:05.940Z",
    activation_checked_at: "2026-11-20T16:06:05.940Z",
    activation_error: null,
    last_checked_at: "2026-11-20T16:06:05.940Z",
    last_error: null,
    verified_at: "2026-11-20T16:06:01.733Z",
    withdrawn_at: null,
    removal_requested_at: null,
    transition_started_at: null,
    transition_deadline_at: null,
    transition_error: null,
    proxy_diagnostics: null,
    certificate: {
      issuer: "https://acme-v02.api.letsencrypt.org/directory",
      not_after: "2027-02-18T15:07:44.000Z",
    },
  },
);

export const CreateDomainClaimRequest = namedSchema(
  "CreateDomainClaimRequest",
  {
    hostname: t.String({ description: "The name visitors will use, such as www.example.org" }),
    target: t.Optional(
      orNull(t.Object({ alias: t.String() }), {
        description: "The alias that the domain shows; by default the site's active deployment",
      }),
    ),
  },
  { hostname: "www.example.org" },
);

export const CustomDomainCapabilityResponse = namedSchema(
  "CustomDomainCapabilityResponse",
  {
    status: oneOf(["ready", "disabled", "not_ready"]),
    enabled: t.Boolean(),
    control_ready: t.Boolean({ description: "Claims are checked and, where needed, certificates can be ordered" }),
    routing_enabled: t.Boolean({ description: "The records that point to this server are configured" }),
    routing_targets: t.Array(t.Object({ type: t.String(), value: t.String() })),
    automatic: t.Object({
      enabled: t.Boolean(),
      issuer: orNull(t.String(), { description: "The URL of the ACME directory; null where nothing is ordered" }),
      challenge: TextOrNull,
    }),
    proxy: t.Object({ enabled: t.Boolean(), ranges_version: TextOrNull }),
  },
  {
    status: "ready",
    enabled: true,
    control_ready: true,
    routing_enabled: true,
    routing_targets: [{ type: "A", value: "203.0.113.7" }],
    automatic: { enabled: true, issuer: "https://acme-v02.api.letsencrypt.org/directory", challenge: "http-01" },
    proxy: { enabled: true, ranges_version: "2023-09-28" },
  },
);

/** `held` is the state of the hostname's certificate; null where the claim does not have the hostname. */
export function domainClaimResponse(claim: Claim, held: CertificateStatus | null): typeof DomainClaimResponse.static {
  return {
    id: claim.id,
    hostname: claim.hostname,
    target: claim.alias === null ? null : { alias: claim.alias },
    site_name: claim.siteName,
    status: claim.status,
    connection_status: connectionStatus(claim),
    mode: claim.mode,
    effective_mode: claim.effectiveMode,
    target_mode: claim.targetMode,
    observed_mode: claim.observedMode,
    route_status: claim.routeStatus,
    route_generation: claim.routeGeneration,
    route_error: claim.routeError,
    verification: { name: txtName(claim.hostname), type: "TXT", value: txtValue(claim.proofToken) },
    challenge_path: challengePath(claim),
    challenge_seen_at: momentOrNull(claim.challengeSeenAt),
    created_at: timestamp(claim.createdAt),
    expires_at: timestamp(claim.expiresAt),
    activated_at: momentOrNull(claim.activatedAt),
    activation_checked_at: momentOrNull(claim.activationCheckedAt),
    activation_error: withNextCheck(claim.activationError, claim),
    last_checked_at: momentOrNull(claim.lastCheckedAt),
    last_error: withNextCheck(claim.lastError, claim),
    verified_at: momentOrNull(claim.verifiedAt),
    withdrawn_at: momentOrNull(claim.withdrawnAt),
    removal_requested_at: momentOrNull(claim.removalRequestedAt),
    transition_started_at: momentOrNull(claim.transitionStartedAt),
    transition_deadline_at: momentOrNull(claim.transitionDeadlineAt),
    transition_error: withNextCheck(claim.transitionError, claim),
    proxy_diagnostics: claim.diagnostics && diagnosticsResponse(claim.diagnostics),
    certificate: held && certificateResponse(held),
  };
}

export function capabilityResponse(capability: DomainCapability): typeof CustomDomainCapabilityResponse.static {
  return {
    status: capability.status,
    enabled: capability.enabled,
    control_ready: capability.controlReady,
    routing_enabled: capability.routingEnabled,
    routing_targets: capability.routingTargets.map(({ type, value }) => ({ type, value })),
    automatic: { ...capability.automatic },
    proxy: { enabled: capability.proxy.enabled, ranges_version: capability.proxy.rangesVersion },
  };
}

// --- internal ---

/**
 * Adds the time of the next check for a user who fixes a record. Added here, because a request can advance the check.
 */
function withNextCheck(message: string | null, { nextCheckAt }: Claim): string | null {
  return message === null || nextCheckAt === null ? message : `${message} Next check: ${timestamp(nextCheckAt)}.`;
}

function certificateResponse({ issuer, notAfter }: CertificateStatus) {
  return issuer === null || notAfter === null ? null : { issuer, not_after: timestamp(notAfter) };
}

function diagnosticsResponse(diagnostics: ProxyDiagnostics): typeof ProxyDiagnosticsResponse.static {
  const { edgeHttp, httpForwarding } = diagnostics;
  return {
    checked_at: timestamp(diagnostics.checkedAt),
    consecutive_failures: diagnostics.consecutiveFailures,
    generation: diagnostics.generation,
    ranges_version: diagnostics.rangesVersion,
    dns: diagnostics.dns,
    edge_tls: diagnostics.edgeTls,
    origin: diagnostics.origin,
    ownership: diagnostics.ownership,
    edge_http: {
      status: edgeHttp.status,
      error: edgeHttp.error,
      address: edgeHttp.address,
      edge_cache_status: edgeHttp.edgeCacheStatus,
      edge_ray: edgeHttp.edgeRay,
      redirect_location: edgeHttp.redirectLocation,
      status_code: edgeHttp.statusCode,
    },
    http_forwarding: {
      status: httpForwarding.status,
      error: httpForwarding.error,
      status_code: httpForwarding.statusCode,
    },
  };
}
