import { DomainError } from "../../domain/errors.ts";
import { type LogPlace, readEnd } from "../postgres/change-log.ts";
import type { PostgresConnection } from "../postgres/connection.ts";
import type { FilesOf, Replica } from "./replica.ts";
import {
  type ChangeBatch,
  type RoutingState,
  readChanges,
  readContents,
  readDeployment,
  readSites,
} from "./routing-state.ts";
import type { NewDeployment } from "./tables.ts";

/** Applies PostgreSQL's log of changes to a replica. */
export interface Follower {
  /** The place in the log up to which everything is applied; null if the replica was never filled. */
  place(): LogPlace | null;

  /** Applies all changes that were committed before the call. Throws ReplicaFailure if the replica cannot be written. */
  catchUp(): Promise<void>;

  /** Lets the next `catchUp` call `onApplied` in any case. */
  announceAgain(): void;
}

/** Deployments with more files are loaded soon after, or at their first visit, because a publication waits for all nodes. */
const MAX_FILES_AT_ONCE = 5000;

/** Files that are read together with changes, however many deployments are new. */
const MAX_FILES_OF_ALL = 4 * MAX_FILES_AT_ONCE;

const SITES_AT_ONCE = 5000;

interface FollowOptions {
  readonly maxFilesAtOnce?: number | undefined;
  /** Called after the replica got deployments without their files. */
  readonly onLackingFiles?: () => void;
}

/**
 * Continues from the replica's place in the log. If the log does not reach back that far, `catchUp` fills the replica
 * again. `onApplied` is called with the place after changes were applied, and again with the next `catchUp` until it
 * returns true.
 */
export function newFollower(
  connection: PostgresConnection,
  replica: Replica,
  onApplied: (place: LogPlace) => Promise<boolean>,
  { maxFilesAtOnce = MAX_FILES_AT_ONCE, onLackingFiles = () => {} }: FollowOptions = {},
): Follower {
  let place = replica.place();
  let announced: LogPlace | null = null;
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;

  const step = async (): Promise<void> => {
    const from = place;
    const read = from === null ? "everything" : await readBatch(connection, replica, from, maxFilesAtOnce);
    if (read === "everything") {
      place = await refill(connection, replica);
      onLackingFiles();
    } else if (read !== "nothing") {
      await replica.apply(read.batch, read.files);
      if (read.isLackingFiles) onLackingFiles();
      place = read.batch.upTo;
    }
    // Repeats an announcement that failed.
    if (place === null || announced === place) return;
    const applied = place;
    if (await onApplied(applied)) announced = applied;
  };
  const run = async (): Promise<void> => {
    try {
      do {
        isRequestedAgain = false;
        await step();
      } while (isRequestedAgain);
    } finally {
      // With the last look at the flag: a later call would get a run that reads nothing any more.
      running = null;
    }
  };

  return {
    place: () => place,
    catchUp() {
      isRequestedAgain = true;
      running ??= run();
      return running;
    },
    announceAgain() {
      announced = null;
    },
  };
}

const MAX_FORMER_DEPLOYMENTS = 50;

/**
 * Loads the files of a deployment before its first visit, with those of its site's deployments that were replaced since
 * `formerSince`. If only these are missing, the database need not be reachable. Throws `unavailable` if changes are too frequent meanwhile.
 */
export async function loadFiles(
  connection: PostgresConnection,
  replica: Replica,
  id: number,
  formerSince: number,
): Promise<void> {
  const isLoaded = replica.hasFiles(id);
  try {
    for (const former of replica.formerOf(id, formerSince, MAX_FORMER_DEPLOYMENTS)) {
      await loadOne(connection, replica, former);
    }
  } catch (error) {
    if (!isLoaded) throw error;
  }
  await loadOne(connection, replica, id);
}

// --- internal ---

/** How often something is read again that has changed meanwhile. */
const MAX_ATTEMPTS = 10;

interface BatchWithFiles {
  readonly batch: ChangeBatch;
  readonly files: readonly FilesOf[];
  readonly isLackingFiles: boolean;
}

/**
 * Reads the changes after a place, with the files of the deployments that they add. So a change whose files cannot be
 * read yet is not applied either.
 */
async function readBatch(
  connection: PostgresConnection,
  replica: Replica,
  from: LogPlace,
  maxFilesAtOnce: number,
): Promise<BatchWithFiles | "nothing" | "everything"> {
  const known = new Map<number, FilesOf>();
  for (let attempts = 1; ; attempts++) {
    const batch = await connection.read((db) => readChanges(db, from));
    if (batch === "nothing" || batch === "everything") return batch;
    const added = replica.newDeployments(batch);
    const small = smallOnes(added, maxFilesAtOnce);
    const missing = small.filter((id) => !known.has(id));
    for (const files of await readFiles(connection, missing)) known.set(files.id, files);
    const files = small.flatMap((id) => known.get(id) ?? []);
    // The others were deleted meanwhile. Without files, a visit of them would need the database.
    const isWhole = files.length === small.length;
    if (isWhole || attempts === MAX_ATTEMPTS) return { batch, files, isLackingFiles: files.length < added.length };
  }
}

async function loadOne({ read }: PostgresConnection, replica: Replica, id: number): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS && !replica.hasFiles(id); attempts++) {
    const parts = await read((db) => readDeployment(db, id));
    if (parts === null || (await replica.addFiles(id, parts))) return;
  }
  // Without its files, the deployment would seem to be empty.
  if (!replica.hasFiles(id)) {
    throw new DomainError("unavailable", "the deployment is being loaded: try again in a moment", { retryAfter: 1 });
  }
}

/** Returns the ids of the deployments whose files are read with the changes that add them. */
function smallOnes(added: readonly NewDeployment[], maxFilesAtOnce: number): readonly number[] {
  let total = 0;
  const small = added.filter(({ fileCount }) => {
    if (fileCount > maxFilesAtOnce || total + fileCount > MAX_FILES_OF_ALL) return false;
    total += fileCount;
    return true;
  });
  return small.map(({ id }) => id);
}

async function readFiles({ read }: PostgresConnection, ids: readonly number[]): Promise<FilesOf[]> {
  const files: FilesOf[] = [];
  for (const id of ids) {
    const parts = await read((db) => readDeployment(db, id));
    if (parts !== null) files.push({ id, parts });
  }
  return files;
}

async function refill(connection: PostgresConnection, replica: Replica): Promise<LogPlace> {
  return connection.snapshot(async (db, extend) => {
    const end = await readEnd(db);
    const pages = allSites((after) => {
      extend();
      return readSites(db, after, SITES_AT_ONCE);
    });
    await replica.refill(end, pages, (contentIds) => {
      extend();
      return readContents(db, contentIds);
    });
    return end;
  });
}

async function* allSites(
  read: (after: number) => Promise<{ readonly last: number; readonly state: RoutingState } | null>,
): AsyncGenerator<RoutingState> {
  for (let page = await read(0); page !== null; page = await read(page.last)) yield page.state;
}
