import { DAY } from "../../domain/timestamp.ts";
import type { Connection } from "../postgres/connection.ts";
import type { Replica } from "./replica.ts";
import {
  type ChangeBatch,
  type RoutingState,
  readChanges,
  readDeployment,
  readHead,
  readSites,
} from "./routing-state.ts";

/** Applies PostgreSQL's log of changes to a replica. */
export interface Follower {
  /** The place in the log up to which everything is applied. */
  place(): number;

  /** Applies all changes that were committed before the call. */
  catchUp(): Promise<void>;
}

/** Deployments with more files are loaded at their first visit, because a publication waits for all nodes. */
const MAX_FILES_AT_ONCE = 5000;

const SITES_AT_ONCE = 5000;

/** The first `catchUp` fills the replica. `onApplied` is called with the place after changes were applied. */
export function newFollower(
  connection: Connection,
  replica: Replica,
  onApplied: (place: number) => Promise<void>,
  maxFilesAtOnce = MAX_FILES_AT_ONCE,
): Follower {
  let place = -1;
  let announced = -1;
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;

  const refill = () =>
    connection.snapshot(async (db) => {
      const head = await readHead(db);
      await replica.refill(
        head,
        allSites((after) => readSites(db, after, SITES_AT_ONCE)),
      );
      return head;
    });
  const step = async (): Promise<void> => {
    const read = place < 0 ? "everything" : await connection.read((db) => readChanges(db, place));
    if (read === "everything") {
      place = await refill();
    } else if (read !== "nothing") {
      await replica.apply(read);
      place = read.upTo;
      for (const id of smallDeployments(read, maxFilesAtOnce)) await loadOne(connection, replica, id);
    }
    // Repeats an announcement that failed.
    if (announced === place) return;
    await onApplied(place);
    announced = place;
  };
  const run = async (): Promise<void> => {
    do {
      isRequestedAgain = false;
      await step();
    } while (isRequestedAgain);
  };

  return {
    place: () => place,
    catchUp() {
      isRequestedAgain = true;
      running ??= run().finally(() => {
        running = null;
      });
      return running;
    },
  };
}

/** Files of a former deployment are served for this long to pages that were loaded before; see `FileStore.findFormer`. */
const FORMER_FOR = 7 * DAY;
const MAX_FORMER_DEPLOYMENTS = 50;

/** Loads the files of a deployment before its first visit, with those of its site's former deployments. */
export async function loadFiles(connection: Connection, replica: Replica, id: number): Promise<void> {
  if (replica.hasFiles(id)) return;
  for (const former of replica.formerOf(id, Date.now() - FORMER_FOR, MAX_FORMER_DEPLOYMENTS)) {
    await loadOne(connection, replica, former);
  }
  await loadOne(connection, replica, id);
}

// --- internal ---

/** If changes are applied while the files are read, the files are read again. */
const MAX_ATTEMPTS = 10;

async function loadOne({ read }: Connection, replica: Replica, id: number): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS && !replica.hasFiles(id); attempts++) {
    const parts = await read((db) => readDeployment(db, id));
    if (parts === null || (await replica.addFiles(id, parts))) return;
  }
}

async function* allSites(
  read: (after: number) => Promise<{ readonly last: number; readonly state: RoutingState } | null>,
): AsyncGenerator<RoutingState> {
  for (let page = await read(0); page !== null; page = await read(page.last)) yield page.state;
}

/** Returns the deployments of a batch that are small enough to load at once; most of them are loaded already. */
function smallDeployments({ state }: ChangeBatch, maxFiles: number): readonly number[] {
  const rows = JSON.parse(state.deployments) as { readonly id: number; readonly file_count: number }[];
  return rows.filter((row) => row.file_count <= maxFiles).map(({ id }) => id);
}
