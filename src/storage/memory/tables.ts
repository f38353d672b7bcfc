import type { CheckLeaseRecord } from "../../domain/claims/check-lease.ts";
import { leaseLost } from "../../domain/errors.ts";
import type { BackupRecord } from "../../domain/model/backup-record.ts";
import type { Attempts, ManagedCertificate } from "../../domain/model/certificate.ts";
import type { Claim } from "../../domain/model/claim.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import type { DeviceAuthorization } from "../../domain/model/device.ts";
import type { LiveEvent, NewLiveEvent } from "../../domain/model/live-event.ts";
import type { Manifest, ManifestFile } from "../../domain/model/manifest.ts";
import type { StepFigures, StepLength } from "../../domain/model/metric-step.ts";
import type { Alias, PreviewPolicy } from "../../domain/model/preview.ts";
import type { Publisher } from "../../domain/model/publisher.ts";
import type { OwnQuota } from "../../domain/model/quota.ts";
import type { RetentionPolicy } from "../../domain/model/retention.ts";
import type { NewShare, Share } from "../../domain/model/share.ts";
import type { Site } from "../../domain/model/site.ts";
import type { User } from "../../domain/model/user.ts";
import type { NamedCount } from "../../domain/model/view-delta.ts";
import type { Delivery, Webhook } from "../../domain/model/webhook.ts";
import type { AccountLink } from "../../domain/ports/store/account-links.ts";
import type { AcmeAccount, PublishedChallenge } from "../../domain/ports/store/acme.ts";
import type { KeptAuditEntry } from "../../domain/ports/store/audit.ts";
import type { OwnCertificate } from "../../domain/ports/store/certificates.ts";
import type { ContentBucket, ContentLocation } from "../../domain/ports/store/content-objects.ts";
import type { NewDeviceAuthorization } from "../../domain/ports/store/device-codes.ts";
import type { Encodings } from "../../domain/ports/store/encodings.ts";
import type { HeldLease, JobFailure, JobRun } from "../../domain/ports/store/jobs.ts";
import { type AffectedSites, MAX_AFFECTED_SITES, ROUTING_LOG_LENGTH } from "../../domain/ports/store/routing.ts";
import type { Session } from "../../domain/ports/store/sessions.ts";
import type { NewShareVisit } from "../../domain/ports/store/shares.ts";
import type { SignInAttempt } from "../../domain/ports/store/sign-in-attempts.ts";
import type { NewDeploymentToken } from "../../domain/ports/store/tokens.ts";
import type { ViewBatch, ViewDay, ViewHour } from "../../domain/ports/store/views.ts";
import type { VisitCode } from "../../domain/ports/store/visits.ts";

/** The rows with these values, or those for which the function returns true. */
type Where<Row> = Partial<Row> | ((row: Row) => boolean);

/**
 * Rows in the order in which they were added. A row is replaced and never changed, so a copy of the list is a snapshot.
 */
export class Table<Row extends object> {
  rows: readonly Row[] = [];
  lastId = 0;

  add(row: Row): Row {
    this.rows = [...this.rows, row];
    return row;
  }

  /** Adds a row with the next id. */
  insert(row: Omit<Row, "id">): Row {
    return this.add({ ...row, id: ++this.lastId } as unknown as Row);
  }

  find(where: Where<Row>): Row | undefined {
    return this.rows.find(test(where));
  }

  filter(where: Where<Row>): Row[] {
    return this.rows.filter(test(where));
  }

  /** Returns the new rows. */
  update(where: Where<Row>, change: Partial<Row> | ((row: Row) => Partial<Row>)): readonly Row[] {
    const isMeant = test(where);
    const changed: Row[] = [];
    this.rows = this.rows.map((row) => {
      if (!isMeant(row)) return row;
      const now = { ...row, ...(typeof change === "function" ? change(row) : change) };
      changed.push(now);
      return now;
    });
    return changed;
  }

  /** Returns the removed rows. */
  remove(where: Where<Row>): readonly Row[] {
    const removed = this.filter(where);
    const gone = new Set(removed);
    this.rows = this.rows.filter((row) => !gone.has(row));
    return removed;
  }
}

function test<Row>(where: Where<Row>): (row: Row) => boolean {
  if (typeof where === "function") return where;
  const wanted = Object.entries(where) as [keyof Row, unknown][];
  return (row) => wanted.every(([column, value]) => row[column] === value);
}

export interface UserRow extends User {
  readonly passwordHash: string | null;
  readonly lastSeenAt: number | null;
  readonly quota: OwnQuota;
}

export interface SiteRow extends Omit<Site, "activeDeployment" | "sizeBytes"> {
  readonly previews: PreviewPolicy;
  readonly activeDeploymentId: number | null;
  readonly lastNumber: number;
  readonly policy: RetentionPolicy | null;
}

export interface DeploymentRow extends Omit<Deployment, "active"> {
  readonly replacedAt: number | null;
  readonly pinned: boolean;
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, ManifestFile>;
  /** Digests of all contents in it. */
  readonly contents: ReadonlySet<string>;
}

/** The last claim of an encoder. */
interface ContentEncoding {
  readonly epoch: number;
  readonly holder: string;
  readonly endsAt: number;
  /** Null until it is recorded. */
  readonly encodings: Encodings | null;
}

export interface ContentRow {
  readonly id: number;
  readonly digest: string;
  readonly size: number;
  readonly publishedAt: number;
  readonly condemnedAt: number | null;
  readonly encoding: ContentEncoding | null;
}

export type ClaimRow = Omit<Claim, "siteName"> & CheckLeaseRecord;

export type CertificateRow = Omit<ManagedCertificate, "live"> & { readonly revision: number };
export type ShareRow = NewShare & Pick<Share, "uses" | "lastUsedAt">;
export type WebhookRow = Webhook & { readonly ownerId: number | null };
export type DeliveryRow = Delivery & { readonly takenUntil: number | null };
type TokenRow = NewDeploymentToken & { readonly lastUsedAt: number | null; readonly publisherId: string | null };
export type DeviceCodeRow = DeviceAuthorization & NewDeviceAuthorization;
type VisitRow = Pick<VisitCode, "host" | "siteId" | "userId" | "sessionId" | "expiresAt"> & { tokenHash: string };
type ViewRow = ViewDay & { siteId: number; named: Readonly<Record<NamedCount, ReadonlyMap<string, number>>> };

interface MetricStepRow {
  readonly length: StepLength;
  readonly at: number;
  readonly figures: StepFigures;
}

interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
  readonly endsAt: number;
}

export interface ContentObjectRow {
  readonly name: string;
  readonly size: number | null;
  readonly intendedAt: number;
  readonly condemnedAt: number | null;
}

export type LocatedRow = Omit<ContentLocation, "objectSize"> & { readonly writer: string | null };

/** The counters and flags of certificates. */
interface Marks {
  readonly requests: number;
  readonly revision: number;
  readonly live: number;
  readonly ordering: boolean;
}

export type AliasRow = Omit<Alias, "deploymentNumber"> & { readonly siteId: number; readonly deploymentId: number };

/** All stored data. */
export class Memory {
  /** The sites that each routing change affects; null for any. */
  readonly routingLog: (AffectedSites | null)[] = [];
  readonly users = new Table<UserRow>();
  readonly accountLinks = new Table<AccountLink & { readonly tokenHash: string }>();
  readonly sessions = new Table<Session & { readonly tokenHash: string }>();
  readonly deviceCodes = new Table<DeviceCodeRow>();
  readonly signInAttempts = new Table<SignInAttempt>();
  readonly setupLinks = new Table<{ readonly codeHash: string; readonly expiresAt: number }>();
  readonly rateEvents = new Table<{ readonly key: string; readonly at: number }>();
  readonly sites = new Table<SiteRow>();
  readonly retiredNames = new Table<{ readonly name: string; readonly ownerId: number; readonly freeAt: number }>();
  readonly readers = new Table<{ readonly id: number; readonly siteId: number; readonly userId: number }>();
  readonly visitCodes = new Table<VisitCode>();
  readonly visits = new Table<VisitRow>();
  readonly tokens = new Table<TokenRow>();
  readonly shares = new Table<ShareRow>();
  readonly shareVisits = new Table<NewShareVisit>();
  readonly publishers = new Table<Publisher>();
  readonly usedIdTokens = new Table<{ readonly tokenHash: string; readonly endsAt: number }>();
  readonly deployments = new Table<DeploymentRow>();
  readonly aliases = new Table<AliasRow>();
  readonly expiredPreviews = new Table<{ readonly siteId: number; readonly label: string; readonly at: number }>();
  readonly contents = new Table<ContentRow>();
  readonly contentObjects = new Table<ContentObjectRow>();
  readonly contentLocations = new Table<LocatedRow>();
  readonly contentBucket = new Table<ContentBucket>();
  readonly views = new Table<ViewRow>();
  readonly viewHours = new Table<ViewHour & { readonly siteId: number }>();
  readonly viewSalts = new Table<{ readonly day: number; readonly salt: string }>();
  readonly viewWriters = new Table<ViewBatch>();
  readonly claims = new Table<ClaimRow>();
  readonly certificates = new Table<CertificateRow>();
  readonly releasedAttempts = new Table<{ subject: string; attempts: Attempts; until: number }>();
  readonly ownCertificates = new Table<OwnCertificate & { readonly name: "root" | "fallback" }>();
  readonly marks = new Table<Marks>();
  readonly acmeAccounts = new Table<AcmeAccount>();
  readonly acmeOrders = new Table<{ readonly directory: string; readonly placedAt: number }>();
  readonly acmeChallenges = new Table<PublishedChallenge>();
  readonly webhooks = new Table<WebhookRow>();
  readonly deliveries = new Table<DeliveryRow>();
  readonly audit = new Table<KeptAuditEntry>();
  readonly leases = new Table<Lease>();
  readonly jobFailures = new Table<JobFailure>();
  readonly jobRuns = new Table<JobRun>();
  readonly liveEvents = new Table<LiveEvent & { readonly at: number }>();
  /** Called when event streams have new events. */
  readonly watchers = new Set<() => void>();

  /** Adds an event to the log of event streams. */
  announce(events: readonly NewLiveEvent[]): void {
    for (const event of events) this.liveEvents.insert({ ...event, at: Date.now() });
    // After the whole change.
    queueMicrotask(() => {
      for (const watcher of this.watchers) watcher();
    });
  }
  readonly metricSteps = new Table<MetricStepRow>();
  readonly backups = new Table<BackupRecord>();
  readonly incidents = new Table<{ readonly name: string; readonly since: number }>();

  /** Runs a change and returns its value. If it throws, everything is rolled back. */
  write<T>(change: () => T): T {
    const tables = Object.values(this).filter((member) => member instanceof Table) as Table<object>[];
    const before = tables.map(({ rows, lastId }) => ({ rows, lastId }));
    try {
      return change();
    } catch (error) {
      for (const [index, table] of tables.entries()) Object.assign(table, before[index]);
      throw error;
    }
  }

  /** Like `write`, for a change of routing. `affects` names the affected sites; otherwise all are. */
  writeRouting<T>(change: (affects: (...siteIds: AffectedSites) => void) => T): T {
    let affected: AffectedSites | null = null;
    const result = this.write(() =>
      change((...siteIds) => {
        affected = [...(affected ?? []), ...siteIds];
      }),
    );
    const isKnown = affected !== null && new Set(affected).size <= MAX_AFFECTED_SITES;
    this.routingLog.push(isKnown ? affected : null);
    return result;
  }

  affectedSites(after: number, upTo: number): AffectedSites | null {
    const changes = this.routingLog.slice(after, upTo);
    return changes.length > ROUTING_LOG_LENGTH || changes.includes(null)
      ? null
      : changes.flatMap((sites) => sites ?? []);
  }

  /** Throws `conflict` if the lease of a change was taken over. */
  requireLease(lease: HeldLease | null | undefined): void {
    if (lease && !this.leases.find({ name: lease.name, epoch: lease.epoch })) throw leaseLost(lease);
  }

  removeSessions(where: Where<Session>): number {
    const removed = this.sessions.remove(where);
    const gone = new Set(removed.map(({ id }) => id));
    const isOver = ({ sessionId }: { readonly sessionId: number }) => gone.has(sessionId);
    this.visitCodes.remove(isOver);
    this.visits.remove(isOver);
    return removed.length;
  }

  removeUser(id: number): void {
    this.users.remove({ id });
    this.removeSessions({ userId: id });
    for (const table of [this.readers, this.deviceCodes, this.accountLinks]) {
      (table as Table<{ userId: number | null }>).remove({ userId: id });
    }
    this.claims.remove({ ownerId: id });
  }

  removeSite(siteId: number): void {
    this.sites.remove({ id: siteId });
    const gone = new Set(this.shares.remove({ siteId }).map(({ id }) => id));
    this.shareVisits.remove(({ shareId }) => gone.has(shareId));
    const parts = [
      this.deployments,
      this.aliases,
      this.expiredPreviews,
      this.tokens,
      this.publishers,
      this.readers,
      this.visitCodes,
      this.visits,
      this.views,
      this.viewHours,
    ];
    for (const table of parts) (table as Table<{ siteId: number }>).remove({ siteId });
    for (const table of [this.claims, this.webhooks]) {
      (table as Table<{ siteId: number | null }>).update({ siteId }, { siteId: null });
    }
  }
}

/** Returns a comparison by these values, each in ascending order. */
export function by<Row>(...values: ((row: Row) => number | string)[]): (one: Row, other: Row) => number {
  return (one, other) => {
    for (const value of values) {
      const [first, second] = [value(one), value(other)];
      if (first !== second) return first < second ? -1 : 1;
    }
    return 0;
  };
}
