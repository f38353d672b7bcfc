import type { Connection } from "./connection.ts";
import { contentRows } from "./contents.ts";
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

/** Opens what there is by now of the store on a database that `migrate` has brought up to date; each thread opens its own. */
export function postgresStore(connection: Connection) {
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
