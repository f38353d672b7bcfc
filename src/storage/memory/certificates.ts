import { afterRelease } from "../../domain/certificates/attempts.ts";
import { isSufficient } from "../../domain/certificates/wanted.ts";
import { type Attempts, type Certificate, NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import { certificateArrived, certificateFailing } from "../../domain/model/events.ts";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import type {
  CertificateProgress,
  CertificateStore,
  WantedCertificate,
} from "../../domain/ports/store/certificates.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import { DAY } from "../../domain/timestamp.ts";
import { refiled, toManaged } from "../records/certificates.ts";
import { by, type CertificateRow, type Memory } from "./tables.ts";
import { noteEvents } from "./webhooks.ts";

export function certificateStore(memory: Memory): CertificateStore {
  const { certificates, ownCertificates } = memory;
  return {
    list: async () => certificates.rows.toSorted(by(({ subject }) => subject)).map((row) => managedOf(memory, row)),
    async find(subject) {
      const row = certificates.find({ subject });
      return row ? managedOf(memory, row) : null;
    },
    want: (wanted) => want(memory, wanted),
    async releaseToClaim(wanted) {
      const known = certificates.find({ subject: wanted.identifiers[0] as string });
      if (known) refile(memory, known, wanted);
    },
    saveProgress: (subject, progress, lease) => saveProgress(memory, subject, progress, lease),
    install: (subject, current, when, attempts, lease) => install(memory, subject, current, when, attempts, lease),
    release: (subject, now) => release(memory, subject, now),
    requestsRevision: async () => marksOf(memory).requests,
    revision: async () => marksOf(memory).revision,
    async setLive(live) {
      memory.writeRouting((affects) => {
        affects();
        mark(memory, { live });
      });
    },
    isOrdering: async () => marksOf(memory).ordering,
    async noteOrdering(ordering) {
      mark(memory, { ordering });
    },
    async own(name) {
      const kept = ownCertificates.find({ name });
      return kept ? { chain: kept.chain, key: kept.key } : null;
    },
    async keepOwn(name, certificate) {
      const { chain, key } = ownCertificates.find({ name }) ?? ownCertificates.add({ name, ...certificate });
      return { chain, key };
    },
  };
}

export function acmeStore({ acmeAccounts, acmeOrders, acmeChallenges }: Memory): AcmeStore {
  return {
    account: async (directory) => acmeAccounts.find({ directory }) ?? null,
    async saveAccount(account) {
      acmeAccounts.remove({ directory: account.directory });
      acmeAccounts.add(account);
    },
    async publishChallenge(challenge) {
      const { type, name, value } = challenge;
      acmeChallenges.remove({ type, name, value });
      acmeChallenges.add(challenge);
    },
    async withdrawChallenge({ type, name, value }) {
      acmeChallenges.remove({ type, name, value });
    },
    challengeValues(type, name, now) {
      const open = acmeChallenges.filter({ type, name }).filter(({ expiresAt }) => expiresAt > now);
      return open.map(({ value }) => value);
    },
    async deleteExpiredChallenges(now) {
      acmeChallenges.remove(({ expiresAt }) => expiresAt < now);
    },
    async countOrder(directory, at) {
      acmeOrders.remove(({ placedAt }) => placedAt < at - DAY);
      acmeOrders.add({ directory, placedAt: at });
    },
    async ordersSince(directory, since) {
      return acmeOrders.filter({ directory }).filter(({ placedAt }) => placedAt >= since).length;
    },
  };
}

// --- internal ---

async function want(memory: Memory, { identifiers, challenge, origin }: WantedCertificate): Promise<void> {
  const { certificates, releasedAttempts } = memory;
  const subject = identifiers[0] as string;
  const known = certificates.find({ subject });
  if (known && isSufficient(known, { identifiers, challenge, origin })) return;
  if (known) return refile(memory, known, { identifiers, challenge, origin });
  countRequest(memory);
  const [kept] = releasedAttempts.remove({ subject });
  const attempts = kept?.attempts ?? NO_ATTEMPTS;
  const nothing = { pending: null, current: null, orderedAt: null, renewal: null, revision: 0 };
  certificates.add({ subject, identifiers, challenge, origin, attempts, ...nothing });
}

async function saveProgress(
  memory: Memory,
  subject: string,
  progress: CertificateProgress,
  lease?: HeldLease | null,
): Promise<boolean> {
  const before = findLeased(memory, subject, lease);
  if (!before) return false;
  memory.certificates.update({ subject }, progress);
  const { attempts } = progress;
  if (!attempts) return true;
  noteEvents(memory, siteOf(memory, subject), attempts.lastAt ?? 0, (name) => {
    const failing = certificateFailing(name, before, attempts);
    return failing ? [failing] : [];
  });
  return true;
}

async function install(
  memory: Memory,
  subject: string,
  current: Certificate,
  { orderedAt, at }: { readonly orderedAt: number; readonly at: number },
  attempts: Attempts,
  lease?: HeldLease | null,
): Promise<boolean> {
  const before = findLeased(memory, subject, lease);
  if (!before) return false;
  memory.writeRouting((affects) => {
    affects();
    const revision = marksOf(memory).revision + 1;
    mark(memory, { revision });
    memory.certificates.update({ subject }, { current, orderedAt, attempts, pending: null, renewal: null, revision });
    noteEvents(memory, siteOf(memory, subject), at, (name) => [certificateArrived(name, before, current)]);
  });
  return true;
}

/** Returns the certificate. Throws `conflict` if the lease was taken over. */
function findLeased(memory: Memory, subject: string, lease?: HeldLease | null): CertificateRow | undefined {
  memory.requireLease(lease);
  return memory.certificates.find({ subject });
}

async function release(memory: Memory, subject: string, now: number): Promise<void> {
  const { certificates, releasedAttempts } = memory;
  memory.writeRouting((affects) => {
    affects();
    const [gone] = certificates.remove({ subject });
    if (!gone) return;
    releasedAttempts.remove(({ until }) => until <= now);
    const kept = afterRelease(gone.attempts, now);
    if (kept) releasedAttempts.add({ subject, ...kept });
    mark(memory, { revision: marksOf(memory).revision + 1 });
    countRequest(memory);
  });
}

function marksOf({ marks }: Memory) {
  return marks.rows[0] ?? { requests: 0, revision: 0, live: 0, ordering: false };
}

function mark(memory: Memory, change: Partial<ReturnType<typeof marksOf>>): void {
  memory.marks.rows = [{ ...marksOf(memory), ...change }];
}

function countRequest(memory: Memory): void {
  mark(memory, { requests: marksOf(memory).requests + 1 });
}

function managedOf(memory: Memory, row: CertificateRow) {
  return toManaged(row, marksOf(memory).live);
}

function siteOf({ claims }: Memory, hostname: string): number | null {
  return claims.find({ hostname, status: "verified" })?.siteId ?? null;
}

function refile(memory: Memory, known: CertificateRow, wanted: WantedCertificate): void {
  countRequest(memory);
  memory.certificates.update({ subject: known.subject }, refiled(known, wanted));
}
