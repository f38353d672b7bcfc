import { beforeEach, describe } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";
import { openMemoryStore } from "../memory/store.ts";
import { Memory } from "../memory/tables.ts";
import { freshStore } from "../sqlite/testing/fresh-store.ts";
import { accessContract } from "./access.ts";
import { auditContract } from "./audit.ts";
import { backupContract } from "./backups.ts";
import { certificateContract } from "./certificates.ts";
import { claimContract } from "./claims.ts";
import { contentObjectContract } from "./content-objects.ts";
import { contentContract } from "./contents.ts";
import { deletedMeanwhileContract } from "./deleted-meanwhile.ts";
import { encodingContract } from "./encodings.ts";
import { hostingContract } from "./hosting.ts";
import { jobContract } from "./jobs.ts";
import { limitsContract } from "./limits.ts";
import { liveEventContract } from "./live-events.ts";
import { metricContract } from "./metrics.ts";
import { operatorContract } from "./operators.ts";
import { outboxContract } from "./outbox.ts";
import { previewContract } from "./previews.ts";
import { publisherContract } from "./publishers.ts";
import { retentionContract } from "./retention.ts";
import { routingContract } from "./routing.ts";
import { shareContract } from "./shares.ts";
import { signInContract } from "./sign-in.ts";
import { siteActivityContract } from "./site-activity.ts";
import { tokenContract } from "./tokens.ts";
import { webhookContract } from "./webhooks.ts";

/** Gives each test an empty store that is open twice. */
function freshMemory() {
  const open = { store: openMemoryStore(), other: openMemoryStore() };
  beforeEach(() => {
    const memory = new Memory();
    Object.assign(open, { store: openMemoryStore(memory), other: openMemoryStore(memory) });
  });
  return open;
}

describe.each<[string, () => { readonly store: Store; readonly other: Store }]>([
  ["SQLite", freshStore],
  ["memory", freshMemory],
])("a store in %s", (_, open) => {
  const fresh = open();
  const current = () => fresh.store;
  const other = () => fresh.other;

  describe("keeps readers and visits that", () => accessContract(current));
  describe("keeps an audit log in which", () => auditContract(current));
  describe("keeps", () => backupContract(current));
  describe("keeps certificates of which", () => certificateContract(current, other));
  describe("keeps claims of which", () => claimContract(current, other));
  describe("stores contents that", () => contentContract(current));
  describe("knows objects of content:", () => contentObjectContract(current, other));
  describe("detects deletions meanwhile:", () => deletedMeanwhileContract(current));
  describe("knows encodings that", () => encodingContract(current, other));
  describe("is served from", () => hostingContract(current));
  describe("keeps jobs' leases and failures", () => jobContract(current));
  describe("logs events for event streams:", () => liveEventContract(current, other));
  describe("limits people", () => limitsContract(current));
  describe("keeps metrics of which", () => metricContract(current));
  describe("knows operators", () => operatorContract(current));
  describe("keeps publishers of which", () => publisherContract(current));
  describe("notes events", () => outboxContract(current));
  describe("retains deployments", () => retentionContract(current));
  describe("keeps previews of which", () => previewContract(current));
  describe("logs whose visitors are affected by", () => routingContract(current, other));
  describe("keeps shares of which", () => shareContract(current));
  describe("knows an activity that", () => siteActivityContract(current));
  describe("signs people in", () => signInContract(current));
  describe("keeps deployment tokens", () => tokenContract(current));
  describe("keeps webhooks of which", () => webhookContract(current, other));
});
