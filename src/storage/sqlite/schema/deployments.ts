import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeploymentSource } from "../../../domain/model/deployment.ts";
import type { Warning } from "../../../domain/model/manifest.ts";
import type { ContentCoding } from "../../../domain/ports/store/encodings.ts";

// Deployments and their content.

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

export const encodingClaims = sqliteTable("encoding_claims", {
  contentId: integer("content_id").primaryKey(),
  epoch: integer("epoch").notNull(),
  holder: text("holder").notNull(),
  endsAt: integer("ends_at"),
});
