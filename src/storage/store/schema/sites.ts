import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Freeze } from "../../../domain/model/freeze.ts";
import type { PreviewAccess } from "../../../domain/model/preview.ts";
import { bytes, flag, integer, json } from "./columns.ts";

export const sites = pgTable("sites", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  name: text("name").notNull(),
  ownerId: integer("owner_id").notNull(),
  private: flag("private").notNull(),
  createdAt: integer("created_at").notNull(),
  lastDeployedAt: integer("last_deployed_at").notNull(),
  lastNumber: integer("last_number").notNull(),
  activeDeploymentId: integer("active_deployment_id"),
  totalViews: integer("total_views").notNull().default(0),
  frozen: json<Freeze>("frozen"),
  previewAccess: text("preview_access").$type<PreviewAccess>().notNull().default("site"),
  previewLifetime: integer("preview_lifetime"),
  tags: json<readonly string[]>("tags").notNull().default([]),
  graceDays: integer("grace_days"),
  expiresAt: integer("expires_at"),
  expiryNoticeAt: integer("expiry_notice_at"),
  expired: flag("expired").notNull().default(false),
});

export const retiredNames = pgTable("retired_names", {
  name: text("name").primaryKey(),
  ownerId: integer("owner_id").notNull(),
  freeAt: integer("free_at").notNull(),
});

export const formerNames = pgTable("former_names", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  siteId: integer("site_id").notNull(),
  name: text("name").notNull(),
  since: integer("since").notNull(),
  until: integer("until").notNull(),
  freeAt: integer("free_at"),
});

export const retentionPolicies = pgTable("retention_policies", {
  siteId: integer("site_id").primaryKey(),
  last: integer("keep_last"),
  days: integer("keep_days"),
});

export const viewDays = pgTable(
  "view_days",
  {
    siteId: integer("site_id").notNull(),
    day: integer("day").notNull(),
    views: integer("views").notNull(),
    botViews: integer("bot_views").notNull(),
    bytes: integer("bytes").notNull(),
    visitors: bytes("visitors").notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.day] })],
);

export const viewHours = pgTable(
  "view_hours",
  {
    siteId: integer("site_id").notNull(),
    hour: integer("hour").notNull(),
    views: integer("views").notNull(),
    botViews: integer("bot_views").notNull(),
    bytes: integer("bytes").notNull(),
    visitors: bytes("visitors").notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.hour] })],
);

export const viewNames = pgTable(
  "view_names",
  {
    siteId: integer("site_id").notNull(),
    day: integer("day").notNull(),
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    count: integer("count").notNull(),
    lastAt: integer("last_at"),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.day, table.kind, table.name] })],
);

export const viewSalts = pgTable("view_salts", {
  day: integer("day").primaryKey(),
  salt: text("salt").notNull(),
});

/** The latest batch of each thread that counts views, so that none is added twice. */
export const viewWriters = pgTable("view_writers", {
  writer: text("writer").primaryKey(),
  batch: integer("batch").notNull(),
  hour: integer("hour").notNull(),
});
