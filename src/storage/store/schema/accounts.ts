import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AgentGrant } from "../../../domain/model/agent.ts";
import type { DeviceAuthorization, DeviceGrant } from "../../../domain/model/device.ts";
import type { Freeze } from "../../../domain/model/freeze.ts";
import type { ToldGroups } from "../../../domain/model/group.ts";
import type { TokenPermission } from "../../../domain/model/permission.ts";
import type { PublisherProvider } from "../../../domain/model/publisher.ts";
import type { Quota } from "../../../domain/model/quota.ts";
import type { MemberRole } from "../../../domain/model/role.ts";
import type { SessionLimit } from "../../../domain/model/scope.ts";
import type { ShareKind } from "../../../domain/model/share.ts";
import type { ProviderName } from "../../../domain/model/user.ts";
import type { AccountLinkKind } from "../../../domain/ports/store/account-links.ts";
import { bytes, flag, integer, json } from "./columns.ts";

export const users = pgTable("users", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  provider: text("provider").$type<ProviderName>().notNull(),
  subject: text("subject").notNull(),
  login: text("login").notNull(),
  name: text("name"),
  avatarUrl: text("avatar_url"),
  mayOwn: flag("may_own").notNull(),
  passwordHash: text("password_hash"),
  createdAt: integer("created_at").notNull(),
  frozen: json<Freeze>("frozen"),
  operator: flag("operator").notNull().default(false),
  lastSeenAt: integer("last_seen_at"),
});

export const accountLinks = pgTable(
  "account_links",
  {
    kind: text("kind").$type<AccountLinkKind>().notNull(),
    login: text("login").notNull(),
    tokenHash: text("token_hash").notNull(),
    userId: integer("user_id"),
    name: text("name"),
    siteId: integer("site_id"),
    memberRole: text("member_role").$type<MemberRole>(),
    invitedBy: integer("invited_by"),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.login] })],
);

export const quotas = pgTable(
  "quotas",
  {
    userId: integer("user_id").notNull(),
    kind: text("kind").$type<keyof Quota>().notNull(),
    most: integer("most"),
  },
  (table) => [primaryKey({ columns: [table.userId, table.kind] })],
);

export const sessions = pgTable("sessions", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  userId: integer("user_id").notNull(),
  tokenHash: text("token_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  idleLimit: integer("idle_limit").notNull(),
  clientName: text("client_name").notNull(),
  address: text("address"),
  signedInAt: integer("signed_in_at"),
  limit: json<SessionLimit>("scope"),
  clientId: text("client_id"),
});

export const oauthClients = pgTable("oauth_clients", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  redirectUris: json<readonly string[]>("redirect_uris").notNull(),
  createdAt: integer("created_at").notNull(),
  usedAt: integer("used_at"),
});

export const oauthCodes = pgTable("oauth_codes", {
  codeHash: text("code_hash").primaryKey(),
  clientId: text("client_id").notNull(),
  clientName: text("client_name").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  challenge: text("challenge").notNull(),
  resource: text("resource").notNull(),
  userId: integer("user_id").notNull(),
  granted: json<AgentGrant>("granted").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const oauthGrants = pgTable("oauth_grants", {
  sessionId: integer("session_id").primaryKey(),
  codeHash: text("code_hash").notNull(),
  resource: text("resource").notNull(),
  refreshHash: text("refresh_hash").notNull(),
  accessHash: text("access_hash").notNull(),
  accessExpiresAt: integer("access_expires_at").notNull(),
  formerAccessHash: text("former_access_hash"),
  formerAccessExpiresAt: integer("former_access_expires_at"),
});

export const passkeys = pgTable("passkeys", {
  id: text("id").primaryKey(),
  userId: integer("user_id").notNull(),
  name: text("name").notNull(),
  credentialId: text("credential_id").notNull(),
  relyingPartyId: text("relying_party_id").notNull(),
  publicKey: bytes("public_key").notNull(),
  algorithm: integer("algorithm").notNull(),
  counter: integer("counter").notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at"),
});

export const readers = pgTable("readers", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id"),
  group: text("group_name"),
  createdAt: integer("created_at").notNull(),
});

export const members = pgTable("members", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id"),
  group: text("group_name"),
  role: text("role").$type<MemberRole>().notNull(),
  addedAt: integer("added_at").notNull(),
  addedBy: integer("added_by"),
});

export const userGroups = pgTable(
  "user_groups",
  {
    userId: integer("user_id").notNull(),
    name: text("name").notNull(),
    toldAt: integer("told_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
);

export const groupReports = pgTable("group_reports", {
  userId: integer("user_id").primaryKey(),
  at: integer("at").notNull(),
  outcome: text("outcome").$type<ToldGroups["outcome"]>().notNull(),
});

export const deviceCodes = pgTable("device_codes", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
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
  granted: json<DeviceGrant>("granted"),
});

export const signInAttempts = pgTable("sign_in_attempts", {
  secretHash: text("secret_hash").primaryKey(),
  sealed: text("sealed").notNull(),
  expiresAt: integer("expires_at").notNull(),
  nextPollAt: integer("next_poll_at").notNull(),
});

export const visitCodes = pgTable("visit_codes", {
  codeHash: text("code_hash").primaryKey(),
  stateHash: text("state_hash").notNull(),
  host: text("host").notNull(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id").notNull(),
  sessionId: integer("session_id").notNull(),
  path: text("path").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const visits = pgTable("visits", {
  tokenHash: text("token_hash").primaryKey(),
  host: text("host").notNull(),
  siteId: integer("site_id").notNull(),
  userId: integer("user_id").notNull(),
  sessionId: integer("session_id").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const rateEvents = pgTable("rate_events", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  key: text("key").notNull(),
  at: integer("at").notNull(),
});

export const setupLinks = pgTable("setup_links", {
  id: integer("id").primaryKey(),
  codeHash: text("code_hash").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const deploymentTokens = pgTable("deployment_tokens", {
  id: text("id").primaryKey(),
  siteId: integer("site_id").notNull(),
  name: text("name").notNull(),
  permission: text("permission").$type<TokenPermission>().notNull().default("publish"),
  tokenHash: text("token_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  publisherId: text("publisher_id"),
  makerId: integer("maker_id").notNull(),
});

export const publishers = pgTable("publishers", {
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
  makerId: integer("maker_id").notNull(),
});

export const usedIdTokens = pgTable("used_id_tokens", {
  tokenHash: text("token_hash").primaryKey(),
  endsAt: integer("ends_at").notNull(),
});

export const shares = pgTable("shares", {
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

export const shareVisits = pgTable("share_visits", {
  tokenHash: text("token_hash").primaryKey(),
  shareId: text("share_id").notNull(),
  host: text("host").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});
