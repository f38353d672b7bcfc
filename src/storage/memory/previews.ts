import { siteChanged } from "../../domain/events/changes.ts";
import { previewExpired } from "../../domain/model/events.ts";
import { type Alias, type AliasState, aliasEvents, hasRoomForAlias } from "../../domain/model/preview.ts";
import type { AliasChange, PreviewStore } from "../../domain/ports/store/previews.ts";
import { type AliasRow, by, type Memory } from "./tables.ts";
import { noteEvents } from "./webhooks.ts";

export function previewStore(memory: Memory): PreviewStore {
  const { aliases, deployments, expiredPreviews, sites } = memory;
  return {
    async listAliases(siteId) {
      return aliases
        .filter({ siteId })
        .map((row) => aliasOf(memory, row))
        .sort(by(({ name }) => name));
    },
    async findRoute(siteId, name) {
      const row = aliases.find({ siteId, name });
      if (!row) return null;
      const { deploymentNumber, updatedAt } = aliasOf(memory, row);
      return { deploymentId: row.deploymentId, deploymentNumber, updatedAt };
    },
    async setAlias(siteId, change) {
      const deployment = deployments.find({ siteId, number: change.deploymentNumber });
      if (!deployment) return "missing";
      const state = aliasState(memory, siteId, change.name);
      if (!hasRoomForAlias(state)) return "too_many";
      return memory.writeRouting((affects) => {
        affects(siteId);
        const row = writeAlias(memory, siteId, deployment.id, change);
        const eventsOf = (siteName: string) => aliasEvents(state, { siteName, alias: change.name, ...change });
        noteEvents(memory, siteId, change.at, eventsOf);
        return { alias: aliasOf(memory, row), isNew: state.existing === null };
      });
    },
    async deleteAlias(siteId, name) {
      const isRemoved = memory.writeRouting((affects) => {
        affects(siteId);
        return aliases.remove({ siteId, name }).length > 0;
      });
      if (isRemoved) memory.announce(siteChanged(siteId, { alias: name }));
      return isRemoved;
    },
    policy: async (id) => sites.find({ id })!.previews,
    async setPolicy(id, change) {
      memory.writeRouting((affects) => {
        affects(id);
        sites.update({ id }, ({ previews }) => ({ previews: { ...previews, ...change } }));
      });
      memory.announce(siteChanged(id));
    },
    hasExpired: async (siteId, label) => expiredPreviews.find({ siteId, label }) !== undefined,
    expire: async (now, limit) =>
      memory.writeRouting((affects) => {
        const ended = expire(memory, now, limit);
        affects(...ended.map(({ siteId }) => siteId));
        return ended.length;
      }),
    async deleteExpired(before) {
      memory.writeRouting((affects) => {
        affects(...expiredPreviews.remove(({ at }) => at < before).map(({ siteId }) => siteId));
      });
    },
  };
}

export function aliasState(memory: Memory, siteId: number, name: string): AliasState {
  const existing = memory.aliases.find({ siteId, name });
  const count = memory.aliases.filter({ siteId }).length;
  return { count, existing: existing ? aliasOf(memory, existing) : null };
}

export function writeAlias(
  { aliases, expiredPreviews }: Memory,
  siteId: number,
  deploymentId: number,
  { name, expiresAt, at }: Omit<AliasChange, "deploymentNumber">,
): AliasRow {
  expiredPreviews.remove({ siteId, label: name });
  const moved = { deploymentId, updatedAt: at, expiresAt };
  const [changed] = aliases.update({ siteId, name }, moved);
  return changed ?? aliases.add({ siteId, name, createdAt: at, ...moved });
}

// --- internal ---

function aliasOf({ deployments }: Memory, { siteId: _, deploymentId: id, ...alias }: AliasRow): Alias {
  return { ...alias, deploymentNumber: deployments.find({ id })!.number };
}

function expire(memory: Memory, now: number, limit: number): readonly { readonly siteId: number }[] {
  const { aliases, deployments, expiredPreviews } = memory;
  const isDue = ({ expiresAt }: { readonly expiresAt: number | null }) => expiresAt !== null && expiresAt <= now;
  const ended = aliases.filter(isDue).slice(0, limit);
  const endings = ended.map((row) => ({ siteId: row.siteId, alias: row.name, ...aliasOf(memory, row) }));
  aliases.remove((row) => ended.includes(row));
  const previews = deployments
    .filter(isDue)
    .filter(({ id, pinned, activatedAt }) => !pinned && activatedAt === null && !aliases.find({ deploymentId: id }))
    .slice(0, limit);
  deployments.remove((row) => previews.includes(row));
  const all = [
    ...endings,
    ...previews.map(({ siteId, number }) => ({ siteId, alias: null, deploymentNumber: number })),
  ];
  for (const { siteId, alias, deploymentNumber } of all) {
    expiredPreviews.add({ siteId, label: alias ?? String(deploymentNumber), at: now });
    noteEvents(memory, siteId, now, (siteName) => [previewExpired(siteName, { deploymentNumber, alias })]);
  }
  return all;
}
