import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type {
  Attempts,
  Certificate,
  ChallengeType,
  ManagedCertificate,
  PendingOrder,
  RenewalInfo,
} from "../../../domain/model/certificate.ts";
import type {
  BackoffPolicy,
  ClaimStatus,
  Mode,
  ObservedMode,
  ProxyDiagnostics,
  RouteStatus,
} from "../../../domain/model/claim.ts";
import { flag, integer, json } from "./columns.ts";

export const claims = pgTable("claims", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  revision: integer("revision").notNull(),
  hostname: text("hostname").notNull(),
  alias: text("alias"),
  siteId: integer("site_id"),
  ownerId: integer("owner_id").notNull(),
  status: text("status").$type<ClaimStatus>().notNull(),
  proofToken: text("proof_token").notNull(),
  probeToken: text("probe_token").notNull(),
  probeResponse: text("probe_answer").notNull(),
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
  diagnostics: json<ProxyDiagnostics>("diagnostics"),
  misroutedSince: integer("astray_since"),
  recordsGoneSince: integer("gone_since"),
  proofMisses: integer("proof_misses").notNull(),
  backoff: text("ladder").$type<BackoffPolicy>().notNull(),
  attempts: integer("attempts").notNull(),
  nextCheckAt: integer("next_check_at"),
  checkHolder: text("check_holder"),
  checkUntil: integer("check_until"),
  checkedAt: integer("checked_at"),
  checkSilent: flag("check_silent").notNull().default(false),
});

export const certificates = pgTable("certificates", {
  subject: text("subject").primaryKey(),
  identifiers: json<readonly string[]>("identifiers").notNull(),
  challenge: text("challenge").$type<ChallengeType>().notNull(),
  origin: text("origin").$type<ManagedCertificate["origin"]>().notNull(),
  attempts: json<Attempts>("attempts").notNull(),
  pending: json<PendingOrder>("pending"),
  current: json<Certificate>("current"),
  orderedAt: integer("issued_at"),
  renewal: json<RenewalInfo>("renewal"),
  revision: integer("revision").notNull().default(0),
});

export const releasedAttempts = pgTable("released_attempts", {
  subject: text("subject").primaryKey(),
  attempts: json<Attempts>("attempts").notNull(),
  until: integer("until").notNull(),
});

export const ownCertificates = pgTable("own_certificates", {
  name: text("name").$type<"root" | "fallback">().primaryKey(),
  chain: text("chain").notNull(),
  key: text("key").notNull(),
});

export const acmeAccounts = pgTable("acme_accounts", {
  directory: text("directory").primaryKey(),
  key: text("key").notNull(),
  url: text("url"),
});

export const acmeOrders = pgTable("acme_orders", {
  directory: text("directory").notNull(),
  placedAt: integer("placed_at").notNull(),
});

export const acmeChallenges = pgTable(
  "acme_challenges",
  {
    type: text("type").$type<ChallengeType>().notNull(),
    name: text("name").notNull(),
    value: text("value").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.type, table.name, table.value] })],
);
