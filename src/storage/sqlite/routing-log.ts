import type { Database } from "bun:sqlite";
import { type AffectedSites, MAX_AFFECTED_SITES, ROUTING_LOG_LENGTH } from "../../domain/ports/store/routing.ts";

/**
 * Returns a function that adds a change to the log, within its transaction. The generation of a change is its position
 * in the log. SQLite serializes writers, so both follow the order of commits. A change overwrites the one that is
 * `ROUTING_LOG_LENGTH` older.
 */
export function routingLogWriter(raw: Database): (generation: number, sites: ReadonlySet<number> | null) => void {
  const put = raw.query<void, [number, number, string | null]>(
    "INSERT OR REPLACE INTO routing_changes (slot, generation, sites) VALUES (?, ?, ?)",
  );
  return (generation, sites) => {
    const known = sites !== null && sites.size <= MAX_AFFECTED_SITES;
    put.run(generation % ROUTING_LOG_LENGTH, generation, known ? JSON.stringify([...sites]) : null);
  };
}

/** Adds a change to the log, in its transaction. Returns its generation. */
export function logRoutingChange(raw: Database, sites: ReadonlySet<number> | null): number {
  const bump = raw.query<{ value: number }, []>(
    "UPDATE meta SET value = value + 1 WHERE key = 'generation' RETURNING value",
  );
  const generation = bump.get()?.value ?? 0;
  routingLogWriter(raw)(generation, sites);
  return generation;
}

/** Returns the `affectedSites` of a connection. */
export function routingLogReader(raw: Database): (after: number, upTo: number) => AffectedSites | null {
  const read = raw.prepare<{ sites: string | null }, [number, number]>(
    "SELECT sites FROM routing_changes WHERE slot = ? AND generation = ?",
  );
  return (after, upTo) => {
    if (upTo - after > ROUTING_LOG_LENGTH) return null;
    const affected: number[] = [];
    for (let generation = after + 1; generation <= upTo; generation++) {
      const sites = read.get(generation % ROUTING_LOG_LENGTH, generation)?.sites ?? null;
      if (sites === null) return null;
      affected.push(...(JSON.parse(sites) as number[]));
    }
    return affected;
  };
}
