import { isServed } from "../domain/deployments/clean-urls.ts";
import type { FileStore } from "../domain/ports/store/files.ts";
import { coldLoadLimit } from "./cold-loads.ts";
import { type CompiledManifest, compileManifest, type FileLookup } from "./compiled-manifest.ts";
import type { HostingPorts, Route } from "./ports.ts";
import { TinyLfu } from "./tiny-lfu.ts";

/** Deployments as they are served. Files stay in the store, and only what leads to them is kept in memory. */
export interface ServedDeployments {
  /** Returns the deployment if it is in memory. */
  recall(deploymentId: number): CompiledManifest | undefined;
  /**
   * Returns the deployment, from memory where it can be; null when it is gone. Throws `unavailable` where too many with
   * rules of this site were loaded lately.
   */
  load(route: Pick<Route, "siteId" | "deploymentId">): Promise<CompiledManifest | null>;
}

/** What a deployment costs in memory, measured. */
const BYTES_PER_DEPLOYMENT = 2000;
const BYTES_PER_RULE = 1500;

/** Whatever its share of the memory, every thread keeps some deployments with as many rules as there may be. */
const MIN_MEMORY = 8 * 1024 * 1024;

/** Returns the look-up of deployments, which keeps up to `memory` bytes of them. */
export function makeServedDeployments(
  { store, clock }: Pick<HostingPorts, "store" | "clock">,
  memory: number,
): ServedDeployments {
  const limitColdLoads = coldLoadLimit(clock);
  // Rules take as long to compile as there are many.
  const options = { maxShare: 1, missCost: (weight: number) => weight };
  const cache = new TinyLfu<CompiledManifest>(Math.max(memory, MIN_MEMORY), options);

  const recall = (deploymentId: number) => cache.get(`${deploymentId}`);

  return {
    recall,

    async load({ siteId, deploymentId }) {
      const known = recall(deploymentId);
      if (known !== undefined) return known;
      const rules = await store.deployments.rules(deploymentId);
      if (rules === null) return null;
      if (rules.redirects.length + rules.headers.length > 0) limitColdLoads(siteId);
      const compiled = compileManifest(rules, servedFiles(store.files, deploymentId));
      cache.set(`${deploymentId}`, compiled, BYTES_PER_DEPLOYMENT + compiled.ruleCount * BYTES_PER_RULE);
      return compiled;
    },
  };
}

// --- internal ---

function servedFiles(files: FileStore, deploymentId: number): FileLookup {
  return {
    get: (path) => (isServed(path) ? files.find(deploymentId, path) : null),
    has: (path) => isServed(path) && files.has(deploymentId, path),
  };
}
