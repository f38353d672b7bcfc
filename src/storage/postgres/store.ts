import { eq, sql } from "drizzle-orm";
import type { NodeDirectory } from "../../domain/ports/store/nodes.ts";
import { accountLinkStore } from "./account-links.ts";
import { acmeStore } from "./acme.ts";
import { auditStore } from "./audit.ts";
import { backupStore } from "./backups.ts";
import { certificateStore } from "./certificates.ts";
import { claimStore } from "./claims.ts";
import type { Connection } from "./connection.ts";
import { contentObjectStore } from "./content-objects.ts";
import { contentRows } from "./contents.ts";
import { deploymentStore } from "./deployments.ts";
import { deviceCodeStore } from "./device-codes.ts";
import { encodingStore } from "./encodings.ts";
import { readFigures, readTotals } from "./figures.ts";
import { incidentStore } from "./incidents.ts";
import { integrityProblems, lastChangeAt } from "./integrity.ts";
import { jobStore } from "./jobs.ts";
import { liveEventStore } from "./live-events.ts";
import { metricStore } from "./metrics.ts";
import { nodeStore } from "./nodes.ts";
import { previewStore } from "./previews.ts";
import { publisherStore } from "./publishers.ts";
import { quotaStore } from "./quotas.ts";
import { rateExchange } from "./rate-exchange.ts";
import { rateLimitStore } from "./rate-limits.ts";
import { readerStore } from "./readers.ts";
import { retentionStore } from "./retention.ts";
import { meta } from "./schema.ts";
import { sessionStore } from "./sessions.ts";
import { setupLinkStore } from "./setup-links.ts";
import { shareStore } from "./shares.ts";
import { signInAttemptStore } from "./sign-in-attempts.ts";
import { siteStore } from "./sites.ts";
import { tokenStore } from "./tokens.ts";
import { userStore } from "./users.ts";
import { viewStore } from "./views.ts";
import { visitStore } from "./visits.ts";
import { webhookStore } from "./webhooks.ts";

/**
 * Opens the store on a database that `migrate` has brought up to date, without what visits need at once: a node's replica
 * answers that. Each thread opens its own.
 */
export function postgresStore(connection: Connection) {
  return {
    users: userStore(connection),
    liveEvents: liveEventStore(connection),
    claims: claimStore(connection),
    certificates: certificateStore(connection),
    incidents: incidentStore(connection),
    backups: backupStore(connection),
    metrics: metricStore(connection),
    acme: acmeStore(connection),
    publishers: publisherStore(connection),
    shares: shareStore(connection),
    audit: auditStore(connection),
    views: viewStore(connection),
    rateLimits: rateLimitStore(connection),
    visits: visitStore(connection),
    setupLinks: setupLinkStore(connection),
    signInAttempts: signInAttemptStore(connection),
    deviceCodes: deviceCodeStore(connection),
    accountLinks: accountLinkStore(connection),
    readers: readerStore(connection),
    quotas: quotaStore(connection),
    sessions: sessionStore(connection),
    tokens: tokenStore(connection),
    sites: siteStore(connection),
    deployments: deploymentStore(connection),
    previews: previewStore(connection),
    retention: retentionStore(connection),
    contents: contentRows(connection),
    contentObjects: contentObjectStore(connection),
    encodings: encodingStore(connection),
    webhooks: webhookStore(connection),
    jobs: jobStore(connection),
    nodes: { ...nodeStore(connection), rates: rateExchange(connection) } as NodeDirectory,
    async checkWritable() {
      await connection.write((tx) => tx.update(meta).set({ value: sql`value` }).where(eq(meta.key, "schema")));
    },
    figures: () => connection.read(readFigures),
    checkIntegrity: () => connection.read(integrityProblems),
    lastChangeAt: () => connection.read(lastChangeAt),
    totals: (now: number) => connection.read((db) => readTotals(db, now)),
    close: () => connection.close(),
  };
}

export type PostgresStore = ReturnType<typeof postgresStore>;
