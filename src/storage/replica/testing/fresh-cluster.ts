import { join } from "node:path";
import type { DatabaseUrl } from "../../../domain/database-url.ts";
import type { Store } from "../../../domain/ports/store.ts";
import { needing } from "../../../testing/needing.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { connect, type PostgresConnection } from "../../postgres/connection.ts";
import { type EmptyDatabase, makeEmptyDatabase } from "../../postgres/testing/make-database.ts";
import { newGenerationCell, raiseGeneration } from "../../sqlite/generation.ts";
import { leaseIn, type NodeLease, newLeaseCell } from "../lease.ts";
import { joinCluster, type Membership, type MembershipOptions } from "../node.ts";
import { prepareReplica } from "../prepare.ts";
import { openReplica } from "../replica.ts";
import { openClusterStore } from "../store.ts";

const { afterAll, beforeAll, beforeEach } = needing("postgres");

/** A node with its store. */
export interface TestNode {
  readonly store: Store;
  readonly membership: Membership;
  readonly lease: NodeLease;
  /** The database of its replica. */
  readonly file: string;
  stop(): Promise<void>;
}

export interface NodeOptions extends MembershipOptions {
  /** The database of the replica of an earlier start. */
  readonly file?: string;
  /** The database by way of a network that fails. */
  readonly url?: DatabaseUrl;
}

export interface FreshCluster {
  /** Of the node that is there in each test, as two of its threads have it open. */
  readonly store: Store;
  readonly other: Store;
  readonly connection: PostgresConnection;
  readonly url: DatabaseUrl;
  /** Starts another node. */
  startNode(name: string, options?: NodeOptions): Promise<TestNode>;
}

/** Gives each test of a file an empty cluster of one node. */
export function freshCluster(): FreshCluster {
  const folder = temporaryFolder();
  const opened: Partial<{ database: EmptyDatabase; node: TestNode; other: Store; connection: PostgresConnection }> = {};
  beforeAll(async () => {
    const database = await makeEmptyDatabase();
    const connection = connect(database.url, { max: 1 });
    const node = await startNode(database.url, folder, "one");
    Object.assign(opened, { database, connection, node, other: node.openAgain() });
  });
  beforeEach(async () => {
    await opened.database?.empty();
    await opened.node?.membership.catchUp();
  });
  afterAll(async () => {
    opened.other?.close();
    await opened.node?.stop();
    opened.connection?.close();
    await opened.database?.close();
  });
  return {
    get store() {
      return opened.node!.store;
    },
    get other() {
      return opened.other!;
    },
    get connection() {
      return opened.connection!;
    },
    get url() {
      return opened.database!.url;
    },
    startNode: (name, options) => startNode(options?.url ?? opened.database!.url, folder, name, options),
  };
}

// --- internal ---

async function startNode(url: DatabaseUrl, folder: string, name: string, options: NodeOptions = {}) {
  const { file = join(folder, `${crypto.randomUUID()}.db`) } = options;
  await prepareReplica(file);
  const cell = newGenerationCell();
  const connection = connect(url, { max: 1 });
  const replica = openReplica(file, (generation) => raiseGeneration(cell, generation));
  const node = { id: crypto.randomUUID(), name, address: "127.0.0.1", version: "0.0.0" };
  const lease = leaseIn(newLeaseCell(), options.now ?? (() => performance.now()));
  const membership = await joinCluster(connection, replica, node, { lease, ...options });
  const open = () => openClusterStore(url, { replica: file, cell, max: 3 });
  const store = open();
  return {
    store,
    membership,
    lease,
    file,
    openAgain: open,
    async stop() {
      store.close();
      await membership.leave();
      connection.close();
      replica.close();
    },
  };
}
