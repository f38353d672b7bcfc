import { eq, sql } from "drizzle-orm";
import type { Store } from "../../domain/ports/store.ts";
import { withDomainErrors } from "../../domain/translate-errors.ts";
import { nounStores } from "../store/nouns.ts";
import { meta } from "../store/schema.ts";
import { openVisits, withVisits } from "../visits/visits.ts";
import { connect } from "./connection.ts";
import { closeConnection } from "./dialect.ts";
import { sqliteFailure } from "./failures.ts";
import { type GenerationCell, newGenerationCell, watchGeneration } from "./generation.ts";
import { integrityProblems } from "./integrity.ts";
import { openDatabase } from "./open-database.ts";
import { routingLogReader } from "./routing-log.ts";

/**
 * Opens the store on a database file that `migrate` has upgraded. Every thread opens its own instance with the same
 * `cell`, so that a change in one is visible to the next request in any other.
 */
export function openSqliteStore(file: string, cell: GenerationCell = newGenerationCell()): Store {
  const raw = openDatabase(file);
  const connection = connect(raw, file, cell);
  return {
    ...withVisits(nounStores(connection), withDomainErrors(openVisits(raw), sqliteFailure)),
    nodes: null,
    generation: watchGeneration(raw, cell),
    affectedSites: routingLogReader(raw),

    async checkWritable() {
      // A transaction that takes the write lock and changes a page without changing a value.
      await connection.write((tx) => tx.update(meta).set({ value: sql`value` }).where(eq(meta.key, "generation")));
    },

    checkIntegrity: () => integrityProblems(raw),

    close() {
      connection.close();
      closeConnection(raw);
    },
  };
}
