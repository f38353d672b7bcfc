import type { Store } from "../../domain/ports/store.ts";
import { type ConnectionOptions, connect } from "./connection.ts";
import { contentRows } from "./contents.ts";
import type { DatabaseUrl } from "./database-url.ts";
import { deploymentStore } from "./deployments.ts";
import { encodingStore } from "./encodings.ts";
import { jobStore } from "./jobs.ts";
import { previewStore } from "./previews.ts";
import { retentionStore } from "./retention.ts";
import { sessionStore } from "./sessions.ts";
import { siteStore } from "./sites.ts";
import { tokenStore } from "./tokens.ts";
import { userStore } from "./users.ts";
import { webhookStore } from "./webhooks.ts";

/** What is there of the store by now; the rest is being written. */
type Written =
  | "users"
  | "sessions"
  | "tokens"
  | "sites"
  | "deployments"
  | "previews"
  | "retention"
  | "contents"
  | "encodings"
  | "webhooks"
  | "jobs"
  | "close";
type PostgresStore = { readonly [Name in Written]: Partial<Store[Name]> };

/** Opens the store on a database that `migrate` has brought up to date. Every thread opens its own. */
export function openPostgresStore(url: DatabaseUrl, options: ConnectionOptions = {}): PostgresStore {
  const connection = connect(url, options);
  return {
    users: userStore(connection),
    sessions: sessionStore(connection),
    tokens: tokenStore(connection),
    sites: siteStore(connection),
    deployments: deploymentStore(connection),
    previews: previewStore(connection),
    retention: retentionStore(connection),
    contents: contentRows(connection),
    encodings: encodingStore(connection),
    webhooks: webhookStore(connection),
    jobs: jobStore(connection),
    close: () => connection.close(),
  };
}
