import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Agent } from "../../../domain/model/agent.ts";
import type { DeploymentSource } from "../../../domain/model/deployment.ts";
import type { FileReader } from "../../../domain/model/file-facts.ts";
import type { Warning } from "../../../domain/model/manifest.ts";
import type { ReportStatus } from "../../../domain/model/report.ts";
import type { ContentCoding } from "../../../domain/ports/store/encodings.ts";
import { bytes, flag, integer, json } from "./columns.ts";

export const deployments = pgTable("deployments", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  siteId: integer("site_id").notNull(),
  number: integer("number").notNull(),
  createdAt: integer("created_at").notNull(),
  activatedAt: integer("activated_at"),
  replacedAt: integer("replaced_at"),
  source: text("source").$type<DeploymentSource>().notNull(),
  actor: text("actor").notNull(),
  fileCount: integer("file_count").notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  warnings: json<Warning[]>("warnings").notNull(),
  startPageGone: flag("start_page_gone").notNull().default(false),
  message: text("message"),
  commit: text("source_commit"),
  ref: text("source_ref"),
  expiresAt: integer("expires_at"),
  publicationId: text("publication_id"),
  agent: json<Agent>("agent"),
});

export const aliases = pgTable(
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

export const expiredPreviews = pgTable(
  "expired_previews",
  {
    siteId: integer("site_id").notNull(),
    label: text("label").notNull(),
    expiredAt: integer("expired_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.label] })],
);

export const pins = pgTable("pins", {
  deploymentId: integer("deployment_id").primaryKey(),
});

export const manifests = pgTable("manifests", {
  deploymentId: integer("deployment_id").primaryKey(),
  rules: bytes("rules").notNull(),
});

export const deploymentFiles = pgTable(
  "deployment_files",
  {
    deploymentId: integer("deployment_id").notNull(),
    path: text("path").notNull(),
    contentId: integer("content_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.path] })],
);

export const contents = pgTable("contents", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  digest: text("digest").notNull(),
  size: integer("size").notNull(),
  publishedAt: integer("published_at").notNull(),
  condemnedAt: integer("condemned_at"),
  legacyText: flag("legacy_text").notNull().default(false),
});

export const purges = pgTable("purges", {
  digest: text("digest").primaryKey(),
  requestedAt: integer("requested_at").notNull(),
  doneAt: integer("done_at"),
});

export const deploymentContents = pgTable(
  "deployment_contents",
  {
    deploymentId: integer("deployment_id").notNull(),
    contentId: integer("content_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.contentId] })],
);

export const encodings = pgTable(
  "encodings",
  {
    contentId: integer("content_id").notNull(),
    coding: text("coding").$type<ContentCoding>().notNull(),
    digest: text("digest").notNull(),
    size: integer("size").notNull(),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.coding] })],
);

export const encodingClaims = pgTable("encoding_claims", {
  contentId: integer("content_id").primaryKey(),
  epoch: integer("epoch").notNull(),
  holder: text("holder").notNull(),
  endsAt: integer("ends_at"),
});

export const reports = pgTable("reports", {
  deploymentId: integer("deployment_id").primaryKey(),
  status: text("status").$type<ReportStatus>().notNull(),
  baselineId: integer("baseline_id"),
  baselineNumber: integer("baseline_number"),
  report: bytes("report"),
  compared: flag("compared").notNull(),
  epoch: integer("epoch").notNull(),
  attempts: integer("attempts").notNull(),
  holder: text("holder").notNull(),
  endsAt: integer("ends_at"),
});

export const contentFacts = pgTable(
  "content_facts",
  {
    contentId: integer("content_id").notNull(),
    reader: text("reader").$type<FileReader>().notNull(),
    version: integer("version").notNull(),
    links: integer("links").notNull(),
    anchors: bytes("anchors"),
    facts: bytes("facts"),
  },
  (table) => [primaryKey({ columns: [table.contentId, table.reader] })],
);

export const contentObjects = pgTable("content_objects", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  name: text("name").notNull(),
  size: integer("size"),
  intendedAt: integer("intended_at").notNull(),
  condemnedAt: integer("condemned_at"),
});

export const contentLocations = pgTable("content_locations", {
  digest: text("digest").primaryKey(),
  size: integer("size").notNull(),
  objectId: integer("object_id").notNull(),
  offset: integer("offset").notNull(),
  writtenAt: integer("written_at").notNull(),
  writer: text("writer"),
});

export const contentBucket = pgTable("content_bucket", {
  id: integer("id").primaryKey(),
  owner: text("owner").notNull(),
  /** The column keeps its former name, because nodes of the previous version read it. */
  url: text("address"),
});
