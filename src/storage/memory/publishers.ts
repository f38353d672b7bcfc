import { deletedMeanwhile } from "../../domain/errors.ts";
import { accessChanged } from "../../domain/events/changes.ts";
import type { PublisherStore } from "../../domain/ports/store/publishers.ts";
import { by, type Memory } from "./tables.ts";

export function publisherStore(memory: Memory): PublisherStore {
  const { publishers, usedIdTokens, tokens, sites, audit } = memory;
  return {
    async add(publisher, most) {
      const { siteId } = publisher;
      if (publishers.filter({ siteId }).length >= most) return false;
      if (!sites.find({ id: siteId })) throw deletedMeanwhile("site");
      publishers.add({ ...publisher, pinned: null, lastUsedAt: null });
      memory.announce(accessChanged(siteId));
      return true;
    },

    async listOfSite(siteId) {
      return publishers.filter({ siteId }).sort(
        by(
          ({ createdAt }) => createdAt,
          ({ id }) => id,
        ),
      );
    },

    async delete(siteId, id) {
      if (publishers.remove({ siteId, id }).length === 0) return false;
      tokens.remove({ publisherId: id });
      memory.announce(accessChanged(siteId));
      return true;
    },

    async exchange({ publisherId: id, ids, idTokenHash, idTokenEndsAt, token, audit: entry }) {
      const publisher = publishers.find({ id, siteId: token.siteId });
      const pinned = publisher?.pinned ?? ids;
      const isOther = pinned.repositoryId !== ids.repositoryId || pinned.ownerId !== ids.ownerId;
      if (!publisher || isOther) return "changed";
      if (usedIdTokens.find({ tokenHash: idTokenHash })) return "replayed";
      usedIdTokens.add({ tokenHash: idTokenHash, endsAt: idTokenEndsAt });
      tokens.add({ ...token, lastUsedAt: null, publisherId: id });
      publishers.update({ id }, { pinned: ids, lastUsedAt: token.createdAt });
      audit.insert(entry);
      return "exchanged";
    },

    async deleteUsedIdTokens(now) {
      return usedIdTokens.remove(({ endsAt }) => endsAt <= now).length;
    },

    async deleteTokens(expiredBefore) {
      const isOver = (expiresAt: number | null) => expiresAt !== null && expiresAt <= expiredBefore;
      return tokens.remove(({ publisherId, expiresAt }) => publisherId !== null && isOver(expiresAt)).length;
    },
  };
}
