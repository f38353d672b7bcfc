import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { BackupRecord } from "../../../domain/model/backup-record.ts";
import type { EventType } from "../../../domain/model/events.ts";
import type { LiveEvent } from "../../../domain/model/live-event.ts";
import type { StepFigures, StepLength } from "../../../domain/model/metric-step.ts";
import type { DeliveryStatus, EventData } from "../../../domain/model/webhook.ts";
import type { ActorKind } from "../../../domain/ports/store/audit.ts";

// The tables for operation: jobs, certificates, webhooks and events.

export const meta = sqliteTable("meta", {
  key: text("key").primaryKey(),
  value: integer("value").notNull(),
});

export const routingChanges = sqliteTable("routing_changes", {
  slot: integer("slot").primaryKey(),
  generation: integer("generation").notNull(),
  sites: text("sites", { mode: "json" }).$type<readonly number[]>(),
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
