import { sql } from "drizzle-orm";
import { bigint, doublePrecision, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { BackupRecord } from "../../../domain/model/backup-record.ts";
import type { EventType } from "../../../domain/model/events.ts";
import type { LiveEvent } from "../../../domain/model/live-event.ts";
import type { StepFigures, StepLength } from "../../../domain/model/metric-step.ts";
import type { DeliveryStatus, EventData } from "../../../domain/model/webhook.ts";
import type { ActorKind } from "../../../domain/ports/store/audit.ts";
import { flag, integer, json } from "./columns.ts";

export const meta = pgTable("meta", {
  key: text("key").primaryKey(),
  value: integer("value").notNull(),
});

export const audit = pgTable("audit", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
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

export const auditAnchor = pgTable("audit_anchor", {
  id: integer("id").primaryKey(),
  lastId: integer("last_id").notNull(),
  hash: text("hash").notNull(),
});

export const leases = pgTable("leases", {
  name: text("name").primaryKey(),
  holder: text("holder").notNull(),
  epoch: integer("epoch").notNull().default(0),
  endsAt: integer("ends_at").notNull(),
});

export const jobFailures = pgTable("job_failures", {
  name: text("name").primaryKey(),
  failures: integer("failures").notNull(),
  notBefore: integer("not_before").notNull(),
});

export const jobRuns = pgTable("job_runs", {
  name: text("name").primaryKey(),
  lastRunAt: integer("last_run_at").notNull(),
  lastDurationMs: integer("last_duration_ms").notNull(),
  lastError: text("last_error"),
  nextRunAt: integer("next_run_at").notNull(),
});

export const metricSteps = pgTable(
  "metric_steps",
  {
    length: text("length").$type<StepLength>().notNull(),
    at: integer("at").notNull(),
    figures: json<StepFigures>("figures").notNull(),
  },
  (table) => [primaryKey({ columns: [table.length, table.at] })],
);

export const backups = pgTable("backups", {
  id: text("id").primaryKey(),
  place: text("place").notNull(),
  createdAt: integer("created_at").notNull(),
  state: text("state").$type<BackupRecord["state"]>().notNull(),
  bytes: integer("bytes").notNull(),
  progress: doublePrecision("progress").notNull(),
  error: text("error"),
  attempts: integer("attempts").notNull(),
  retryAt: integer("retry_at"),
  verifiedAt: integer("verified_at"),
  verifying: flag("verifying").notNull(),
});

export const incidents = pgTable("incidents", {
  name: text("name").primaryKey(),
  since: integer("since").notNull(),
});

export const webhooks = pgTable("webhooks", {
  id: text("id").primaryKey(),
  siteId: integer("site_id"),
  url: text("url").notNull(),
  events: json<readonly EventType[]>("events"),
  secret: text("secret").notNull(),
  previousSecret: text("previous_secret"),
  previousSecretUntil: integer("previous_secret_until"),
  createdAt: integer("created_at").notNull(),
  failingSince: integer("failing_since"),
  disabledAt: integer("disabled_at"),
  disabledReason: text("disabled_reason"),
  ownerId: integer("owner_id"),
  slowResponses: integer("slow_answers").notNull().default(0),
  restsUntil: integer("rests_until"),
});

export const webhookEvents = pgTable("webhook_events", {
  id: text("id")
    .primaryKey()
    .$defaultFn(() => `msg_${crypto.randomUUID().replaceAll("-", "")}`),
  type: text("type").$type<EventType>().notNull(),
  at: integer("at").notNull(),
  data: json<EventData>("data").notNull(),
});

export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
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

/** Not used by queries: triggers number the two logs below with its only row. */
export const logCounters = pgTable("log_counters", {
  id: integer("id").primaryKey(),
  changes: integer("changes").notNull(),
  liveEvents: integer("live_events").notNull(),
});

export const cluster = pgTable("cluster", {
  id: integer("id").primaryKey(),
  token: uuid("token").notNull().defaultRandom(),
});

/** The changes that visitors can see, in the order of their commits. */
export const changes = pgTable("changes", {
  rowId: integer("row_id").primaryKey().generatedByDefaultAsIdentity(),
  seq: integer("seq"),
  token: uuid("token").notNull().defaultRandom(),
  at: timestamp("at", { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  sites: bigint("sites", { mode: "number" }).array(),
  contents: bigint("contents", { mode: "number" }).array().notNull().default([]),
  moved: text("moved").array().notNull().default([]),
});

/** Serves visits and follows the log of changes. Times are by PostgreSQL's clock. */
export const nodes = pgTable("nodes", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  address: text("address").notNull(),
  version: text("version").notNull(),
  schema: integer("schema").notNull(),
  state: text("state").$type<"live" | "draining">().notNull(),
  applied: integer("applied").notNull(),
  renewedAt: timestamp("renewed_at", { withTimezone: true }).notNull(),
  leaseEndsAt: timestamp("lease_ends_at", { withTimezone: true }).notNull(),
  contactSince: timestamp("contact_since", { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
});

export const liveEvents = pgTable("live_events", {
  rowId: integer("row_id").primaryKey().generatedByDefaultAsIdentity(),
  id: integer("id"),
  at: integer("at").notNull(),
  type: text("type").$type<LiveEvent["type"]>().notNull(),
  audience: text("audience").$type<LiveEvent["audience"]>().notNull(),
  siteId: integer("site_id"),
  siteName: text("site_name"),
  userIds: json<LiveEvent["userIds"]>("user_ids").notNull(),
  details: json<LiveEvent["details"]>("details").notNull(),
});
