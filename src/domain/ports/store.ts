import type { AccountLinkStore } from "./store/account-links.ts";
import type { AcmeStore } from "./store/acme.ts";
import type { AgentStore } from "./store/agents.ts";
import type { AuditStore } from "./store/audit.ts";
import type { BackupStore } from "./store/backups.ts";
import type { CertificateStore } from "./store/certificates.ts";
import type { ClaimStore } from "./store/claims.ts";
import type { ContentObjectStore, ContentPlaces } from "./store/content-objects.ts";
import type { ContentRows } from "./store/contents.ts";
import type { DeploymentStore } from "./store/deployments.ts";
import type { DeviceCodeStore } from "./store/device-codes.ts";
import type { EncodingStore } from "./store/encodings.ts";
import type { Figures } from "./store/figures.ts";
import type { FileStore } from "./store/files.ts";
import type { GroupStore } from "./store/groups.ts";
import type { IncidentStore } from "./store/incidents.ts";
import type { JobStore } from "./store/jobs.ts";
import type { LiveEventStore } from "./store/live-events.ts";
import type { MemberStore } from "./store/members.ts";
import type { MetricStore } from "./store/metrics.ts";
import type { NodeDirectory } from "./store/nodes.ts";
import type { PasskeyStore } from "./store/passkeys.ts";
import type { PreviewStore } from "./store/previews.ts";
import type { PublisherStore } from "./store/publishers.ts";
import type { QuotaStore } from "./store/quotas.ts";
import type { RateLimitStore } from "./store/rate-limits.ts";
import type { ReaderStore } from "./store/readers.ts";
import type { ReportStore } from "./store/reports.ts";
import type { RetentionStore } from "./store/retention.ts";
import type { AffectedSites } from "./store/routing.ts";
import type { SessionStore } from "./store/sessions.ts";
import type { SetupLinkStore } from "./store/setup-links.ts";
import type { ShareStore } from "./store/shares.ts";
import type { SignInAttemptStore } from "./store/sign-in-attempts.ts";
import type { SiteStore } from "./store/sites.ts";
import type { TokenStore } from "./store/tokens.ts";
import type { Totals } from "./store/totals.ts";
import type { UserStore } from "./store/users.ts";
import type { ViewStore } from "./store/views.ts";
import type { VisitStore } from "./store/visits.ts";
import type { WebhookStore } from "./store/webhooks.ts";

/**
 * All persistent data. Every method is one transaction: transactions do not leave the store, and races are decided
 * inside it. Methods throw `disk_full` if nothing can be written any more, and `unavailable` if another writer held the
 * store for too long.
 *
 * The methods for serving are synchronous and read from SQLite, the store itself or a replica of it: `generation`,
 * `affectedSites`, `files` and `acme.challengeValues`. So is `close`. Everything else returns a promise or is iterated
 * over.
 */
export interface Store {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly passkeys: PasskeyStore;
  readonly accountLinks: AccountLinkStore;
  readonly tokens: TokenStore;
  readonly visits: VisitStore;
  readonly signInAttempts: SignInAttemptStore;
  readonly setupLinks: SetupLinkStore;
  readonly publishers: PublisherStore;
  readonly readers: ReaderStore;
  readonly members: MemberStore;
  readonly groups: GroupStore;
  readonly quotas: QuotaStore;
  readonly rateLimits: RateLimitStore;
  readonly retention: RetentionStore;
  readonly deviceCodes: DeviceCodeStore;
  readonly agents: AgentStore;
  readonly shares: ShareStore;
  readonly sites: SiteStore;
  readonly deployments: DeploymentStore;
  readonly files: FileStore;
  readonly previews: PreviewStore;
  readonly contents: ContentRows;
  readonly contentObjects: ContentObjectStore;
  readonly contentPlaces: ContentPlaces;
  readonly claims: ClaimStore;
  readonly jobs: JobStore;
  readonly metrics: MetricStore;
  readonly backups: BackupStore;
  readonly incidents: IncidentStore;
  readonly encodings: EncodingStore;
  readonly reports: ReportStore;
  readonly views: ViewStore;
  readonly certificates: CertificateStore;
  readonly audit: AuditStore;
  readonly acme: AcmeStore;
  readonly webhooks: WebhookStore;
  readonly liveEvents: LiveEventStore;
  /** Null if the store is in a data folder, so that only one node can use it. */
  readonly nodes: NodeDirectory | null;

  /**
   * Returns a number that increases by one with every change that affects visitors, in any thread, process or node: the
   * position of the latest one in the routing log. Cheap enough for every request.
   */
  generation(): number;

  /**
   * Returns the sites affected by the changes after one generation, up to and including another. Null if the log does
   * not know: it keeps `ROUTING_LOG_LENGTH` changes, and some may affect all sites. Cached results for hosts without a
   * site may be outdated after any change.
   */
  affectedSites(after: number, upTo: number): AffectedSites | null;

  /** Throws if the store cannot be written. */
  checkWritable(): Promise<void>;

  figures(): Promise<Figures>;

  /** Counts people and sites; reads no more than their rows. */
  totals(now: number): Promise<Totals>;

  /** Returns the latest timestamp in the store; null if it is empty. */
  lastChangeAt(): Promise<number | null>;

  /** Checks the structure of the whole store. Returns messages about the problems. */
  checkIntegrity(): Promise<readonly string[]>;

  close(): void;
}
