import { timestamp } from "../timestamp.ts";
import type { Attempts, Certificate, ManagedCertificate } from "./certificate.ts";
import { type Claim, connectionStatus, isOpen } from "./claim.ts";
import type { Deployment } from "./deployment.ts";
import type { ComparedReport } from "./report.ts";
import type { EventData, WebhookEvent } from "./webhook.ts";

/** All event types, in display order. `ping` is the owner's test. */
export const EVENT_TYPES = [
  "deployment.published",
  "deployment.activated",
  "deployment.deleted",
  "preview.created",
  "preview.expired",
  "alias.moved",
  "report.ready",
  "site.expiring",
  "site.deleted",
  "domain.verified",
  "domain.connected",
  "domain.action_needed",
  "domain.removed",
  "certificate.issued",
  "certificate.renewed",
  "certificate.failing",
] as const;

/** The events of the operator's webhook. */
const OPERATOR_EVENT_TYPES = ["backup.failed", "disk.low", "certificate.failing"] as const;

export type SiteEventType = (typeof EVENT_TYPES)[number] | "ping";

export type EventType = SiteEventType | (typeof OPERATOR_EVENT_TYPES)[number];

/** An event before it is stored. */
export type Happened = Pick<WebhookEvent, "data"> & { readonly type: SiteEventType };

/** Like `Happened`, for the operator's webhook. */
export type OperatorEvent = Pick<WebhookEvent, "data"> & { readonly type: (typeof OPERATOR_EVENT_TYPES)[number] };

/** A deployment, stored or not. */
type PublishedDeployment = Omit<Deployment, "id" | "siteId">;

/** Consecutive failures before an event is sent. At least twelve minutes have passed by then. */
const FAILING_AFTER = 3;

/** Returns the event of a new deployment. */
export function deploymentPublished(siteName: string, deployment: PublishedDeployment): Happened {
  return { type: "deployment.published", data: deploymentData(siteName, deployment) };
}

/** Returns the event of a new preview. */
export function previewCreated(siteName: string, deployment: PublishedDeployment, alias: string | null): Happened {
  const expires_at = deployment.expiresAt === null ? null : timestamp(deployment.expiresAt);
  return { type: "preview.created", data: { ...deploymentData(siteName, deployment), alias, expires_at } };
}

/** Returns the event of an expired alias, or of an expired preview if `alias` is null. */
export function previewExpired(
  siteName: string,
  { deploymentNumber, alias }: { readonly deploymentNumber: number; readonly alias: string | null },
): Happened {
  return { type: "preview.expired", data: { site_name: siteName, deployment_number: deploymentNumber, alias } };
}

/** Returns the event of an alias with a new target; `previous` is null for a new alias. */
export function aliasMoved(
  siteName: string,
  moved: { readonly alias: string; readonly deploymentNumber: number; readonly previous: number | null },
): Happened {
  const { alias, deploymentNumber: deployment_number, previous: previous_deployment_number } = moved;
  return { type: "alias.moved", data: { site_name: siteName, alias, deployment_number, previous_deployment_number } };
}

/** Returns the event of an activation. */
export function deploymentActivated(siteName: string, deployment: PublishedDeployment): Happened {
  return { type: "deployment.activated", data: deploymentData(siteName, deployment) };
}

/**
 * Returns the event for deployments that were deleted in one transaction. `actor` is the user's login; null for
 * retention.
 */
export function deploymentsDeleted(siteName: string, numbers: readonly number[], actor: string | null): Happened {
  return { type: "deployment.deleted", data: { site_name: siteName, deployment_numbers: numbers, actor } };
}

/** Returns the event of a report that is ready. */
export function reportReady(
  siteName: string,
  deploymentNumber: number,
  { counts, newErrors }: Pick<ComparedReport, "counts" | "newErrors">,
): Happened {
  const { error: errors, warning: warnings } = counts;
  const found = { errors, warnings, new_errors: newErrors };
  return { type: "report.ready", data: { site_name: siteName, deployment_number: deploymentNumber, ...found } };
}

export function siteDeleted(siteName: string): Happened {
  return { type: "site.deleted", data: { site_name: siteName } };
}

/** Returns the event a day before a site expires. */
export function siteExpiring(siteName: string, expiresAt: number): Happened {
  return { type: "site.expiring", data: { site_name: siteName, expires_at: timestamp(expiresAt) } };
}

export function pinged(siteName: string, webhookId: string): Happened {
  return { type: "ping", data: { site_name: siteName, webhook_id: webhookId } };
}

/** Returns the event of a change to a claim; null for most checks. */
export function claimEvents(before: Claim, after: Claim): readonly Happened[] {
  const types: SiteEventType[] = [];
  const status = connectionStatus(after);
  if (before.status === "pending" && after.status === "verified") types.push("domain.verified");
  if (status !== connectionStatus(before) && isOpen(after)) {
    if (status === "connected") types.push("domain.connected");
    if (status === "action_needed") types.push("domain.action_needed");
  }
  if (hasEnded(after) && !hasEnded(before)) types.push("domain.removed");
  return types.map((type) => ({ type, data: claimData(after) }));
}

/** Returns the event of a new certificate. */
export function certificateArrived(
  siteName: string,
  { subject, current }: Pick<ManagedCertificate, "subject" | "current">,
  certificate: Certificate,
): Happened {
  const type = current === null ? "certificate.issued" : "certificate.renewed";
  return { type, data: { site_name: siteName, hostname: subject, ...certificateData(certificate) } };
}

/** Returns the event of the third consecutive failure of a certificate; otherwise null. */
export function certificateFailing(
  siteName: string,
  { subject, current, attempts }: Pick<ManagedCertificate, "subject" | "current" | "attempts">,
  after: Attempts,
): Happened | null {
  if (attempts.failures >= FAILING_AFTER || after.failures < FAILING_AFTER) return null;
  const data = { site_name: siteName, hostname: subject, ...certificateData(current), error: after.error };
  return { type: "certificate.failing", data };
}

/**
 * Returns the event of a failing certificate for the operator, including the server's own; null unless it is failing.
 */
export function anyCertificateFailing({
  subject,
  current,
  attempts,
}: Pick<ManagedCertificate, "subject" | "current" | "attempts">): OperatorEvent | null {
  if (attempts.failures < FAILING_AFTER) return null;
  const data = { hostname: subject, ...certificateData(current), error: attempts.error };
  return { type: "certificate.failing", data };
}

/** The URLs of sites. They depend on the settings and are not stored. */
export interface SiteUrls {
  site(name: string): string;
  deployment(siteName: string, number: number): string;
  alias(siteName: string, alias: string): string;
}

/** Returns the body of a delivery: JSON with `type`, `timestamp` and `data`, as in Standard Webhooks. */
export function payloadOf({ type, at, data }: WebhookEvent, urls: SiteUrls): string {
  const { site_name: site, deployment_number: number, alias } = data;
  const named =
    typeof site === "string" && typeof number === "number"
      ? { url: urls.deployment(site, number), site_url: urls.site(site) }
      : {};
  const aliased = typeof site === "string" && typeof alias === "string" ? { alias_url: urls.alias(site, alias) } : {};
  return JSON.stringify({ type, timestamp: timestamp(at), data: { ...data, ...named, ...aliased } });
}

// --- internal ---

function deploymentData(siteName: string, deployment: PublishedDeployment): EventData {
  return {
    site_name: siteName,
    deployment_number: deployment.number,
    source: deployment.source,
    actor: deployment.actor,
    created_at: timestamp(deployment.createdAt),
    file_count: deployment.fileCount,
    size_bytes: deployment.sizeBytes,
    warning_count: deployment.warnings.length,
  };
}

function claimData(claim: Claim): EventData {
  return {
    site_name: claim.siteName,
    hostname: claim.hostname,
    claim_id: claim.id,
    status: claim.status,
    connection_status: connectionStatus(claim),
    mode: claim.effectiveMode,
    error: claim.transitionError ?? claim.activationError ?? claim.lastError,
  };
}

/** Returns whether a claim has ended and its hostname no longer serves the site. */
function hasEnded({ status, routeStatus }: Claim): boolean {
  const over = status === "expired" || status === "cancelled";
  return over && (routeStatus === "not_routed" || routeStatus === "removed");
}

function certificateData(certificate: Certificate | null): EventData {
  if (certificate === null) return { issuer: null, not_after: null };
  const { authority, notAfter } = certificate;
  return { issuer: URL.canParse(authority) ? new URL(authority).host : authority, not_after: timestamp(notAfter) };
}
