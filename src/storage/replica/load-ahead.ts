import type { PostgresConnection } from "../postgres/connection.ts";
import { loadFiles } from "./follow.ts";
import type { Replica } from "./replica.ts";

/** Loads the files of deployments before visitors ask for them, so that no visit of a public site needs the database. */
export interface LoadAhead {
  /** States that the replica may lack files. It may when the node starts. */
  request(): void;

  /** Loads what is missing, if that was requested. After an error, the next call continues. */
  run(): Promise<void>;
}

/** Each deployment is added in a transaction of its own, so that changes are applied meanwhile. */
export function newLoadAhead(connection: PostgresConnection, replica: Replica): LoadAhead {
  let isRequested = true;
  let running: Promise<void> | null = null;
  const load = async (): Promise<void> => {
    isRequested = false;
    try {
      await loadMissing(connection, replica);
    } catch (error) {
      isRequested = true;
      throw error;
    } finally {
      running = null;
    }
  };
  return {
    request() {
      isRequested = true;
    },

    async run() {
      if (isRequested) running ??= load();
      await running;
    },
  };
}

// --- internal ---

async function loadMissing(connection: PostgresConnection, replica: Replica): Promise<void> {
  // One that was deleted remains in the replica until it has applied that.
  const attempted = new Set<number>();
  for (;;) {
    const missing = replica.lackingFiles().filter((id) => !attempted.has(id));
    if (missing.length === 0) return;
    for (const id of missing) {
      attempted.add(id);
      await loadFiles(connection, replica, id, Number.POSITIVE_INFINITY);
    }
  }
}
