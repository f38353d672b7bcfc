import { afterRelease } from "../../domain/certificates/attempts.ts";
import { NO_ATTEMPTS } from "../../domain/certificates/certificate.ts";
import { isFiled, isSameCertificate } from "../../domain/certificates/wanted.ts";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import type { CertificateStore, WantedCertificate } from "../../domain/ports/store/certificates.ts";
import { DAY } from "../../domain/timestamp.ts";
import { certificateArrived, certificateFailing } from "../../domain/webhooks/events.ts";
import { by, type CertificateRow, type Memory } from "./tables.ts";
import { noteEvents } from "./webhooks.ts";

export function certificateStore(memory: Memory): CertificateStore {
  const { certificates, releasedAttempts, ownCertificates, marks } = memory;
  const marksNow = () => marks.rows[0] ?? { wishes: 0, revision: 0, live: 0, ordering: false };
  const mark = (change: Partial<ReturnType<typeof marksNow>>) => {
    marks.rows = [{ ...marksNow(), ...change }];
  };
  const wish = () => mark({ wishes: marksNow().wishes + 1 });
  const managed = ({ revision, ...row }: CertificateRow) => {
    return { ...row, live: row.current !== null && revision <= marksNow().live };
  };
  const siteOf = (hostname: string) => memory.claims.find({ hostname, status: "verified" })?.siteId ?? null;
  const refile = (known: CertificateRow, { identifiers, challenge, origin }: WantedCertificate) => {
    wish();
    const isSame = isSameCertificate(known, { identifiers, challenge, origin });
    const anew = { identifiers, challenge, attempts: NO_ATTEMPTS, pending: null, renewal: null };
    certificates.update({ subject: known.subject }, { origin, ...(isSame ? {} : anew) });
  };

  return {
    list: async () => certificates.rows.toSorted(by(({ subject }) => subject)).map(managed),
    async find(subject) {
      const row = certificates.find({ subject });
      return row ? managed(row) : null;
    },
    async want({ identifiers, challenge, origin }) {
      const subject = identifiers[0] as string;
      const known = certificates.find({ subject });
      if (known && isFiled(known, { identifiers, challenge, origin })) return;
      if (known) return refile(known, { identifiers, challenge, origin });
      wish();
      const [kept] = releasedAttempts.remove({ subject });
      const attempts = kept?.attempts ?? NO_ATTEMPTS;
      const nothing = { pending: null, current: null, orderedAt: null, renewal: null, revision: 0 };
      certificates.add({ subject, identifiers, challenge, origin, attempts, ...nothing });
    },
    async handBack(wanted) {
      const known = certificates.find({ subject: wanted.identifiers[0] as string });
      if (known) refile(known, wanted);
    },
    async saveProgress(subject, progress, lease) {
      memory.requireLease(lease);
      const before = certificates.find({ subject });
      if (!before) return false;
      certificates.update({ subject }, progress);
      const { attempts } = progress;
      if (!attempts) return true;
      noteEvents(memory, siteOf(subject), attempts.lastAt ?? 0, (name) => {
        const failing = certificateFailing(name, before, attempts);
        return failing ? [failing] : [];
      });
      return true;
    },
    async install(subject, current, { orderedAt, at }, attempts, lease) {
      memory.requireLease(lease);
      const before = certificates.find({ subject });
      if (!before) return false;
      memory.writeRouting((affects) => {
        affects();
        const revision = marksNow().revision + 1;
        mark({ revision });
        certificates.update({ subject }, { current, orderedAt, attempts, pending: null, renewal: null, revision });
        noteEvents(memory, siteOf(subject), at, (name) => [certificateArrived(name, before, current)]);
      });
      return true;
    },
    async release(subject, now) {
      memory.writeRouting((affects) => {
        affects();
        const [gone] = certificates.remove({ subject });
        if (!gone) return;
        releasedAttempts.remove(({ until }) => until <= now);
        const kept = afterRelease(gone.attempts, now);
        if (kept) releasedAttempts.add({ subject, ...kept });
        mark({ revision: marksNow().revision + 1 });
        wish();
      });
    },
    requestsRevision: async () => marksNow().wishes,
    revision: async () => marksNow().revision,
    async setLive(live) {
      memory.writeRouting((affects) => {
        affects();
        mark({ live });
      });
    },
    isOrdering: async () => marksNow().ordering,
    async noteOrdering(ordering) {
      mark({ ordering });
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
    async sweepChallenges(now) {
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
