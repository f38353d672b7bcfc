import type { DatabaseUrl } from "../../domain/database-url.ts";
import type { Store } from "../../domain/ports/store.ts";
import { type Observe, timed } from "../meters/operation-meters.ts";
import { newBarrier } from "../postgres/barrier.ts";
import { type ConnectionOptions, connect } from "../postgres/connection.ts";
import { nodeStore } from "../postgres/nodes.ts";
import { postgresStore } from "../postgres/store.ts";
import { type GenerationCell, raiseGeneration } from "../sqlite/generation.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import { loadFiles } from "./follow.ts";
import { openReplica } from "./replica.ts";

interface ClusterStoreOptions extends MetadataOptions {
  /** The file of the node's replica, which `joinCluster` keeps up to date. */
  readonly replica: string;
  readonly cell: GenerationCell;
}

interface MetadataOptions extends ConnectionOptions {
  /** Called with the time that a change waited until all nodes had applied it, or that was unknown. */
  readonly observeBarrier?: Observe;
}

/**
 * Opens the store of a cluster for one thread: PostgreSQL's store, with the reads of visits from the node's replica.
 * Routing changes return after all nodes have applied them.
 */
export function openClusterStore(url: DatabaseUrl, { replica: file, cell, ...options }: ClusterStoreOptions): Store {
  const { connection, metadata, close } = openMetadata(url, options);
  const replica = openReplica(file, (generation) => raiseGeneration(cell, generation));
  const routing = openSqliteStore(file, cell);
  return {
    ...metadata,
    deployments: {
      ...metadata.deployments,
      find: routing.deployments.find,
      async rules(deploymentId: number) {
        await loadFiles(connection, replica, deploymentId);
        return routing.deployments.rules(deploymentId);
      },
    },
    sites: { ...metadata.sites, findRoute: routing.sites.findRoute },
    previews: { ...metadata.previews, findRoute: routing.previews.findRoute, hasExpired: routing.previews.hasExpired },
    claims: {
      ...metadata.claims,
      findRouted: routing.claims.findRouted,
      canonicalHostname: routing.claims.canonicalHostname,
    },
    acme: { ...metadata.acme, challengeValues: routing.acme.challengeValues },
    files: routing.files,
    generation: routing.generation,
    affectedSites: routing.affectedSites,

    close() {
      close();
      replica.close();
      routing.close();
    },
  };
}

/**
 * Opens the store for a command, which answers no visits: the methods for them throw. Routing changes return after all
 * nodes have applied them.
 */
export function openStoreWithoutReplica(url: DatabaseUrl, options: MetadataOptions = {}): Store {
  const { metadata, close } = openMetadata(url, { max: 2, ...options });
  const { claims, acme } = metadata;
  return {
    ...metadata,
    claims: { ...claims, findRouted: absent, canonicalHostname: absent },
    acme: { ...acme, challengeValues: absent },
    files: { find: absent, has: absent, findFormer: absent, readTogether: absent },
    generation: absent,
    affectedSites: absent,
    close,
  };
}

// --- internal ---

/** PostgreSQL's store, whose routing changes wait for all nodes. */
function openMetadata(url: DatabaseUrl, { observeBarrier = () => {}, ...options }: MetadataOptions) {
  const afterRoutingChange = (rowId: number) => timed(() => barrier.pass(rowId), observeBarrier);
  const connection = connect(url, { ...options, afterRoutingChange });
  const barrier = newBarrier(connection, nodeStore(connection));
  const metadata = postgresStore(connection);
  const close = () => {
    barrier.close();
    metadata.close();
  };
  return { connection, metadata, close };
}

function absent(): never {
  throw new Error("only a node has the replica that this needs");
}
