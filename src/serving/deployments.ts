import type { ManifestFile } from "../domain/deployments/manifest.ts";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { type CompiledManifest, compileManifest } from "./compiled-manifest.ts";
import { EncodingTable } from "./file-table.ts";
import type { HostingPorts, Route } from "./ports.ts";
import { TinyLfu } from "./tiny-lfu.ts";

/** A deployment as it is served: its manifest, and which encodings of its files there are by now. */
export interface ServedDeployment {
  readonly manifest: CompiledManifest;
  readonly encodings: EncodingTable;
  /** Whether the encodings are all that will ever be, or only those of a generation. */
  readonly complete: boolean;
  readonly generation: number;
}

export interface ServedDeployments {
  /** Returns the deployment if it is in memory. */
  recall(deploymentId: number): ServedDeployment | undefined;
  /** Returns the deployment, from memory where it can be; null when it is gone. */
  load(deploymentId: number): Promise<ServedDeployment | null>;
  /** Returns the file of this path in the latest deployment of the site that was active within the last seven days. */
  findFormer(route: Route, path: string): Promise<ManifestFile | null>;
}

/** For so long the fingerprinted files of a replaced deployment stay reachable: a tab stays open over a weekend. */
const GRACE = 7 * DAY;
/** How many former deployments are looked through: somebody may deploy every minute. */
const MAX_GRACE_DEPLOYMENTS = 50;
/** What a deployment costs in memory besides its files, measured. */
const BYTES_PER_DEPLOYMENT = 2000;
const BYTES_PER_RULE = 600;

/**
 * Whatever its share of the memory, every thread keeps a thousand sites of a hundred files, or some of 50,000: to compile
 * one of those takes a tenth of a second.
 */
const MIN_MEMORY = 24 * 1024 * 1024;

/** Returns the look-up of deployments, which keeps up to `memory` bytes of them, and always the latest one. */
export function makeServedDeployments({ store, clock }: HostingPorts, memory: number): ServedDeployments {
  // A manifest takes as long to compile as it is large.
  const options = { maxShare: 1, missCost: (weight: number) => weight };
  const cache = new TinyLfu<ServedDeployment>(Math.max(memory, MIN_MEMORY), options);
  let latest: { readonly id: number; readonly served: ServedDeployment } | null = null;
  const recent = new TinyLfu<{ ids: readonly number[]; generation: number; at: number }>(10_000);

  const remembered = (deploymentId: number) =>
    latest?.id === deploymentId ? latest.served : cache.get(`${deploymentId}`);

  const isCurrent = ({ complete, generation }: ServedDeployment) => complete || generation === store.generation();

  const load = async (deploymentId: number): Promise<ServedDeployment | null> => {
    const generation = store.generation();
    const known = remembered(deploymentId);
    if (known && isCurrent(known)) return known;
    const manifest = known ? null : await store.deployments.manifest(deploymentId);
    if (!known && !manifest) return null;
    const { sizes, complete } = await store.encodings.ofDeployment(deploymentId);
    const compiled = known ? known.manifest : compileManifest(manifest!);
    const encodings = new EncodingTable(compiled.files, sizes);
    const served = { manifest: compiled, encodings, complete, generation };
    cache.set(`${deploymentId}`, served, weigh(served));
    latest = { id: deploymentId, served };
    return served;
  };

  const recentlyActive = async ({ siteId }: Route): Promise<readonly number[]> => {
    const now = clock.now();
    const generation = store.generation();
    const known = recent.get(`${siteId}`);
    if (known && known.generation === generation && now - known.at < MINUTE) return known.ids;
    const ids = (await store.deployments.recentlyActive(siteId, now - GRACE)).slice(0, MAX_GRACE_DEPLOYMENTS);
    recent.set(`${siteId}`, { ids, generation, at: now }, 1);
    return ids;
  };

  return {
    load,

    recall(deploymentId) {
      const known = remembered(deploymentId);
      return known && isCurrent(known) ? known : undefined;
    },

    async findFormer(route, path) {
      for (const id of await recentlyActive(route)) {
        const file = (await load(id))?.manifest.files.get(path);
        if (file) return file;
      }
      return null;
    },
  };
}

// --- internal ---

function weigh({ manifest, encodings }: ServedDeployment): number {
  return BYTES_PER_DEPLOYMENT + manifest.files.bytes + encodings.bytes + manifest.ruleCount * BYTES_PER_RULE;
}
