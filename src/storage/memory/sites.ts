import { INVITATION_PREFIX, isInvitation, MAX_INVITED_READERS } from "../../domain/accounts/invitations.ts";
import { deletedMeanwhile } from "../../domain/errors.ts";
import {
  accessChanged,
  privacyChanged,
  readerAdded,
  readerRemoved,
  siteChanged,
  siteFrozen,
  siteRemoved,
  siteTransferred,
} from "../../domain/events/changes.ts";
import { ACTIVE_ROUTE_STATUSES, isOpen, OPEN_STATUSES } from "../../domain/model/claim.ts";
import { deploymentsDeleted, siteDeleted } from "../../domain/model/events.ts";
import type { Freeze } from "../../domain/model/freeze.ts";
import { excessOf, type Quota, quotaInForce } from "../../domain/model/quota.ts";
import { retiredName, type Site } from "../../domain/model/site.ts";
import { dayOf } from "../../domain/model/view-delta.ts";
import type { Reader, ReaderStore } from "../../domain/ports/store/readers.ts";
import type { RetentionStore } from "../../domain/ports/store/retention.ts";
import type {
  SiteActivity,
  SiteListing,
  SiteQuery,
  SiteRoute,
  SiteStore,
  SiteTransfer,
} from "../../domain/ports/store/sites.ts";
import type { DeploymentToken, TokenStore } from "../../domain/ports/store/tokens.ts";
import { ICON_FILES, MAX_ICON_BYTES } from "../../domain/sites/site-icon.ts";
import { by, type ClaimRow, type DeploymentRow, type Memory, type SiteRow } from "./tables.ts";
import { byLogin, contains, recognize, usageOf } from "./users.ts";
import { noteEvents } from "./webhooks.ts";

export function siteStore(memory: Memory): SiteStore {
  const { sites, retiredNames } = memory;
  return {
    async find(name) {
      const site = sites.find({ name });
      return site ? siteOf(memory, site) : null;
    },
    async listOfOwner(ownerId) {
      return sites
        .filter({ ownerId })
        .sort(byName)
        .map((site) => siteOf(memory, site));
    },
    async activityOfOwner(ownerId, since) {
      return sites
        .filter({ ownerId })
        .sort(byName)
        .map((site) => activityOf(memory, site, since));
    },
    async findRoute(name) {
      const site = sites.find({ name });
      return site ? routeOf(memory, site) : null;
    },
    page: (query, now) => pageOfSites(memory, query, now),
    async listing(name, now) {
      const site = sites.find({ name });
      return site ? listingOf(memory, site, now) : null;
    },
    transfer: (id, ownerId, standard) => transferSite(memory, id, ownerId, standard),
    setPrivate: (id, isPrivate) => setPrivate(memory, id, isPrivate),
    setFrozen: (id, frozen) => setFrozen(memory, id, frozen),
    async setTags(id, tags) {
      if (sites.update({ id }, { tags }).length === 0) return false;
      memory.announce(siteChanged(id));
      return true;
    },

    delete: (id, at, nameFreeAt) => deleteSite(memory, id, at, nameFreeAt),
    deleteFreeNames: async (now) => retiredNames.remove(({ freeAt }) => freeAt <= now).length,
  };
}

export function readerStore(memory: Memory): ReaderStore {
  const { readers, sites, users } = memory;
  const isPrivate = (id: number) => {
    const site = sites.find({ id });
    if (!site) throw deletedMeanwhile("site");
    return site.private;
  };
  const readerOf = ({ id, userId }: { readonly id: number; readonly userId: number }): Reader => {
    const { login, name, avatarUrl } = users.find({ id: userId })!;
    return { id, userId, login, name, avatarUrl };
  };
  return {
    list: async (siteId) => readers.filter({ siteId }).map(readerOf).sort(byLogin),

    async add(siteId, identity, at) {
      if (!isPrivate(siteId)) return "not_private";
      const { provider, subject } = identity;
      const known = users.find({ provider, subject });
      if (!known && provider === "local") throw deletedMeanwhile("the provider user");
      const present = known && readers.find({ siteId, userId: known.id });
      if (present) return readerOf(present);
      const invited = readers
        .filter({ siteId })
        .filter(({ userId }) => users.find({ id: userId })?.subject.startsWith(INVITATION_PREFIX));
      if (isInvitation(identity) && invited.length >= MAX_INVITED_READERS) return "too_many_invited";
      const { id: userId } = known ?? recognize(memory, identity, at);
      memory.announce(readerAdded(siteId, userId));
      return readerOf(readers.insert({ siteId, userId }));
    },

    async delete(siteId, readerId) {
      if (!isPrivate(siteId)) return "not_private";
      const [removed] = readers.remove({ id: readerId, siteId });
      if (!removed) return "missing";
      memory.announce(readerRemoved(siteId, removed.userId));
      return "removed";
    },

    async sitesOf(userId, limit) {
      const read = new Set(readers.filter({ userId }).map(({ siteId }) => siteId));
      const shared = sites.filter((site) => read.has(site.id) && site.private).sort(byName);
      return shared.slice(0, limit).map((site) => ({
        name: site.name,
        owner: users.find({ id: site.ownerId })!.login,
        frozen: frozenOf(memory, site) !== null,
      }));
    },

    async mayRead(siteId, userId) {
      return (sites.find({ id: siteId, ownerId: userId }) ?? readers.find({ siteId, userId })) !== undefined;
    },
  };
}

export function tokenStore(memory: Memory): TokenStore {
  const { tokens, sites, users } = memory;
  const tokenOf = ({
    tokenHash: _hash,
    publisherId: _publisher,
    ...token
  }: (typeof tokens.rows)[number]): DeploymentToken => {
    const { name: siteName, ownerId } = sites.find({ id: token.siteId })!;
    return { ...token, siteName, ownerId, ownerFrozen: users.find({ id: ownerId })!.frozen };
  };
  return {
    async add(token) {
      if (!sites.find({ id: token.siteId })) throw deletedMeanwhile("site");
      tokens.add({ ...token, lastUsedAt: null, publisherId: null });
      memory.announce(accessChanged(token.siteId));
    },
    async findByHash(tokenHash) {
      const token = tokens.find({ tokenHash });
      return token ? tokenOf(token) : null;
    },
    async listOfOwner(ownerId) {
      const all = tokens
        .filter({ publisherId: null })
        .map(tokenOf)
        .filter((token) => token.ownerId === ownerId);
      return all.sort(by(({ createdAt }) => -createdAt));
    },
    async revoke(id, ownerId) {
      const token = tokens.find({ id });
      const site = token && sites.find({ id: token.siteId, ownerId });
      if (!site) return null;
      tokens.remove({ id });
      memory.announce(accessChanged(site.id));
      return site.name;
    },
    async touch(id, at) {
      tokens.update({ id }, { lastUsedAt: at });
    },
  };
}

export function retentionStore(memory: Memory): RetentionStore {
  const { sites, deployments, aliases, contents } = memory;
  return {
    async listSites() {
      return sites.rows.toSorted(byName).map(({ id, name, policy }) => ({ siteId: id, siteName: name, policy }));
    },
    findPolicy: async (siteId) => sites.find({ id: siteId })?.policy ?? null,
    async setPolicy(siteId, policy) {
      if (sites.update({ id: siteId }, { policy }).length === 0) throw deletedMeanwhile("site");
      memory.announce(siteChanged(siteId));
    },
    async setPinned(siteId, number, pinned) {
      if (deployments.update({ siteId, number }, { pinned }).length === 0) return false;
      memory.announce(siteChanged(siteId, { deployment_number: number }));
      return true;
    },

    async listDeployments(siteId) {
      const active = sites.find({ id: siteId })?.activeDeploymentId;
      return deployments.filter({ siteId }).map(({ id, number, createdAt, activatedAt, replacedAt, pinned }) => {
        const aliased = aliases.find({ deploymentId: id }) !== undefined;
        return { id, number, createdAt, activatedAt, replacedAt, pinned, aliased, active: id === active };
      });
    },

    async exclusiveBytes(deploymentIds) {
      const isGiven = ({ id }: DeploymentRow) => deploymentIds.includes(id);
      const given = deployments.filter(isGiven);
      const others = deployments.filter((deployment) => !isGiven(deployment));
      const refersTo = (digest: string) => (deployment: DeploymentRow) => deployment.contents.has(digest);
      const exclusive = contents.filter(({ digest }) => given.some(refersTo(digest)) && !others.some(refersTo(digest)));
      return exclusive.reduce((total, { size }) => total + size, 0);
    },

    async deleteDeployments(siteId, deploymentIds, at, lease) {
      memory.requireLease(lease);
      return memory.writeRouting((affects) => {
        affects(siteId);
        const active = sites.find({ id: siteId })?.activeDeploymentId;
        const gone = deployments.remove(
          ({ id, pinned, ...deployment }) =>
            deployment.siteId === siteId &&
            deploymentIds.includes(id) &&
            id !== active &&
            !pinned &&
            !aliases.find({ deploymentId: id }),
        );
        const numbers = gone.map(({ number }) => number).sort((one, other) => one - other);
        if (numbers.length > 0) noteEvents(memory, siteId, at, (name) => [deploymentsDeleted(name, numbers)]);
        return numbers;
      });
    },
  };
}

export function activeOf({ deployments }: Memory, { activeDeploymentId: id }: SiteRow): DeploymentRow | undefined {
  return id === null ? undefined : deployments.find({ id });
}

/** A site is frozen itself, or through its owner. */
export function frozenOf({ users }: Memory, { frozen, ownerId }: SiteRow): Freeze | null {
  return frozen ?? users.find({ id: ownerId })?.frozen ?? null;
}

export function siteOf(memory: Memory, site: SiteRow): Site {
  const { activeDeploymentId: _, lastNumber: __, policy: ___, previews: ____, ...facts } = site;
  const active = activeOf(memory, site);
  const { number: activeDeployment = null, sizeBytes = null } = active ?? {};
  return { ...facts, activeDeployment, sizeBytes, frozen: frozenOf(memory, site) };
}

export function routeOf(memory: Memory, site: SiteRow): SiteRoute {
  const active = activeOf(memory, site);
  return {
    siteId: site.id,
    siteName: site.name,
    private: site.private,
    activeDeploymentId: site.activeDeploymentId,
    activeDeployment: active?.number ?? null,
    activatedAt: active?.activatedAt ?? null,
    frozen: frozenOf(memory, site) !== null,
    previewAccess: site.previews.access,
  };
}

// --- internal ---

async function transferSite(memory: Memory, id: number, ownerId: number, standard: Quota): Promise<SiteTransfer> {
  const { sites, users, claims } = memory;
  const site = sites.find({ id });
  if (!site) return { outcome: "missing" };
  if (site.ownerId === ownerId) return { outcome: "transferred" };
  const quota = quotaInForce(standard, users.find({ id: ownerId })?.quota ?? {});
  const excess = excessOf(quota, usageOf(memory, ownerId), { sites: 1, bytes: keptBytes(memory, id) });
  if (excess) return { outcome: "over_quota", excess };
  memory.writeRouting((affects) => {
    affects(id);
    sites.update({ id }, { ownerId });
    claims.update({ siteId: id }, { ownerId });
    memory.readers.remove({ siteId: id, userId: ownerId });
    memory.announce(siteTransferred(id, site.ownerId));
  });
  return { outcome: "transferred" };
}

async function deleteSite(
  memory: Memory,
  id: number,
  at: number,
  nameFreeAt: number,
): Promise<"deleted" | "has_domains" | "missing"> {
  const { sites, claims, retiredNames } = memory;
  const site = sites.find({ id });
  if (!site) return "missing";
  if (claims.find((claim) => claim.siteId === id && holdsSite(claim))) return "has_domains";
  return memory.writeRouting((affects) => {
    affects(id);
    retiredNames.remove({ name: site.name });
    retiredNames.add(retiredName(siteOf(memory, site), nameFreeAt));
    noteEvents(memory, id, at, (name) => [siteDeleted(name)]);
    const { name: siteName, ownerId } = site;
    memory.announce(siteRemoved({ siteName, ownerId, readerIds: site.private ? readerIds(memory, id) : [] }));
    memory.removeSite(id);
    return "deleted";
  });
}

async function pageOfSites(
  memory: Memory,
  { text, only, after, limit }: SiteQuery,
  now: number,
): Promise<readonly SiteListing[]> {
  const { sites } = memory;
  const rest = sites.filter(({ name }) => after === null || name > after).sort(byName);
  const kind = rest.filter((site) => !only || (only === "private" ? site.private : site.frozen !== null));
  const all = kind.map((site) => listingOf(memory, site, now));
  return all
    .filter(({ name, owner }) => text === null || contains(name, text) || contains(owner, text))
    .slice(0, limit);
}

async function setPrivate(memory: Memory, id: number, isPrivate: boolean): Promise<void> {
  const { sites } = memory;
  memory.writeRouting((affects) => {
    affects(id);
    sites.update({ id }, { private: isPrivate });
  });
  memory.announce(privacyChanged(id, isPrivate, readerIds(memory, id)));
}

async function setFrozen(memory: Memory, id: number, frozen: Freeze | null): Promise<boolean> {
  const { sites } = memory;
  const isChanged = memory.writeRouting((affects) => {
    affects(id);
    return sites.update({ id }, { frozen }).length > 0;
  });
  if (isChanged) memory.announce(siteFrozen(id));
  return isChanged;
}

const byName = by<SiteRow>(({ name }) => name);

function readerIds({ readers }: Memory, siteId: number): number[] {
  return readers.filter({ siteId }).map(({ userId }) => userId);
}

function keptBytes({ deployments }: Memory, siteId: number): number {
  return deployments.filter({ siteId }).reduce((total, { sizeBytes }) => total + sizeBytes, 0);
}

function activityOf(
  memory: Memory,
  site: SiteRow,
  since: { readonly day: number; readonly deployedAt: number },
): SiteActivity {
  const { views, deployments } = memory;
  const { id: siteId, name: siteName } = site;
  const files = activeOf(memory, site)?.files;
  const isIcon = (path: string) => (files?.get(path)?.size ?? Number.POSITIVE_INFINITY) <= MAX_ICON_BYTES;
  const viewDays = views
    .filter((row) => row.siteId === siteId && row.day >= since.day && row.views > 0)
    .sort(by(({ day }) => day))
    .map(({ day, views }) => ({ day, views }));
  const kept = deployments.filter({ siteId });
  const last = kept.sort(by(({ number }) => -number))[0];
  return {
    siteId,
    siteName,
    icon: ICON_FILES.findLast(isIcon) ?? null,
    viewDays,
    recentDeployments: kept.filter(({ createdAt }) => createdAt >= since.deployedAt).length,
    lastDeployment: last ? { number: last.number, source: last.source, actor: last.actor } : null,
  };
}

function listingOf(memory: Memory, site: SiteRow, now: number): SiteListing {
  const { users, deployments, views, claims } = memory;
  const recent = views.filter(({ siteId, day }) => siteId === site.id && day > dayOf(now) - 30);
  return {
    ...siteOf(memory, site),
    owner: users.find({ id: site.ownerId })!.login,
    deployments: deployments.filter({ siteId: site.id }).length,
    keptBytes: keptBytes(memory, site.id),
    recentViews: recent.reduce((total, day) => total + day.views, 0),
    recentTraffic: recent.reduce((total, day) => total + day.bytes, 0),
    domains: claims.filter({ siteId: site.id }).filter(isOpen).length,
  };
}

function holdsSite({ status, routeStatus }: ClaimRow): boolean {
  return OPEN_STATUSES.includes(status) || ACTIVE_ROUTE_STATUSES.includes(routeStatus);
}
