import type { Database } from "bun:sqlite";
import type { LogPlace } from "../postgres/change-log.ts";
import { openDatabase } from "../sqlite/open-database.ts";
import { routingLogWriter } from "../sqlite/routing-log.ts";
import { writeAtOnce } from "../sqlite/write-at-once.ts";
import { changingReplica } from "./failure.ts";
import type { ChangeBatch, ContentsState, DeploymentParts, RoutingState } from "./routing-state.ts";
import { type NewDeployment, newTables, type Tables } from "./tables.ts";

/** The files of a deployment. */
export interface FilesOf {
  readonly id: number;
  readonly parts: DeploymentParts;
}

/**
 * The part of a cluster's metadata that visits need, in a SQLite database on the node, which `openSqliteStore` reads.
 * About users it contains only whether they are frozen. The files of a deployment are loaded before its first visit.
 * Changes throw ReplicaFailure if the file cannot be written, except `addFiles`.
 */
export interface Replica {
  /** Returns the place in the log up to which all changes are applied; null before the first `refill`. */
  place(): LogPlace | null;

  /** Returns when the replica was last known to have all changes, by the node's clock; null before the first time. */
  lastContact(): number | null;

  /** Records the time for `lastContact`. Does nothing while everything is replaced. */
  recordContact(at: number): Promise<void>;

  /** Returns the deployments that changes would add. */
  newDeployments(batch: ChangeBatch): readonly NewDeployment[];

  /**
   * Applies changes in one transaction, with files of deployments that they add; afterwards every thread sees them in
   * its `generation`.
   */
  apply(batch: ChangeBatch, files: readonly FilesOf[]): Promise<void>;

  /**
   * Replaces everything with the pages, which are the state at `place` in the log, and with what `contents` returns for
   * the contents of files. Readers see the former state until all is written. Files stay with their deployments, because
   * threads cache deployments. The connection must have no other writer.
   */
  refill(
    place: LogPlace,
    pages: AsyncIterable<RoutingState>,
    contents: (ids: readonly number[]) => Promise<ContentsState>,
  ): Promise<void>;

  hasFiles(deploymentId: number): boolean;

  /** Returns deployments without files, those that visitors see first; an empty list if there are none. */
  lackingFiles(): readonly number[];

  /** Returns the deployments of the same site that were replaced at or after `since`, the latest first, at most `limit`. */
  formerOf(deploymentId: number, since: number, limit: number): readonly number[];

  /**
   * Adds the files of a deployment for a visit. Returns false, and adds nothing, if changes were applied since the files
   * were read, or the deployment was deleted. Throws `unavailable` while everything is replaced, and `disk_full`: then
   * only visits of this deployment cannot be answered.
   */
  addFiles(deploymentId: number, parts: DeploymentParts): Promise<boolean>;

  close(): void;
}

/** Opens the replica, which `prepareReplica` has made, for one thread. */
export function openReplica(file: string, onRoutingChange: (generation: number) => void): Replica {
  const raw = openDatabase(file);
  raw.run("PRAGMA foreign_keys = OFF");
  const state = stateStatements(raw);
  const tables = newTables(raw);
  const log = changeLogger(raw);
  const { hasFiles, lackingFiles, formerOf } = deploymentStatements(raw);
  const addMissing = (id: number, parts: DeploymentParts): void => {
    if (tables.hasDeployment(id) && !hasFiles(id)) tables.addFiles(id, parts);
  };
  const change = <T>(work: () => T): Promise<T> => changingReplica(() => writeAtOnce(raw, work));

  return {
    place: state.place,
    lastContact: state.lastContact,

    async recordContact(at) {
      if (!raw.inTransaction) await change(() => state.setContact(at));
    },

    newDeployments: (batch) => tables.newDeployments(batch.state),

    async apply({ upTo, changes, siteIds, state: rows, ...details }, files) {
      const generation = await change(() => {
        tables.replace(siteIds, rows);
        for (const { id, parts } of files) addMissing(id, parts);
        tables.addDetails(details);
        state.setPlace(upTo);
        return log(changes);
      });
      onRoutingChange(generation);
    },

    async refill(upTo, pages, contents) {
      const generation = await inLongTransaction(raw, async () => {
        await replaceAll(tables, pages, contents);
        state.setPlace(upTo);
        return log([null]);
      });
      onRoutingChange(generation);
    },

    hasFiles,
    lackingFiles,
    formerOf,

    async addFiles(deploymentId, parts) {
      return writeAtOnce(raw, () => {
        if ((state.place()?.seq ?? 0) > parts.place || !tables.hasDeployment(deploymentId)) return false;
        addMissing(deploymentId, parts);
        return true;
      });
    },

    close: () => raw.close(false),
  };
}

// --- internal ---

/**
 * Runs a change that waits for other things in between. Other threads read the former state meanwhile.
 */
async function inLongTransaction<T>(raw: Database, change: () => Promise<T>): Promise<T> {
  try {
    await changingReplica(() => raw.run("BEGIN IMMEDIATE"));
    const result = await change();
    await changingReplica(() => raw.run("COMMIT"));
    return result;
  } finally {
    if (raw.inTransaction) raw.run("ROLLBACK");
  }
}

async function replaceAll(
  tables: Tables,
  pages: AsyncIterable<RoutingState>,
  contents: (ids: readonly number[]) => Promise<ContentsState>,
): Promise<void> {
  await changingReplica(tables.empty);
  for await (const page of pages) await changingReplica(() => tables.add(page));
  await changingReplica(tables.dropOtherFiles);
  for (const ids of tables.contentIds()) {
    const read = await contents(ids);
    await changingReplica(() => tables.addContents(read));
  }
}

/** The statements for the row that says how far the replica is. */
function stateStatements(raw: Database) {
  const place = raw.prepare<{ cluster: string | null; seq: number; token: string | null }, []>(
    "SELECT cluster, seq, token FROM replica",
  );
  const setPlace = raw.prepare<void, [string, number, string | null]>(
    "UPDATE replica SET cluster = ?, seq = ?, token = ?",
  );
  const contact = raw.prepare<{ contact_at: number | null }, []>("SELECT contact_at FROM replica");
  const setContact = raw.prepare<void, [number]>("UPDATE replica SET contact_at = ?");
  return {
    place(): LogPlace | null {
      const row = place.get();
      return row && row.cluster !== null ? { ...row, cluster: row.cluster } : null;
    },
    setPlace: ({ cluster, seq, token }: LogPlace) => void setPlace.run(cluster, seq, token),
    lastContact: () => contact.get()?.contact_at ?? null,
    setContact: (at: number) => void setContact.run(at),
  };
}

/** Finding the deployments without files reads all rows. */
const LACKING_AT_ONCE = 1000;

function deploymentStatements(raw: Database) {
  const lacking = raw.prepare<{ id: number }, []>(`
    SELECT id FROM deployments WHERE NOT EXISTS (SELECT 1 FROM manifests WHERE deployment_id = id)
    ORDER BY id IN (SELECT active_deployment_id FROM sites) DESC, id LIMIT ${LACKING_AT_ONCE}`);
  const files = raw.prepare<unknown, [number]>("SELECT 1 FROM manifests WHERE deployment_id = ?");
  const former = raw.prepare<{ id: number }, [number, number, number]>(`
    SELECT id FROM deployments WHERE site_id = (SELECT site_id FROM deployments WHERE id = ?) AND replaced_at >= ?
    ORDER BY replaced_at DESC LIMIT ?`);
  return {
    hasFiles: (id: number) => files.get(id) !== null,
    lackingFiles: () => lacking.all().map(({ id }) => id),
    formerOf: (id: number, since: number, limit: number) => former.all(id, since, limit).map((row) => row.id),
  };
}

/** Returns a function that logs changes in the replica, each with a new generation, and returns the last generation. */
function changeLogger(raw: Database) {
  const put = routingLogWriter(raw);
  const bump = raw.prepare<{ value: number }, []>(
    "UPDATE meta SET value = value + 1 WHERE key = 'generation' RETURNING value",
  );
  return (changes: readonly (readonly number[] | null)[]): number => {
    let generation = 0;
    for (const siteIds of changes) {
      generation = bump.get()?.value ?? 0;
      put(generation, siteIds && new Set(siteIds));
    }
    return generation;
  };
}
