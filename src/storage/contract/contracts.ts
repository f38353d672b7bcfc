import type { Store } from "../../domain/ports/store.ts";
import { accessContract } from "./access.ts";
import { auditContract } from "./audit.ts";
import { backupContract } from "./backups.ts";
import { certificateContract } from "./certificates.ts";
import { claimContract } from "./claims.ts";
import { contentObjectContract } from "./content-objects.ts";
import { contentContract } from "./contents.ts";
import { deletedMeanwhileContract } from "./deleted-meanwhile.ts";
import { deletionContract } from "./deletions.ts";
import { encodingContract } from "./encodings.ts";
import { groupContract } from "./groups.ts";
import { hostingContract } from "./hosting.ts";
import { jobContract } from "./jobs.ts";
import { limitsContract } from "./limits.ts";
import { liveEventContract } from "./live-events.ts";
import { memberContract } from "./members.ts";
import { metricContract } from "./metrics.ts";
import { operatorContract } from "./operators.ts";
import { outboxContract } from "./outbox.ts";
import { passkeyContract } from "./passkeys.ts";
import { previewContract } from "./previews.ts";
import { publisherContract } from "./publishers.ts";
import { reportContract } from "./reports.ts";
import { retentionContract } from "./retention.ts";
import { routingContract } from "./routing.ts";
import { shareContract } from "./shares.ts";
import { signInContract } from "./sign-in.ts";
import { siteActivityContract } from "./site-activity.ts";
import { siteExpiryContract } from "./site-expiry.ts";
import { siteNameContract } from "./site-names.ts";
import { tokenContract } from "./tokens.ts";
import { transferContract } from "./transfers.ts";
import { webhookContract } from "./webhooks.ts";

/** `current` returns the store of the running test, which is empty at first, and `other` a second connection to it. */
type Contract = (current: () => Store, other: () => Store) => void;

/** The contracts of what visits ask for. In a cluster, the replicas of the nodes answer that. */
export const VISIT_CONTRACTS: Readonly<Record<string, Contract>> = {
  "keeps certificates of which": certificateContract,
  "keeps claims of which": claimContract,
  "deletes a deployment:": deletionContract,
  "knows encodings that": encodingContract,
  "is served from": hostingContract,
  "limits people": limitsContract,
  "keeps previews of which": previewContract,
  "renames sites, which": siteNameContract,
  "logs whose visitors are affected by": routingContract,
};

/** The contracts of all else. */
export const OTHER_CONTRACTS: Readonly<Record<string, Contract>> = {
  "keeps readers and visits that": accessContract,
  "keeps an audit log in which": auditContract,
  keeps: backupContract,
  "stores contents that": contentContract,
  "knows objects of content:": contentObjectContract,
  "detects deletions meanwhile:": deletedMeanwhileContract,
  "keeps jobs' leases and failures": jobContract,
  "logs events for event streams:": liveEventContract,
  "knows groups that": groupContract,
  "knows members who": memberContract,
  "keeps metrics of which": metricContract,
  "knows operators": operatorContract,
  "transfers sites": transferContract,
  "keeps publishers of which": publisherContract,
  "notes events": outboxContract,
  "retains deployments": retentionContract,
  "keeps reports that": reportContract,
  "keeps passkeys of which": passkeyContract,
  "keeps shares of which": shareContract,
  "keeps sites of which": siteExpiryContract,
  "knows an activity that": siteActivityContract,
  "signs people in": signInContract,
  "keeps deployment tokens": tokenContract,
  "keeps webhooks of which": webhookContract,
};
