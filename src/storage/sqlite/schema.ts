import { blob, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceGrant } from "../../domain/accounts/consent.ts";
import type { DeviceAuthorization } from "../../domain/accounts/device-authorization.ts";
import type { Quota } from "../../domain/accounts/quota.ts";
import type { SessionLimit } from "../../domain/accounts/scope.ts";
import type { ProviderName } from "../../domain/accounts/user.ts";
import type { BackupRecord } from "../../domain/backups/backup-record.ts";
import type {
  Attempts,
  Certificate,
  ChallengeType,
  ManagedCertificate,
  PendingOrder,
  RenewalInfo,
} from "../../domain/certificates/certificate.ts";
import type { ClaimStatus, Mode, ObservedMode, ProxyDiagnostics, RouteStatus } from "../../domain/claims/claim.ts";
import type { BackoffPolicy } from "../../domain/claims/schedule.ts";
import type { DeploymentSource } from "../../domain/deployments/deployment.ts";
import type { Warning } from "../../domain/deployments/manifest.ts";
import type { PreviewAccess } from "../../domain/deployments/previews.ts";
import type { LiveEvent } from "../../domain/events/live-event.ts";
import type { StepFigures, StepLength } from "../../domain/maintenance/metric-steps.ts";
import type { AccountLinkKind } from "../../domain/ports/store/account-links.ts";
import type { ActorKind } from "../../domain/ports/store/audit.ts";
import type { ContentCoding } from "../../domain/ports/store/encodings.ts";
import type { PublisherProvider } from "../../domain/publishers/publisher.ts";
import type { ShareKind } from "../../domain/shares/share.ts";
import type { Freeze } from "../../domain/sites/freeze.ts";
import type { TokenPermission } from "../../domain/tokens/permission.ts";
import type { EventType } from "../../domain/webhooks/events.ts";
import type { DeliveryStatus, EventData } from "../../domain/webhooks/webhook.ts";

// The tables as Drizzle sees them. `migrations/` makes them, with their constraints and indexes; `schema.test.ts`
// holds that both name the same columns.

export const meta = sqliteTable("meta", {
  key: text("key").primaryKey(),
  value: integer("value").notNull(),
});

export const users = sqliteTable("users", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  provider: text("provider").$type<ProviderName>().notNull(),
  subject: text("subject").notNull(),
  login: text("login").notNull(),
  name: text("name"),
  avatarUrl: text("avatar_url"),
  mayOwn: integer("may_own", { mode: "boolean" }).notNull(),
  passwordHash: text("password_hash"),
  createdAt: integer("created_at").notNull(),
  frozen: text("frozen", { mode: "json" }).$type<Freeze>(),
  operator: integer("operator", { mode: "boolean" }).notNull().default(false),
  lastSeenAt: integer("last_seen_at"),
});

export const accountLinks = sqliteTable(
  "account_links",
  {
    kind: text("kind").$type<AccountLinkKind>().notNull(),
    login: text("login").notNull(),
    tokenHash: text("token_hash").notNull(),
    userId: integer("user_id"),
    name: text("name"),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.login] })],
);

export const quotas = sqliteTable(
  "quotas",
  {
    userId: integer("user_id").notNull(),
    kind: text("kind").$type<keyof Quota>().notNull(),
    most: integer("most"),
  },
  (table) => [primaryKey({ columns: [table.userId, table.kind] })],
);

export const sessions = sqliteTable("sessions", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  userId: integer("user_id").notNull(),
  tokenHash: text("token_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  idleLimit: integer("idle_limit").notNull(),
  clientName: text("client_name").notNull(),
  address: text("address"),
  signedInAt: integer("signed_in_at"),
  limit: text("scope", { mode: "json" }).$type<SessionLimit>(),
});

export const sites = sqliteTable("sites", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  ownerId: integer("owner_id").notNull(),
  private: integer("private", { mode: "boolean" }).notNull(),
  createdAt: integer("created_at").notNull(),
  lastDeployedAt: integer("last_deployed_at").notNull(),
  lastNumber: integer("last_number").notNull(),
  activeDeploymentId: integer("active_deployment_id"),
  totalViews: integer("total_views").notNull().default(0),
  frozen: text("frozen", { mode: "json" }).$type<Freeze>(),
  previewAccess: text("preview_access").$type<PreviewAccess>().notNull().default("site"),
  previewLifetime: integer("preview_lifetime"),
  tags: text("tags", { mode: "json" }).$type<readonly string[]>().notNull().default([]),
});

export const retiredNames = sqliteTable("retired_names", {
  name: text("name").primaryKey(),
  ownerId: integer("owner_id").notNull(),
  freeAt: integer("free_at").notNull(),
});

export const deployments = sqliteTable("deployments", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  siteId: integer("site_id").notNull(),
  number: integer("number").notNull(),
  createdAt: integer("created_at").notNull(),
  activatedAt: integer("activated_at"),
  replacedAt: integer("replaced_at"),
  source: text("source").$type<DeploymentSource>().notNull(),
  actor: text("actor").notNull(),
  fileCount: integer("file_count").notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  warnings: text("warnings", { mode: "json" }).$type<Warning[]>().notNull(),
  message: text("message"),
  commit: text("source_commit"),
  ref: text("source_ref"),
  expiresAt: integer("expires_at"),
});

export const aliases = sqliteTable(
  "aliases",
  {
    siteId: integer("site_id").notNull(),
    name: text("name").notNull(),
    deploymentId: integer("deployment_id").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    expiresAt: integer("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.name] })],
);

export const expiredPreviews = sqliteTable(
  "expired_previews",
  {
    siteId: integer("site_id").notNull(),
    label: text("label").notNull(),
    expiredAt: integer("expired_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.label] })],
);

export const pins = sqliteTable("pins", {
  deploymentId: integer("deployment_id").primaryKey(),
});

export const retentionPolicies = sqliteTable("retention_policies", {
  siteId: integer("site_id").primaryKey(),
  last: integer("keep_last"),
  days: integer("keep_days"),
});

export const manifests = sqliteTable("manifests", {
  deploymentId: integer("deployment_id").primaryKey(),
  rules: blob("rules", { mode: "buffer" }).notNull(),
});

export const deploymentFiles = sqliteTable(
  "deployment_files",
  {
    deploymentId: integer("deployment_id").notNull(),
    path: text("path").notNull(),
    contentId: integer("content_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.path] })],
);

export const contents = sqliteTable("contents", {
  id: integer("id").primaryKey(),
  digest: text("digest").notNull(),
  size: integer("size").notNull(),
  publishedAt: integer("published_at").notNull(),
  condemnedAt: integer("condemned_at"),
});

export const deploymentContents = sqliteTable(
  "deployment_contents",
  {
    deploymentId: integer("deployment_id").notNull(),
    contentId: integer("content_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.contentId] })],
);

export const encodings = sqliteTable(
  "encodings",
  {
    contentId: integer("content_id").notNull(),
    coding: text("coding").$type<ContentCoding>().notNull(),
    digest: text("digest").notNull(),
    size: integer("size").notNull(),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.coding] })],
);

export const routingChanges = sqliteTable("routing_changes", {
  slot: integer("slot").primaryKey(),
  generation: integer("generation").notNull(),
  sites: text("sites", { mode: "json" }).$type<readonly number[]>(),
});

export const encodingClaims = sqliteTable("encoding_claims", {
  contentId: integer("content_id").primaryKey(),
  epoch: integer("epoch").notNull(),
  holder: text("holder").notNull(),
  endsAt: integer("ends_at"),
});

export const viewDays = sqliteTable(
  "view_days",
  {
    siteId: integer("site_id").notNull(),
    day: integer("day").notNull(),
    views: integer("views").notNull(),
    botViews: integer("bot_views").notNull(),
    bytes: integer("bytes").notNull(),
    visitors: blob("visitors", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.day] })],
);

export const viewHours = sqliteTable(
  "view_hours",
  {
    siteId: integer("site_id").notNull(),
    hour: integer("hour").notNull(),
    views: integer("views").notNull(),
    botViews: integer("bot_views").notNull(),
    bytes: integer("bytes").notNull(),
    visitors: blob("visitors", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.hour] })],
);

export const viewNames = sqliteTable(
  "view_names",
  {
    siteId: integer("site_id").notNull(),
    day: integer("day").notNull(),
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.day, table.kind, table.name] })],
);

export const viewSalts = sqliteTable("view_salts", {
  day: integer("day").primaryKey(),
  salt: text("salt").notNull(),
});

export const deploymentTokens = sqliteTable("deployment_tokens", {
  id: text("id").primaryKey(),
  siteId: integer("site_id").notNull(),
  name: text("name").notNull(),
  permission: text("permission").$type<TokenPermission>().notNull().default("publish"),
  tokenHash: text("token_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  publisherId: text("publisher_id"),
});

export const publishers = sqliteTable("publishers", {
  id: text("id").primaryKey(),
  siteId: integer("site_id").notNull(),
  provider: text("provider").$type<PublisherProvider>().notNull(),
  issuer: text("issuer").notNull(),
  repository: text("repository").notNull(),
  workflow: text("workflow"),
  ref: text("ref"),
  environment: text("environment"),
  permission: text("permission").$type<TokenPermission>().notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at"),
  repositoryId: text("repository_id"),
  ownerId: text("owner_id"),
});

export const usedIdTokens = sqliteTable("used_id_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  endsAt: integer("ends_at").notNull(),
});

export const backups = sqliteTable("backups", {
  id: text("id").primaryKey(),
  place: text("place").notNull(),
  createdAt: integer("created_at").notNull(),
  state: text("state").$type<BackupRecord["state"]>().notNull(),
  bytes: integer("bytes").notNull(),
  progress: real("progress").notNull(),
  error: text("error"),
  attempts: integer("attempts").notNull(),
  retryAt: integer("retry_at"),
  verifiedAt: integer("verified_at"),
  verifying: integer("verifying", { mode: "boolean" }).notNull(),
});

export const incidents = sqliteTable("incidents", {
  name: text("name").primaryKey(),
  since: integer("since").notNull(),
});

export const shares = sqliteTable("shares", {
  id: text("id").primaryKey(),
  siteId: integer("site_id").notNull(),
  label: text("label").notNull(),
  kind: text("kind").$type<ShareKind>().notNull(),
  target: text("target").notNull(),
  secretHash: text("secret_hash"),
  passwordHash: text("password_hash"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  uses: integer("uses").notNull().default(0),
  lastUsedAt: integer("last_used_at"),
});

export const shareVisits = sqliteTable("share_visits", {
  tokenHash: text("token_hash").primaryKey(),
  shareId: text("share_id").notNull(),
  host: text("host").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const certificates = sqliteTable("certificates", {
  subject: text("subject").primaryKey(),
  identifiers: text("identifiers", { mode: "json" }).$type<readonly string[]>().notNull(),
  challenge: text("challenge").$type<ChallengeType>().notNull(),
  origin: text("origin").$type<ManagedCertificate["origin"]>().notNull(),
  attempts: text("attempts", { mode: "json" }).$type<Attempts>().notNull(),
  pending: text("pending", { mode: "json" }).$type<PendingOrder>(),
  current: text("current", { mode: "json" }).$type<Certificate>(),
  orderedAt: integer("issued_at"),
  renewal: text("renewal", { mode: "json" }).$type<RenewalInfo>(),
  revision: integer("revision").notNull().default(0),
});

export const releasedAttempts = sqliteTable("released_attempts", {
  subject: text("subject").primaryKey(),
  attempts: text("attempts", { mode: "json" }).$type<Attempts>().notNull(),
  until: integer("until").notNull(),
});

export const ownCertificates = sqliteTable("own_certificates", {
  name: text("name").$type<"root" | "fallback">().primaryKey(),
  chain: text("chain").notNull(),
  key: text("key").notNull(),
});

export const acmeAccounts = sqliteTable("acme_accounts", {
  directory: text("directory").primaryKey(),
  key: text("key").notNull(),
  url: text("url"),
});

export const acmeOrders = sqliteTable("acme_orders", {
  directory: text("directory").notNull(),
  placedAt: integer("placed_at").notNull(),
});

export const acmeChallenges = sqliteTable(
  "acme_challenges",
  {
    type: text("type").$type<ChallengeType>().notNull(),
    name: text("name").notNull(),
    value: text("value").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.type, table.name, table.value] })],
);

export const readers = sqliteTable("readers", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const deviceCodes = sqliteTable("device_codes", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  deviceCodeHash: text("device_code_hash").notNull(),
  userCodeHash: text("user_code_hash").notNull(),
  clientName: text("client_name").notNull(),
  address: text("address").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  interval: integer("poll_interval").notNull(),
  lastPolledAt: integer("last_polled_at"),
  verdict: text("verdict").$type<DeviceAuthorization["verdict"]>().notNull().default("pending"),
  userId: integer("user_id"),
  scope: text("scope"),
  granted: text("granted", { mode: "json" }).$type<DeviceGrant>(),
});

export const signInAttempts = sqliteTable("sign_in_attempts", {
  secretHash: text("secret_hash").primaryKey(),
  sealed: text("sealed").notNull(),
  expiresAt: integer("expires_at").notNull(),
  nextPollAt: integer("next_poll_at").notNull(),
});

export const visitCodes = sqliteTable("visit_codes", {
  codeHash: text("code_hash").primaryKey(),
  stateHash: text("state_hash").notNull(),
  host: text("host").notNull(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id").notNull(),
  sessionId: integer("session_id").notNull(),
  path: text("path").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const visits = sqliteTable("visits", {
  tokenHash: text("token_hash").primaryKey(),
  host: text("host").notNull(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id").notNull(),
  sessionId: integer("session_id").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const audit = sqliteTable("audit", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  at: integer("at").notNull(),
  kind: text("kind").$type<ActorKind>().notNull(),
  actor: text("actor").notNull(),
  address: text("address").notNull(),
  action: text("action").notNull(),
  site: text("site"),
  subject: text("subject").notNull(),
  hash: text("hash").notNull(),
  userId: integer("user_id"),
});

export const auditAnchor = sqliteTable("audit_anchor", {
  id: integer("id").primaryKey(),
  lastId: integer("last_id").notNull(),
  hash: text("hash").notNull(),
});

export const rateEvents = sqliteTable("rate_events", {
  id: integer("id").primaryKey(),
  key: text("key").notNull(),
  at: integer("at").notNull(),
});

export const setupLinks = sqliteTable("setup_links", {
  id: integer("id").primaryKey(),
  codeHash: text("code_hash").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const claims = sqliteTable("claims", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  revision: integer("revision").notNull(),
  hostname: text("hostname").notNull(),
  alias: text("alias"),
  siteId: integer("site_id"),
  ownerId: integer("owner_id").notNull(),
  status: text("status").$type<ClaimStatus>().notNull(),
  proofToken: text("proof_token").notNull(),
  probeToken: text("probe_token").notNull(),
  probeAnswer: text("probe_answer").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  verifiedAt: integer("verified_at"),
  withdrawnAt: integer("withdrawn_at"),
  removalRequestedAt: integer("removal_requested_at"),
  routeStatus: text("route_status").$type<RouteStatus>().notNull(),
  routeGeneration: integer("route_generation").notNull(),
  routeError: text("route_error"),
  mode: text("mode").$type<Mode>().notNull(),
  effectiveMode: text("effective_mode").$type<Mode>(),
  targetMode: text("target_mode").$type<Mode>(),
  observedMode: text("observed_mode").$type<ObservedMode>(),
  transitionStartedAt: integer("transition_started_at"),
  transitionDeadlineAt: integer("transition_deadline_at"),
  transitionError: text("transition_error"),
  cancelledMode: text("cancelled_mode").$type<Mode>(),
  challengeSeenAt: integer("challenge_seen_at"),
  activatedAt: integer("activated_at"),
  activationCheckedAt: integer("activation_checked_at"),
  activationError: text("activation_error"),
  lastCheckedAt: integer("last_checked_at"),
  lastError: text("last_error"),
  diagnostics: text("diagnostics", { mode: "json" }).$type<ProxyDiagnostics>(),
  misroutedSince: integer("astray_since"),
  recordsGoneSince: integer("gone_since"),
  proofMisses: integer("proof_misses").notNull(),
  backoff: text("ladder").$type<BackoffPolicy>().notNull(),
  attempts: integer("attempts").notNull(),
  nextCheckAt: integer("next_check_at"),
  checkHolder: text("check_holder"),
  checkUntil: integer("check_until"),
  checkedAt: integer("checked_at"),
  checkSilent: integer("check_silent", { mode: "boolean" }).notNull().default(false),
});

export const leases = sqliteTable("leases", {
  name: text("name").primaryKey(),
  holder: text("holder").notNull(),
  epoch: integer("epoch").notNull().default(0),
  endsAt: integer("ends_at").notNull(),
});

export const jobFailures = sqliteTable("job_failures", {
  name: text("name").primaryKey(),
  failures: integer("failures").notNull(),
  notBefore: integer("not_before").notNull(),
});

export const jobRuns = sqliteTable("job_runs", {
  name: text("name").primaryKey(),
  lastRunAt: integer("last_run_at").notNull(),
  lastDurationMs: integer("last_duration_ms").notNull(),
  lastError: text("last_error"),
  nextRunAt: integer("next_run_at").notNull(),
});

export const metricSteps = sqliteTable(
  "metric_steps",
  {
    length: text("length").$type<StepLength>().notNull(),
    at: integer("at").notNull(),
    figures: text("figures", { mode: "json" }).$type<StepFigures>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.length, table.at] })],
);

export const webhooks = sqliteTable("webhooks", {
  id: text("id").primaryKey(),
  siteId: integer("site_id"),
  url: text("url").notNull(),
  events: text("events", { mode: "json" }).$type<readonly EventType[]>(),
  secret: text("secret").notNull(),
  previousSecret: text("previous_secret"),
  previousSecretUntil: integer("previous_secret_until"),
  createdAt: integer("created_at").notNull(),
  failingSince: integer("failing_since"),
  disabledAt: integer("disabled_at"),
  disabledReason: text("disabled_reason"),
  ownerId: integer("owner_id"),
  slowAnswers: integer("slow_answers").notNull().default(0),
  restsUntil: integer("rests_until"),
});

export const webhookEvents = sqliteTable("webhook_events", {
  id: text("id").primaryKey(),
  type: text("type").$type<EventType>().notNull(),
  at: integer("at").notNull(),
  data: text("data", { mode: "json" }).$type<EventData>().notNull(),
});

export const webhookDeliveries = sqliteTable("webhook_deliveries", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  webhookId: text("webhook_id").notNull(),
  eventId: text("event_id").notNull(),
  status: text("status").$type<DeliveryStatus>().notNull().default("pending"),
  attempts: integer("attempts").notNull().default(0),
  nextAttemptAt: integer("next_attempt_at"),
  takenUntil: integer("taken_until"),
  attemptedAt: integer("attempted_at"),
  statusCode: integer("status_code"),
  error: text("error"),
  duration: integer("duration"),
});

export const liveEvents = sqliteTable("live_events", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  at: integer("at").notNull(),
  type: text("type").$type<LiveEvent["type"]>().notNull(),
  audience: text("audience").$type<LiveEvent["audience"]>().notNull(),
  siteId: integer("site_id"),
  siteName: text("site_name"),
  userIds: text("user_ids", { mode: "json" }).$type<LiveEvent["userIds"]>().notNull(),
  details: text("details", { mode: "json" }).$type<LiveEvent["details"]>().notNull(),
});
