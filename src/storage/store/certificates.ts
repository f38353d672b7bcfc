import { asc, eq, lte, sql } from "drizzle-orm";
import { afterRelease } from "../../domain/certificates/attempts.ts";
import { isSufficient } from "../../domain/certificates/wanted.ts";
import { type Attempts, type Certificate, NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import { certificateArrived, certificateFailing } from "../../domain/model/events.ts";
import type {
  CertificateProgress,
  CertificateStore,
  OwnCertificate,
  WantedCertificate,
} from "../../domain/ports/store/certificates.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import { LIVE, ORDERING, REQUESTS, REVISION, refiled, requestOf, toManaged } from "./certificate-rows.ts";
import { affectingNobody, type Change, type Connection, type Drizzle } from "./connection.ts";
import { requireLease } from "./jobs.ts";
import { takeLock } from "./locks.ts";
import { findNotifiedSiteByHost, note } from "./outbox.ts";
import { first } from "./rows.ts";
import { certificates, meta, ownCertificates, releasedAttempts } from "./schema.ts";

const ownColumns = { chain: ownCertificates.chain, key: ownCertificates.key };

type Row = typeof certificates.$inferSelect;

export function certificateStore({ read, write, writeRouting }: Connection): CertificateStore {
  /** Changes the set of certificates, which affects no visitor of a site. */
  const writeSet = <T>(change: Change<T>): Promise<T> => writeRouting(affectingNobody(change));
  const isOrdering = async () => (await read((db) => metaValue(db, ORDERING))) === 1;

  return {
    async list() {
      return read(async (db) => {
        const live = await metaValue(db, LIVE);
        const rows = await db.select().from(certificates).orderBy(asc(certificates.subject));
        return rows.map((row) => toManaged(row, live));
      });
    },

    async find(subject) {
      return read(async (db) => {
        const row = await first(selectCertificate(db, subject));
        return row && toManaged(row, await metaValue(db, LIVE));
      });
    },

    want: (wanted) => write((tx) => want(tx, wanted)),

    async releaseToClaim(wanted) {
      await write(async (tx) => {
        const known = await lockCertificate(tx, wanted.identifiers[0] as string);
        if (known) await refile(tx, known, wanted);
      });
    },

    saveProgress: (subject, progress, lease) => write((tx) => saveProgress(tx, subject, progress, lease)),
    install: (subject, current, when, attempts, lease) =>
      writeSet((tx) => install(tx, subject, { current, attempts, ...when }, lease)),
    release: (subject, now) => writeSet((tx) => release(tx, subject, now)),

    requestsRevision: () => read((db) => metaValue(db, REQUESTS)),
    revision: () => read((db) => metaValue(db, REVISION)),
    setLive: (revision) => writeSet((tx) => setMeta(tx, LIVE, revision)),
    isOrdering,

    async noteOrdering(ordering) {
      if (ordering !== (await isOrdering())) await write((tx) => setMeta(tx, ORDERING, ordering ? 1 : 0));
    },

    own: (name) =>
      read((db) => first(db.select(ownColumns).from(ownCertificates).where(eq(ownCertificates.name, name)))),

    keepOwn: (name, certificate) => write((tx) => keepOwn(tx, name, certificate)),
  };
}

// --- internal ---

function selectCertificate(db: Drizzle, subject: string) {
  return db.select().from(certificates).where(eq(certificates.subject, subject));
}

function lockCertificate(tx: Drizzle, subject: string): Promise<Row | null> {
  return first(selectCertificate(tx, subject).for("update"));
}

async function want(tx: Drizzle, wanted: WantedCertificate): Promise<void> {
  const subject = wanted.identifiers[0] as string;
  await takeLock(tx, `certificate of ${subject}`);
  const known = await lockCertificate(tx, subject);
  if (known && isSufficient(known, wanted)) return;
  if (known) return refile(tx, known, wanted);
  const kept = await first(tx.delete(releasedAttempts).where(eq(releasedAttempts.subject, subject)).returning());
  const attempts = kept?.attempts ?? NO_ATTEMPTS;
  await tx.insert(certificates).values({ subject, ...requestOf(wanted), attempts });
  await increment(tx, REQUESTS);
}

async function saveProgress(
  tx: Drizzle,
  subject: string,
  progress: CertificateProgress,
  lease?: HeldLease | null,
): Promise<boolean> {
  await requireLease(tx, lease);
  const before = await lockCertificate(tx, subject);
  if (!before) return false;
  // Drizzle refuses an update without fields.
  await tx
    .update(certificates)
    .set({ subject, ...progress })
    .where(eq(certificates.subject, subject));
  const notified = progress.attempts ? await findNotifiedSiteByHost(tx, subject) : null;
  const failing = notified && progress.attempts && certificateFailing(notified.name, before, progress.attempts);
  if (notified && failing) await note(tx, notified, progress.attempts?.lastAt ?? 0, [failing]);
  return true;
}

interface Installation {
  readonly current: Certificate;
  readonly attempts: Attempts;
  readonly orderedAt: number;
  readonly at: number;
}

async function install(
  tx: Drizzle,
  subject: string,
  { current, attempts, orderedAt, at }: Installation,
  lease?: HeldLease | null,
): Promise<boolean> {
  await requireLease(tx, lease);
  const before = await lockCertificate(tx, subject);
  if (!before) return false;
  const notified = await findNotifiedSiteByHost(tx, subject);
  if (notified) await note(tx, notified, at, [certificateArrived(notified.name, before, current)]);
  const revision = await increment(tx, REVISION);
  const fresh = { current, orderedAt, attempts, pending: null, renewal: null, revision };
  await tx.update(certificates).set(fresh).where(eq(certificates.subject, subject));
  return true;
}

async function release(tx: Drizzle, subject: string, now: number): Promise<void> {
  await takeLock(tx, `certificate of ${subject}`);
  const gone = await first(tx.delete(certificates).where(eq(certificates.subject, subject)).returning());
  if (gone === null) return;
  await tx.delete(releasedAttempts).where(lte(releasedAttempts.until, now));
  const kept = afterRelease(gone.attempts, now);
  if (kept !== null) await tx.insert(releasedAttempts).values({ subject, ...kept });
  await increment(tx, REVISION);
  await increment(tx, REQUESTS);
}

async function keepOwn(tx: Drizzle, name: "root" | "fallback", certificate: OwnCertificate): Promise<OwnCertificate> {
  await tx
    .insert(ownCertificates)
    .values({ name, ...certificate })
    .onConflictDoNothing();
  const kept = await first(tx.select(ownColumns).from(ownCertificates).where(eq(ownCertificates.name, name)));
  return kept ?? certificate;
}

async function refile(tx: Drizzle, known: Row, wanted: WantedCertificate): Promise<void> {
  await tx.update(certificates).set(refiled(known, wanted)).where(eq(certificates.subject, known.subject));
  await increment(tx, REQUESTS);
}

async function metaValue(db: Drizzle, key: string): Promise<number> {
  return (await first(db.select({ value: meta.value }).from(meta).where(eq(meta.key, key))))?.value ?? 0;
}

/** Adds one to a number and returns it. It stays locked until the transaction ends. */
async function increment(tx: Drizzle, key: string): Promise<number> {
  const next = { target: meta.key, set: { value: sql`${meta.value} + 1` } };
  const row = tx.insert(meta).values({ key, value: 1 }).onConflictDoUpdate(next).returning({ value: meta.value });
  return (await first(row))!.value;
}

async function setMeta(tx: Drizzle, key: string, value: number): Promise<void> {
  await tx.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } });
}
