import type { Store } from "../../domain/ports/store.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { accountLinkStore } from "./account-links.ts";
import { acmeStore } from "./acme.ts";
import { auditStore } from "./audit.ts";
import { backupStore } from "./backups.ts";
import { certificateStore } from "./certificates.ts";
import { claimStore } from "./claims.ts";
import { type Connection, connect } from "./connection.ts";
import { contentObjectStore } from "./content-objects.ts";
import { contentRows } from "./contents.ts";
import { deploymentStore } from "./deployments.ts";
import { deviceCodeStore } from "./device-codes.ts";
import { encodingStore } from "./encodings.ts";
import { sqliteFailure } from "./failures.ts";
import { readFigures, readTotals } from "./figures.ts";
import { fileStore } from "./files.ts";
import { type GenerationCell, newGenerationCell, raiseGeneration, watchGeneration } from "./generation.ts";
import { incidentStore } from "./incidents.ts";
import { integrityProblems, lastChangeAt } from "./integrity.ts";
import { jobStore } from "./jobs.ts";
import { liveEventStore } from "./live-events.ts";
import { metricStore } from "./metrics.ts";
import { previewStore } from "./previews.ts";
import { publisherStore } from "./publishers.ts";
import { quotaStore } from "./quotas.ts";
import { rateLimitStore } from "./rate-limits.ts";
import { readerStore } from "./readers.ts";
import { retentionStore } from "./retention.ts";
import { routingLogReader } from "./routing-log.ts";
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
 * Opens the store on a database file that `migrate` has upgraded. Every thread opens its own instance with the same
 * `cell`, so that a change in one is visible to the next request in any other.
 */
export function openSqliteStore(file: string, cell: GenerationCell = newGenerationCell()): Store {
  const connection = connect(file, (generation) => raiseGeneration(cell, generation));
  const { raw } = connection;
  const store: Store = {
    ...nounStores(connection),
    generation: watchGeneration(raw, cell),
    affectedSites: routingLogReader(raw),

    async checkWritable() {
      // A transaction that takes the write lock and changes a page without changing a value.
      await connection.write((tx) => tx.run("UPDATE meta SET value = value WHERE key = 'generation'"));
    },

    async figures() {
      return readFigures(raw);
    },

    async totals(now) {
      return readTotals(raw, now);
    },

    async lastChangeAt() {
      return lastChangeAt(raw);
    },

    async checkIntegrity() {
      return integrityProblems(raw);
    },

    close() {
      raw.close(false);
    },
  };
  // Called for every request, and it never waits. The translation of errors would double its cost.
  return { ...withDomainErrors(store, sqliteFailure), generation: store.generation };
}

// --- internal ---

/** The store of each noun. */
function nounStores(connection: Connection) {
  return {
    users: userStore(connection),
    accountLinks: accountLinkStore(connection),
    sessions: sessionStore(connection),
    tokens: tokenStore(connection),
    visits: visitStore(connection),
    signInAttempts: signInAttemptStore(connection),
    setupLinks: setupLinkStore(connection),
    publishers: publisherStore(connection),
    readers: readerStore(connection),
    quotas: quotaStore(connection),
    rateLimits: rateLimitStore(connection),
    retention: retentionStore(connection),
    deviceCodes: deviceCodeStore(connection),
    shares: shareStore(connection),
    sites: siteStore(connection),
    deployments: deploymentStore(connection),
    files: fileStore(connection),
    previews: previewStore(connection),
    contents: contentRows(connection),
    contentObjects: contentObjectStore(connection),
    claims: claimStore(connection),
    jobs: jobStore(connection),
    metrics: metricStore(connection),
    backups: backupStore(connection),
    incidents: incidentStore(connection),
    encodings: encodingStore(connection),
    views: viewStore(connection),
    certificates: certificateStore(connection),
    audit: auditStore(connection),
    acme: acmeStore(connection),
    webhooks: webhookStore(connection),
    liveEvents: liveEventStore(connection),
    nodes: null,
  };
}
