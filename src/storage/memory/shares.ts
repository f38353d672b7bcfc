import { deletedMeanwhile } from "../../domain/errors.ts";
import { accessChanged } from "../../domain/events/changes.ts";
import type { Share, SharedHost } from "../../domain/model/share.ts";
import type { NewShareVisit, ShareStore } from "../../domain/ports/store/shares.ts";
import { by, type Memory, type ShareRow } from "./tables.ts";

export function shareStore(memory: Memory): ShareStore {
  const { shares, shareVisits, sites } = memory;
  return {
    async add(share, most) {
      const { siteId, createdAt } = share;
      if (!sites.find({ id: siteId })) throw deletedMeanwhile("site");
      if (shares.filter({ siteId }).filter(({ expiresAt }) => expiresAt > createdAt).length >= most) return false;
      shares.add({ ...share, uses: 0, lastUsedAt: null });
      memory.announce(accessChanged(siteId));
      return true;
    },

    listOfSite: async (siteId) => shares.filter({ siteId }).sort(newestFirst).map(shareOf),

    async delete(siteId, id) {
      if (shares.remove({ siteId, id }).length === 0) return false;
      shareVisits.remove({ shareId: id });
      memory.announce(accessChanged(siteId));
      return true;
    },

    async findBySecret(secretHash, kind, at, now) {
      const share = reaching(memory, at, now).find((one) => one.secretHash === secretHash && one.kind === kind);
      return share ? shareOf(share) : null;
    },

    async listPasswords(at, now) {
      const passwords = reaching(memory, at, now).sort(newestFirst);
      return passwords.flatMap(({ id, passwordHash }) => (passwordHash === null ? [] : [{ id, passwordHash }]));
    },

    enter: (visit, most) => enter(memory, visit, most),

    async admits(tokenHash, at, now) {
      const visit = shareVisits.find({ tokenHash, host: at.host });
      if (!visit || visit.expiresAt <= now) return false;
      return reaching(memory, at, now).some(({ id }) => id === visit.shareId);
    },

    async touch(id, at) {
      use(memory, id, at);
    },

    deleteExpired: (now, expiredBefore) => removeExpired(memory, now, expiredBefore),
  };
}

// --- internal ---

async function enter(memory: Memory, visit: NewShareVisit, most: number): Promise<boolean> {
  const { shareVisits } = memory;
  const { shareId } = visit;
  if (!use(memory, shareId, visit.createdAt)) return false;
  const oldestFirst = shareVisits.filter({ shareId }).sort(by(({ createdAt }) => createdAt));
  for (const { tokenHash } of oldestFirst.slice(0, Math.max(0, oldestFirst.length - most + 1))) {
    shareVisits.remove({ tokenHash });
  }
  shareVisits.add(visit);
  return true;
}

async function removeExpired({ shareVisits, shares }: Memory, now: number, expiredBefore: number): Promise<number> {
  const visits = shareVisits.remove(({ expiresAt }) => expiresAt <= now).length;
  const over = shares.remove(({ expiresAt }) => expiresAt <= expiredBefore);
  const gone = new Set(over.map(({ id }) => id));
  shareVisits.remove(({ shareId }) => gone.has(shareId));
  return visits + over.length;
}

const newestFirst = by<ShareRow>(({ createdAt }) => -createdAt);

function reaching({ shares }: Memory, { siteId, target }: SharedHost, now: number): ShareRow[] {
  return shares.filter({ siteId, target }).filter(({ expiresAt }) => expiresAt > now);
}

function use({ shares }: Memory, id: string, at: number): boolean {
  return shares.update({ id }, ({ uses }) => ({ uses: uses + 1, lastUsedAt: at })).length > 0;
}

function shareOf({ secretHash: _secret, passwordHash: _password, ...share }: ShareRow): Share {
  return share;
}
