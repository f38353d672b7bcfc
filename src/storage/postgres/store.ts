import { eq, sql } from "drizzle-orm";
import type { NodeDirectory } from "../../domain/ports/store/nodes.ts";
import { brokenRules } from "../store/integrity.ts";
import { nounStores } from "../store/nouns.ts";
import { meta } from "../store/schema.ts";
import type { PostgresConnection } from "./connection.ts";
import { nodeStore } from "./nodes.ts";
import { rateExchange } from "./rate-exchange.ts";

/**
 * Opens the store on a database that `migrate` has brought up to date, without what visits need at once: a node's replica
 * answers that. Each thread opens its own.
 */
export function postgresStore(connection: PostgresConnection) {
  return {
    ...nounStores(connection),
    nodes: { ...nodeStore(connection), rates: rateExchange(connection) } as NodeDirectory,
    async checkWritable() {
      await connection.write((tx) => tx.update(meta).set({ value: sql`value` }).where(eq(meta.key, "schema")));
    },
    checkIntegrity: () => connection.read(brokenRules),
    close: () => connection.close(),
  };
}

export type PostgresStore = ReturnType<typeof postgresStore>;
