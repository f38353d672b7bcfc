import type { Database } from "bun:sqlite";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import type { DeploymentStore } from "../../domain/ports/store/deployments.ts";
import type { Store } from "../../domain/ports/store.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { type Observe, timed } from "../meters/operation-meters.ts";
import { newBarrier } from "../postgres/barrier.ts";
import { type ConnectionOptions, connect } from "../postgres/connection.ts";
import { nodeStore } from "../postgres/nodes.ts";
import { postgresStore } from "../postgres/store.ts";
import { closeConnection, drizzleOnSqlite } from "../sqlite/dialect.ts";
import { sqliteFailure } from "../sqlite/failures.ts";
import { type GenerationCell, raiseGeneration, watchGeneration } from "../sqlite/generation.ts";
import { openDatabase } from "../sqlite/open-database.ts";
import { routingLogReader } from "../sqlite/routing-log.ts";
import { findDeployment } from "../store/deployment-rows.ts";
import { readRules } from "../store/manifests.ts";
import { openVisits, type Visits, withVisits } from "../visits/visits.ts";
import { loadFiles } from "./follow.ts";
import { placesInReplica } from "./places.ts";
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
  const raw = openDatabase(file);
  const { find, rules } = deploymentReader(raw);
  const visible = withVisits(metadata, withDomainErrors(openVisits(raw), sqliteFailure));
  return {
    ...visible,
    deployments: {
      ...metadata.deployments,
      find,
      async rules(deploymentId: number, formerSince = Number.POSITIVE_INFINITY) {
        await loadFiles(connection, replica, deploymentId, formerSince);
        return rules(deploymentId);
      },
    },
    contentPlaces: withDomainErrors(placesInReplica(raw, metadata.contentPlaces), sqliteFailure),
    generation: watchGeneration(raw, cell),
    affectedSites: routingLogReader(raw),

    close() {
      close();
      replica.close();
      closeConnection(raw);
    },
  };
}

/**
 * Opens the store for a command, which answers no visits: the methods for them throw. Routing changes return after all
 * nodes have applied them.
 */
export function openStoreWithoutReplica(url: DatabaseUrl): Store {
  const { metadata, close } = openMetadata(url, { max: 2 });
  return {
    ...withVisits(metadata, NO_VISITS),
    generation: absent,
    affectedSites: absent,
    close,
  };
}

// --- internal ---

const NO_VISITS: Visits = {
  sites: { findRoute: absent, findRenamed: absent },
  claims: { findRouted: absent, canonicalHostname: absent },
  previews: { findRoute: absent, hasExpired: absent },
  acme: { challengeValues: absent },
  files: { find: absent, has: absent, findFormer: absent, readTogether: absent },
};

/** Reads deployments from the replica. */
function deploymentReader(raw: Database): Pick<DeploymentStore, "find" | "rules"> {
  const db = drizzleOnSqlite(raw);
  const reader = {
    find: (siteId: number, number: number) => findDeployment(db, siteId, number),
    rules: (deploymentId: number) => readRules(db, deploymentId),
  };
  return withDomainErrors(reader, sqliteFailure);
}

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
