import { eq, sql } from "drizzle-orm";
import type { RateExchange } from "../../domain/ports/store/rate-exchange.ts";
import { first } from "../store/rows.ts";
import { meta } from "../store/schema.ts";
import type { PostgresConnection } from "./connection.ts";

const CHANNEL = "vitrine_rates";
const SEED = "rate_seed";

/** A payload is shorter than 8000 bytes. */
const MAX_LENGTH = 7999;

export function rateExchange({ read, write, listen }: PostgresConnection): RateExchange {
  return {
    maxLength: MAX_LENGTH,

    async seed() {
      const known = eq(meta.key, SEED);
      await write((tx) => {
        const value = sql<number>`floor(random() * 4294967296)`;
        return tx.insert(meta).values({ key: SEED, value }).onConflictDoNothing();
      });
      return (await read((db) => first(db.select({ value: meta.value }).from(meta).where(known))))!.value;
    },

    async send(message) {
      await read((db) => db.execute(sql`SELECT pg_notify(${CHANNEL}, ${message})`));
    },

    receive: (listener) =>
      listen(CHANNEL, (message) => {
        if (message !== null) listener(message);
      }),
  };
}
