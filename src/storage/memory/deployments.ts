import { hasSameFiles } from "../../domain/deployments/changes.ts";
import { type PublicationState, planPublication } from "../../domain/deployments/publication.ts";
import { timeAfter } from "../../domain/deployments/time-after.ts";
import { sitePublished } from "../../domain/events/changes.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import { deploymentActivated } from "../../domain/model/events.ts";
import { type ManifestFile, rulesOf } from "../../domain/model/manifest.ts";
import { DEFAULT_PREVIEW_LIFETIME } from "../../domain/model/preview.ts";
import { quotaInForce, UNLIMITED } from "../../domain/model/quota.ts";
import type { ContentRows } from "../../domain/ports/store/contents.ts";
import type { DeploymentStore, Publication } from "../../domain/ports/store/deployments.ts";
import type { Encoder, EncodingStore } from "../../domain/ports/store/encodings.ts";
import type { FileStore, StoredFile } from "../../domain/ports/store/files.ts";
import { ENCODED } from "../../domain/ports/store/routing.ts";
import { aliasState, writeAlias } from "./previews.ts";
import { activeOf, frozenOf, siteOf } from "./sites.ts";
import { by, type ContentRow, type DeploymentRow, type Memory, type SiteRow } from "./tables.ts";
import { usageOf } from "./users.ts";
import { noteEvents } from "./webhooks.ts";

/** Former files are searched in this many deployments. */
const MAX_FORMER_DEPLOYMENTS = 50;

export function deploymentStore(memory: Memory): DeploymentStore {
  const { sites, deployments } = memory;
  return {
    async publish(publication, standard = UNLIMITED) {
      return memory.writeRouting((affects) => {
        const plan = planPublication(stateFor(memory, publication, standard), publication);
        if ("refusal" in plan) {
          affects();
          return plan.refusal;
        }
        const before = sites.find({ name: publication.siteName });
        const site = writeSite(memory, publication, plan.site);
        affects(site.id);
        const id = plan.deployment
          ? addDeployment(memory, site, publication, plan.deployment)
          : activeOf(memory, site)!.id;
        if (plan.alias) writeAlias(memory, site.id, id, plan.alias);
        const accessChanged = before !== undefined && before.private !== plan.site.private;
        memory.announce(sitePublished(site.id, { isNew: before === undefined, accessChanged }));
        if (plan.events.length > 0) noteEvents(memory, site.id, plan.site.lastDeployedAt, () => plan.events);
        if (plan.audit) memory.audit.insert(plan.audit);
        const now = sites.find({ id: site.id })!;
        const outcome = plan.deployment ? "published" : "unchanged";
        const deployment = deploymentOf(memory, deployments.find({ id })!);
        return { outcome, site: siteOf(memory, now), deployment, alias: plan.alias };
      });
    },
    async find(siteId, number) {
      const deployment = deployments.find({ siteId, number });
      return deployment ? deploymentOf(memory, deployment) : null;
    },
    async list(siteId, { limit, before }) {
      const earlier = deployments.filter({ siteId }).filter(({ number }) => before === null || number < before);
      const newest = earlier.sort(by(({ number }) => -number)).slice(0, limit);
      return newest.map((deployment) => deploymentOf(memory, deployment));
    },
    async *all() {
      for (const { id, siteId, number } of deployments.rows) {
        yield { id, siteId, number, siteName: sites.find({ id: siteId })!.name };
      }
    },
    async activate(siteId, number, at) {
      const deployment = deployments.find({ siteId, number });
      if (!deployment) return null;
      const before = deploymentOf(memory, deployment);
      return memory.writeRouting((affects) => {
        affects(siteId);
        setActive(memory, siteId, deployment.id, at);
        if (!before.active) noteEvents(memory, siteId, at, (name) => [deploymentActivated(name, before)]);
        return deploymentOf(memory, deployments.find({ id: deployment.id })!);
      });
    },
    manifest: async (id) => deployments.find({ id })?.manifest ?? null,
    async rules(id) {
      const deployment = deployments.find({ id });
      return deployment ? rulesOf(deployment.manifest) : null;
    },
  };
}

export function fileStore({ deployments, contents }: Memory): FileStore {
  const stored = (file: ManifestFile | undefined): StoredFile | null => {
    if (!file) return null;
    const encodings = contents.find({ digest: file.digest })?.encoding?.encodings ?? null;
    return { ...file, encodings: encodings ?? {}, isEncoded: encodings !== null };
  };
  return {
    readTogether: (work) => work(),
    find: (id, path) => stored(deployments.find({ id })?.files.get(path)),
    has: (id, path) => deployments.find({ id })?.files.has(path) ?? false,
    findFormer(siteId, path, since) {
      const former = deployments
        .filter({ siteId })
        .filter(({ replacedAt }) => replacedAt !== null && replacedAt >= since);
      const latest = former.sort(by(({ replacedAt }) => -(replacedAt ?? 0))).slice(0, MAX_FORMER_DEPLOYMENTS);
      return stored(latest.find(({ files }) => files.has(path))?.files.get(path));
    },
  };
}

export function contentStore({ contents, deployments }: Memory): ContentRows {
  const isEncoding = (digest: string) =>
    contents.rows.some(({ encoding }) => {
      return Object.values(encoding?.encodings ?? {}).some((encoded) => encoded.digest === digest);
    });
  const isReferred = (digest: string) =>
    deployments.rows.some((deployment) => deployment.contents.has(digest)) || isEncoding(digest);
  return {
    async find(digests) {
      const known = contents.filter(({ digest }) => digests.includes(digest));
      return new Map(known.map(({ digest, condemnedAt }) => [digest, { condemnedAt }]));
    },
    unknown: async (digests) => digests.filter((digest) => !contents.find({ digest }) && !isEncoding(digest)),
    async *list() {
      for (const { digest, size } of contents.filter({ condemnedAt: null })) yield { digest, size };
    },
    async *condemnUnreferenced(before, at, stride) {
      const end = contents.lastId;
      for (let from = 0; from < end; from += stride) {
        const condemned = contents.update(
          ({ id, digest, publishedAt, condemnedAt }) =>
            id > from && id <= from + stride && publishedAt < before && condemnedAt === null && !isReferred(digest),
          { condemnedAt: at },
        );
        yield condemned.length;
      }
    },
    async listCondemned(before, after, limit) {
      const old = contents.filter(({ condemnedAt, digest }) => (condemnedAt ?? before) < before && digest > after);
      return old
        .map(({ digest }) => digest)
        .sort()
        .slice(0, limit);
    },
    async deleteCondemned(digests) {
      contents.remove(({ digest, condemnedAt }) => condemnedAt !== null && digests.includes(digest));
    },
  };
}

export function encodingStore(memory: Memory): EncodingStore {
  const { contents, sites } = memory;
  const pending = ({ holder, now }: Encoder, longest: number, siteIds: readonly number[] | null = null) => {
    const meant = sites.filter(({ id }) => siteIds === null || siteIds.includes(id));
    const active = meant.map((site) => activeOf(memory, site));
    const mayClaim = ({ encoding }: ContentRow) => {
      if (encoding === null || encoding.encodings !== null) return encoding === null;
      return encoding.holder === holder || encoding.endsAt <= now || encoding.endsAt >= now + 2 * longest;
    };
    return contents
      .filter((row) => mayClaim(row) && active.some((deployment) => deployment?.contents.has(row.digest)))
      .sort(by(({ id }) => -id));
  };
  return {
    isPending: async (encoder, siteIds) => pending(encoder, Number.POSITIVE_INFINITY, siteIds).length > 0,
    async claim({ holder, now, until }, limit) {
      const rows = pending({ holder, now }, until - now).slice(0, limit);
      return rows.map(({ digest, size, encoding }) => {
        const epoch = (encoding?.epoch ?? 0) + 1;
        contents.update({ digest }, { encoding: { epoch, holder, endsAt: until, encodings: null } });
        return { digest, size, epoch };
      });
    },
    async record(outcomes, now) {
      return memory.writeRouting((affects) => {
        affects(ENCODED);
        const recorded = outcomes.filter(({ digest, epoch, encodings }) => {
          const claim = contents.find({ digest })?.encoding;
          if (claim?.epoch !== epoch || claim.endsAt <= now || claim.encodings !== null) return false;
          contents.update({ digest }, { encoding: { ...claim, encodings } });
          for (const encoded of Object.values(encodings)) {
            contents.update({ digest: encoded.digest }, { condemnedAt: null });
          }
          return true;
        });
        return recorded.length;
      });
    },
  };
}

// --- internal ---

function deploymentOf({ sites }: Memory, deployment: DeploymentRow): Deployment {
  const { replacedAt: _, pinned: __, manifest: ___, files: ____, contents: _____, ...facts } = deployment;
  return { ...facts, active: sites.find({ activeDeploymentId: facts.id }) !== undefined };
}

function stateFor(memory: Memory, publication: Publication, standard: typeof UNLIMITED): PublicationState {
  const { users, sites, contents, retiredNames } = memory;
  const owner = users.find({ id: publication.ownerId }) ?? null;
  const row = sites.find({ name: publication.siteName });
  const active = (row && activeOf(memory, row)) ?? null;
  const isUnchanged =
    publication.onlyIfChanged === true &&
    active !== null &&
    hasSameFiles(active.manifest.files, publication.manifest.files);
  const isAvailable = (digest: string) => contents.find({ digest, condemnedAt: null }) !== undefined;
  return {
    owner,
    credentialRevoked: isRevoked(memory, publication),
    site: row ? { ...row, frozen: frozenOf(memory, row), active } : null,
    retired: retiredNames.find({ name: publication.siteName }) ?? null,
    room: owner && { quota: quotaInForce(standard, owner.quota), usage: usageOf(memory, owner.id) },
    isUnchanged,
    contentGone: !isUnchanged && !publication.reused.every(isAvailable),
    previewLifetime: row?.previews.lifetime ?? DEFAULT_PREVIEW_LIFETIME,
    aliases: aliasState(memory, row?.id ?? 0, publication.alias ?? ""),
  };
}

function isRevoked({ sessions, tokens }: Memory, { credential }: Publication): boolean {
  if (credential.kind === "session") return !sessions.find({ id: credential.sessionId });
  return !tokens.find({ id: credential.tokenId });
}

function writeSite(
  { sites, retiredNames }: Memory,
  { siteName: name, ownerId }: Publication,
  planned: Pick<SiteRow, "private" | "lastNumber" | "lastDeployedAt">,
): SiteRow {
  const [changed] = sites.update({ name }, planned);
  if (changed) return changed;
  retiredNames.remove({ name });
  const previews = { access: "site", lifetime: DEFAULT_PREVIEW_LIFETIME } as const;
  const fresh = { activeDeploymentId: null, totalViews: 0, frozen: null, policy: null, previews, tags: [] };
  return sites.insert({ ...fresh, ...planned, name, ownerId, createdAt: planned.lastDeployedAt });
}

function addDeployment(
  memory: Memory,
  { id: siteId }: SiteRow,
  { manifest, reused }: Publication,
  { active, ...planned }: Omit<Deployment, "id" | "siteId">,
): number {
  const digests = new Map(manifest.files.map(({ digest, size }) => [digest, size]));
  for (const digest of reused) digests.delete(digest);
  for (const [digest, size] of digests) keepContent(memory, digest, size, planned.createdAt);
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const contents = new Set([...reused, ...digests.keys()]);
  const row = { ...planned, siteId, replacedAt: null, pinned: false, manifest, files, contents };
  const { id } = memory.deployments.insert(row);
  if (active) setActive(memory, siteId, id, planned.activatedAt ?? planned.createdAt);
  return id;
}

function keepContent({ contents }: Memory, digest: string, size: number, publishedAt: number): void {
  const known = contents.update({ digest }, { publishedAt, condemnedAt: null });
  if (known.length === 0) contents.insert({ digest, size, publishedAt, condemnedAt: null, encoding: null });
}

function setActive(memory: Memory, siteId: number, id: number, wantedAt: number): void {
  const { sites, deployments } = memory;
  const former = activeOf(memory, sites.find({ id: siteId })!);
  const at = timeAfter(former?.activatedAt ?? null, wantedAt);
  if (former) deployments.update({ id: former.id }, { replacedAt: at });
  sites.update({ id: siteId }, { activeDeploymentId: id });
  deployments.update({ id }, { activatedAt: at, replacedAt: null, expiresAt: null });
}
