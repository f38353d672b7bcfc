import type { Store } from "../../domain/ports/store.ts";
import { backupStore } from "./backups.ts";
import { acmeStore, certificateStore } from "./certificates.ts";
import { claimStore } from "./claims.ts";
import { contentObjectStore } from "./content-objects.ts";
import { contentStore, deploymentStore, encodingStore, fileStore } from "./deployments.ts";
import { incidentStore } from "./incidents.ts";
import { liveEventStore } from "./live-events.ts";
import { previewStore } from "./previews.ts";
import { publisherStore } from "./publishers.ts";
import { auditStore, figuresOf, jobStore, lastChangeAt, metricStore, totalsOf, viewStore } from "./records.ts";
import { shareStore } from "./shares.ts";
import {
  deviceCodeStore,
  rateLimitStore,
  sessionStore,
  setupLinkStore,
  signInAttemptStore,
  visitStore,
} from "./sign-in.ts";
import { readerStore, retentionStore, siteStore, tokenStore } from "./sites.ts";
import { Memory } from "./tables.ts";
import { accountLinkStore, quotaStore, userStore } from "./users.ts";
import { webhookStore } from "./webhooks.ts";

/** A store in memory, for tests. It shows what the port requires. */
export function openMemoryStore(memory = new Memory()): Store {
  return {
    users: userStore(memory),
    accountLinks: accountLinkStore(memory),
    sessions: sessionStore(memory),
    tokens: tokenStore(memory),
    visits: visitStore(memory),
    signInAttempts: signInAttemptStore(memory),
    setupLinks: setupLinkStore(memory),
    publishers: publisherStore(memory),
    readers: readerStore(memory),
    quotas: quotaStore(memory),
    rateLimits: rateLimitStore(memory),
    retention: retentionStore(memory),
    deviceCodes: deviceCodeStore(memory),
    shares: shareStore(memory),
    sites: siteStore(memory),
    deployments: deploymentStore(memory),
    files: fileStore(memory),
    previews: previewStore(memory),
    contents: contentStore(memory),
    contentObjects: contentObjectStore(memory),
    claims: claimStore(memory),
    jobs: jobStore(memory),
    metrics: metricStore(memory),
    backups: backupStore(memory),
    incidents: incidentStore(memory),
    encodings: encodingStore(memory),
    views: viewStore(memory),
    certificates: certificateStore(memory),
    audit: auditStore(memory),
    acme: acmeStore(memory),
    webhooks: webhookStore(memory),
    liveEvents: liveEventStore(memory),
    nodes: null,
    generation: () => memory.routingLog.length,
    affectedSites: (after, upTo) => memory.affectedSites(after, upTo),
    checkWritable: async () => {},
    figures: async () => figuresOf(memory),
    totals: async (now) => totalsOf(memory, now),
    lastChangeAt: async () => lastChangeAt(memory),
    checkIntegrity: async () => [],
    close() {},
  };
}
