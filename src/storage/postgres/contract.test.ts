import { needing } from "../../testing/needing.ts";
import { accessContract } from "../contract/access.ts";
import { auditContract } from "../contract/audit.ts";
import { backupContract } from "../contract/backups.ts";
import { contentObjectContract } from "../contract/content-objects.ts";
import { contentContract } from "../contract/contents.ts";
import { deletedMeanwhileContract } from "../contract/deleted-meanwhile.ts";
import { jobContract } from "../contract/jobs.ts";
import { liveEventContract } from "../contract/live-events.ts";
import { metricContract } from "../contract/metrics.ts";
import { operatorContract } from "../contract/operators.ts";
import { outboxContract } from "../contract/outbox.ts";
import { publisherContract } from "../contract/publishers.ts";
import { retentionContract } from "../contract/retention.ts";
import { shareContract } from "../contract/shares.ts";
import { signInContract } from "../contract/sign-in.ts";
import { siteActivityContract } from "../contract/site-activity.ts";
import { tokenContract } from "../contract/tokens.ts";
import { transferContract } from "../contract/transfers.ts";
import { webhookContract } from "../contract/webhooks.ts";
import { freshStore } from "./testing/fresh-store.ts";

// The suites that ask for what visits need are in replica/contract.test.ts.
needing("postgres").describe("a store in PostgreSQL", () => {
  const fresh = freshStore();
  const { describe } = needing("postgres");
  const current = () => fresh.store;

  describe("keeps an audit log in which", () => auditContract(current));
  describe("keeps", () => backupContract(current));
  describe("keeps metrics of which", () => metricContract(current));
  describe("keeps publishers of which", () => publisherContract(current));
  describe("keeps shares of which", () => shareContract(current));
  describe("notes events", () => outboxContract(current));
  describe("knows an activity that", () => siteActivityContract(current));
  describe("keeps jobs' leases and failures", () => jobContract(current));
  describe("logs live events:", () => liveEventContract(current, () => fresh.other));
  describe("reports what was deleted meanwhile", () => deletedMeanwhileContract(current));
  describe("knows operators", () => operatorContract(current));
  describe("transfers sites", () => transferContract(current));
  describe("signs people in", () => signInContract(current));
  describe("keeps readers and visits that", () => accessContract(current));
  describe("knows objects of the object store, of which", () => contentObjectContract(current, () => fresh.other));
  describe("knows contents that", () => contentContract(current));
  describe("retains deployments", () => retentionContract(current));
  describe("keeps deployment tokens", () => tokenContract(current));
  describe("keeps webhooks of which", () => webhookContract(current, () => fresh.other));
});
