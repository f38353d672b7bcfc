import { sharedRun } from "../../domain/shared-run.ts";
import type { PostgresConnection } from "../postgres/connection.ts";
import { loadFiles } from "./follow.ts";
import type { Replica } from "./replica.ts";

/** Loads the files of deployments before visitors ask for them, so that no visit of a public site needs the database. */
export interface LoadAhead {
  /** States that the replica may lack files. It may when the node starts. */
  request(): void;

  /**
   * Loads what is missing, if that was requested. After an error, the next call continues with the next deployment, so
   * that one that cannot be loaded does not keep the others from being loaded.
   */
  run(): Promise<void>;
}

/** Each deployment is added in a transaction of its own, so that changes are applied meanwhile. */
export function newLoadAhead(connection: PostgresConnection, replica: Replica): LoadAhead {
  let isRequested = true;
  const attempted = new Set<number>();
  const notAttempted = () => replica.lackingFiles().filter((id) => !attempted.has(id));
  const load = sharedRun(async (): Promise<void> => {
    for (let missing = notAttempted(); missing.length > 0; missing = notAttempted()) {
      for (const id of missing) {
        attempted.add(id);
        await loadFiles(connection, replica, id, Number.POSITIVE_INFINITY);
      }
    }
    // What failed, and deployments whose deletion the replica has not applied yet.
    isRequested = replica.lackingFiles().length > 0;
    attempted.clear();
  });
  return {
    request() {
      isRequested = true;
    },

    async run() {
      if (isRequested) await load();
    },
  };
}
