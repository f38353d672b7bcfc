import { asc, eq, gt, lte, sql } from "drizzle-orm";
import { afterRelease } from "../../domain/certificates/attempts.ts";
import { isSufficient } from "../../domain/certificates/wanted.ts";
import {
  type Attempts,
  type Certificate,
  type ManagedCertificate,
  NO_ATTEMPTS,
} from "../../domain/model/certificate.ts";
import { certificateArrived, certificateFailing } from "../../domain/model/events.ts";
import type {
  CertificateProgress,
  CertificateStore,
  OwnCertificate,
  WantedCertificate,
} from "../../domain/ports/store/certificates.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import { LIVE, ORDERING, REQUESTS, REVISION, refiled, requestOf, toManaged } from "../records/certificates.ts";
import type { Connection, Drizzle } from "./connection.ts";
import { requireLease } from "./jobs.ts";
import { newOutbox, type Outbox } from "./outbox.ts";
import { certificates, meta, ownCertificates, releasedAttempts } from "./schema.ts";

/** Rows per page. Reading two thousand at once, with chains and keys, would block the thread for 50 ms. */
const PAGE = 100;

const ownColumns = { chain: ownCertificates.chain, key: ownCertificates.key };

type Row = typeof certificates.$inferSelect;

export function certificateStore(connection: Connection): CertificateStore {
  const { raw, db, write, writeRouting } = connection;
  const outbox = newOutbox(connection);
  const readMeta = raw.prepare<{ value: number }, [string]>("SELECT value FROM meta WHERE key = ?");
  const metaValue = (key: string) => readMeta.get(key)?.value ?? 0;
  const isOrdering = () => metaValue(ORDERING) === 1;
  const managed = (row: Row) => toManaged(row, metaValue(LIVE));

  return {
    list: () => listCertificates(connection, metaValue(LIVE)),

    async find(subject) {
      const row = findCertificate(db, subject);
      return row ? managed(row) : null;
    },

    want: (wanted) => want(connection, wanted),
    releaseToClaim: (wanted) => releaseToClaim(connection, wanted),
    saveProgress: (subject, progress, lease) => saveProgress(connection, outbox, subject, progress, lease),
    install: (subject, current, when, attempts, lease) =>
      install(connection, outbox, subject, current, when, attempts, lease),

    release: (subject, now) => release(connection, subject, now),

    async requestsRevision() {
      return metaValue(REQUESTS);
    },

    async revision() {
      return metaValue(REVISION);
    },

    async setLive(revision) {
      await writeRouting((tx, affects) => {
        affects();
        setMeta(tx, LIVE, revision);
      });
    },

    isOrdering: async () => isOrdering(),

    async noteOrdering(ordering) {
      if (ordering === isOrdering()) return;
      await write((tx) => setMeta(tx, ORDERING, ordering ? 1 : 0));
    },

    async own(name) {
      return db.select(ownColumns).from(ownCertificates).where(eq(ownCertificates.name, name)).get() ?? null;
    },

    keepOwn: (name, certificate) => keepOwn(connection, name, certificate),
  };
}

// --- internal ---

async function listCertificates({ db }: Connection, live: number): Promise<ManagedCertificate[]> {
  const all: ManagedCertificate[] = [];
  for (let after = ""; ; await Bun.sleep(0)) {
    const rest = gt(certificates.subject, after);
    const rows = db.select().from(certificates).where(rest).orderBy(asc(certificates.subject)).limit(PAGE).all();
    for (const row of rows) all.push(toManaged(row, live));
    if (rows.length < PAGE) return all;
    after = (rows.at(-1) as Row).subject;
  }
}

async function want({ write }: Connection, wanted: WantedCertificate): Promise<void> {
  const subject = wanted.identifiers[0] as string;
  await write((tx) => {
    const known = findCertificate(tx, subject);
    if (known && isSufficient(known, wanted)) return;
    if (known) return refile(tx, known, wanted);
    increment(tx, REQUESTS);
    const [kept] = tx.delete(releasedAttempts).where(eq(releasedAttempts.subject, subject)).returning().all();
    const attempts = kept?.attempts ?? NO_ATTEMPTS;
    tx.insert(certificates)
      .values({ subject, ...requestOf(wanted), attempts })
      .run();
  });
}

async function releaseToClaim({ write }: Connection, wanted: WantedCertificate): Promise<void> {
  await write((tx) => {
    const known = findCertificate(tx, wanted.identifiers[0] as string);
    if (known) refile(tx, known, wanted);
  });
}

async function saveProgress(
  { write }: Connection,
  outbox: Outbox,
  subject: string,
  progress: CertificateProgress,
  lease?: HeldLease | null,
): Promise<boolean> {
  return write((tx) => {
    requireLease(tx, lease);
    const before = findCertificate(tx, subject);
    if (!before) return false;
    tx.update(certificates).set(progress).where(eq(certificates.subject, subject)).run();
    const notified = progress.attempts && outbox.findByHost(subject);
    const failing = notified && certificateFailing(notified.name, before, progress.attempts);
    if (failing) outbox.note(notified, progress.attempts.lastAt ?? 0, [failing]);
    return true;
  });
}

async function install(
  { writeRouting }: Connection,
  outbox: Outbox,
  subject: string,
  current: Certificate,
  { orderedAt, at }: { readonly orderedAt: number; readonly at: number },
  attempts: Attempts,
  lease?: HeldLease | null,
): Promise<boolean> {
  return writeRouting((tx, affects) => {
    affects();
    requireLease(tx, lease);
    const revision = increment(tx, REVISION);
    const before = findCertificate(tx, subject);
    if (!before) return false;
    const fresh = { current, orderedAt, attempts, pending: null, renewal: null, revision };
    tx.update(certificates).set(fresh).where(eq(certificates.subject, subject)).run();
    const notified = outbox.findByHost(subject);
    if (notified) outbox.note(notified, at, [certificateArrived(notified.name, before, current)]);
    return true;
  });
}

async function release({ writeRouting }: Connection, subject: string, now: number): Promise<void> {
  await writeRouting((tx, affects) => {
    affects();
    const [gone] = tx.delete(certificates).where(eq(certificates.subject, subject)).returning().all();
    if (gone === undefined) return;
    tx.delete(releasedAttempts).where(lte(releasedAttempts.until, now)).run();
    const kept = afterRelease(gone.attempts, now);
    if (kept !== null)
      tx.insert(releasedAttempts)
        .values({ subject, ...kept })
        .run();
    increment(tx, REVISION);
    increment(tx, REQUESTS);
  });
}

async function keepOwn(
  { write }: Connection,
  name: "root" | "fallback",
  certificate: OwnCertificate,
): Promise<OwnCertificate> {
  return write((tx) => {
    tx.insert(ownCertificates)
      .values({ name, ...certificate })
      .onConflictDoNothing()
      .run();
    return tx.select(ownColumns).from(ownCertificates).where(eq(ownCertificates.name, name)).get() ?? certificate;
  });
}

function findCertificate(tx: Drizzle, subject: string): Row | undefined {
  return tx.select().from(certificates).where(eq(certificates.subject, subject)).get();
}

function refile(tx: Drizzle, known: Row, wanted: WantedCertificate): void {
  increment(tx, REQUESTS);
  tx.update(certificates).set(refiled(known, wanted)).where(eq(certificates.subject, known.subject)).run();
}

function increment(tx: Drizzle, key: string): number {
  const next = sql`${meta.value} + 1`;
  const row = tx
    .insert(meta)
    .values({ key, value: 1 })
    .onConflictDoUpdate({ target: meta.key, set: { value: next } })
    .returning({ value: meta.value })
    .get();
  return row.value;
}

function setMeta(tx: Drizzle, key: string, value: number): void {
  tx.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } }).run();
}
