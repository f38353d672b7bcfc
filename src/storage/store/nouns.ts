import { accountLinkStore } from "./account-links.ts";
import { acmeStore } from "./acme.ts";
import { agentStore } from "./agents.ts";
import { auditStore } from "./audit.ts";
import { backupStore } from "./backups.ts";
import { certificateStore } from "./certificates.ts";
import { claimStore } from "./claims.ts";
import type { Connection } from "./connection.ts";
import { contentObjectStore, contentPlaces } from "./content-objects.ts";
import { contentRows } from "./contents.ts";
import { deploymentStore } from "./deployments.ts";
import { deviceCodeStore } from "./device-codes.ts";
import { encodingStore } from "./encodings.ts";
import { readFigures, readTotals } from "./figures.ts";
import { groupStore } from "./groups.ts";
import { incidentStore } from "./incidents.ts";
import { lastChangeAt } from "./integrity.ts";
import { jobStore } from "./jobs.ts";
import { liveEventStore } from "./live-events.ts";
import { memberStore } from "./members.ts";
import { metricStore } from "./metrics.ts";
import { passkeyStore } from "./passkeys.ts";
import { previewStore } from "./previews.ts";
import { publisherStore } from "./publishers.ts";
import { quotaStore } from "./quotas.ts";
import { rateLimitStore } from "./rate-limits.ts";
import { readerStore } from "./readers.ts";
import { reportStore } from "./reports.ts";
import { retentionStore } from "./retention.ts";
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

/** Returns the stores of all nouns, without what visits need at once: that is read from SQLite, in `visits/`. */
export function nounStores(connection: Connection) {
  return {
    users: userStore(connection),
    passkeys: passkeyStore(connection),
    accountLinks: accountLinkStore(connection),
    sessions: sessionStore(connection),
    tokens: tokenStore(connection),
    visits: visitStore(connection),
    signInAttempts: signInAttemptStore(connection),
    setupLinks: setupLinkStore(connection),
    publishers: publisherStore(connection),
    readers: readerStore(connection),
    members: memberStore(connection),
    groups: groupStore(connection),
    quotas: quotaStore(connection),
    rateLimits: rateLimitStore(connection),
    retention: retentionStore(connection),
    deviceCodes: deviceCodeStore(connection),
    agents: agentStore(connection),
    shares: shareStore(connection),
    sites: siteStore(connection),
    deployments: deploymentStore(connection),
    previews: previewStore(connection),
    contents: contentRows(connection),
    contentObjects: contentObjectStore(connection),
    contentPlaces: contentPlaces(connection),
    claims: claimStore(connection),
    jobs: jobStore(connection),
    metrics: metricStore(connection),
    backups: backupStore(connection),
    incidents: incidentStore(connection),
    encodings: encodingStore(connection),
    reports: reportStore(connection),
    views: viewStore(connection),
    certificates: certificateStore(connection),
    audit: auditStore(connection),
    acme: acmeStore(connection),
    webhooks: webhookStore(connection),
    liveEvents: liveEventStore(connection),
    figures: () => connection.read(readFigures),
    totals: (now: number) => connection.read((db) => readTotals(db, now)),
    lastChangeAt: () => connection.read(lastChangeAt),
  };
}
