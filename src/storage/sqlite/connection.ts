import type { Database } from "bun:sqlite";
import { DomainError } from "../../domain/errors.ts";
import { type Connection, newAffected } from "../store/connection.ts";
import { drizzleOnSqlite } from "./dialect.ts";
import { sqliteFailure } from "./failures.ts";
import { type GenerationCell, raiseGeneration } from "./generation.ts";
import { releaseReserveFile } from "./reserve-file.ts";
import { logRoutingChange } from "./routing-log.ts";
import { watchNewestEvent } from "./watch-events.ts";
import { openWriter } from "./writer.ts";

/** The connections of one thread. */
interface SqliteConnection extends Connection {
  close(): void;
}

/** Opens the connections of one thread to the database file that `reading` has open for reads. */
export function connect(reading: Database, file: string, cell: GenerationCell): SqliteConnection {
  const db = drizzleOnSqlite(reading);
  const writer = openWriter(file, cell);
  return {
    async read(query) {
      try {
        return await query(db);
      } catch (error) {
        throw sqliteFailure(error);
      }
    },

    write: (change) => writer.write(change),
    writeRelaxed: (change) => writer.write(change, "relaxed"),

    async writeRouting(change) {
      const { result, generation } = await writer.write(async (tx, raw) => {
        const { affects, sites } = newAffected();
        const result = await change(tx, affects);
        return { result, generation: logRoutingChange(raw, sites()) };
      });
      raiseGeneration(cell, generation);
      return result;
    },

    async freeing(write) {
      try {
        return await write();
      } catch (error) {
        const isFull = error instanceof DomainError && error.kind === "disk_full";
        if (!isFull || !releaseReserveFile(file)) throw error;
        return write();
      }
    },

    watchLiveEvents: (listener) => watchNewestEvent(reading, listener),
    close: () => writer.close(),
  };
}
