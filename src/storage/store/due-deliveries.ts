import { type SQL, sql } from "drizzle-orm";
import type { DeliveryLease } from "../../domain/ports/store/webhooks.ts";
import type { Drizzle } from "./connection.ts";
import { rowsOf } from "./rows.ts";

/**
 * Selects the due deliveries in their order. Its parameters are `$now`, `$horizon`, `$restHorizon`,
 * `$limit`, `$maxOfOwner` and `$maxFailing` of a lease, and `$latest`.
 *
 * It is plain SQL, because the query builder does not support recursion. `waiting` steps from one webhook with
 * deliveries to the next by the index, and `candidate` reads the first delivery of each, so the number of waiting ones
 * does not matter. `placed` counts the slots of each owner, `chosen` those of all failing webhooks.
 */
export const DUE_DELIVERIES = `
  WITH RECURSIVE waiting (id) AS (
    SELECT min(webhook_id) FROM webhook_deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM webhook_deliveries WHERE status = 'pending' AND webhook_id > waiting.id)
      FROM waiting WHERE id IS NOT NULL),
  receiver (id, owner, fails, rests_until) AS (
    SELECT w.id, coalesce(s.owner_id, w.owner_id, 0), w.failing_since IS NOT NULL OR w.slow_answers > 0, w.rests_until
      FROM webhooks AS w LEFT JOIN sites AS s ON s.id = w.site_id),
  taken (webhook_id, owner, fails) AS MATERIALIZED (
    SELECT r.id, r.owner, r.fails FROM webhook_deliveries AS d JOIN receiver AS r ON r.id = d.webhook_id
      WHERE d.taken_until IS NOT NULL AND d.taken_until > $now AND d.taken_until <= $latest),
  candidate (id, at, owner, fails) AS (
    SELECT d.id, d.next_attempt_at, r.owner, r.fails
      FROM waiting JOIN receiver AS r ON r.id = waiting.id JOIN webhook_deliveries AS d ON d.id = coalesce(
        (SELECT id FROM webhook_deliveries WHERE webhook_id = r.id AND status = 'pending' AND next_attempt_at <= $now
          ORDER BY next_attempt_at, id LIMIT 1),
        (SELECT id FROM webhook_deliveries WHERE webhook_id = r.id AND status = 'pending' AND next_attempt_at > $horizon
          ORDER BY next_attempt_at, id LIMIT 1))
      WHERE r.id NOT IN (SELECT webhook_id FROM taken)
        AND NOT coalesce(r.rests_until > $now AND r.rests_until <= $restHorizon, false)),
  placed AS (
    SELECT *, (SELECT count(*) FROM taken WHERE taken.owner = candidate.owner)
        + row_number() OVER (PARTITION BY owner ORDER BY fails, at, id) AS place
      FROM candidate),
  chosen AS (
    SELECT *, (SELECT count(*) FROM taken WHERE taken.fails)
        + row_number() OVER (PARTITION BY fails ORDER BY place, at, id) AS failing_place
      FROM placed WHERE place <= $maxOfOwner)
  SELECT id FROM chosen WHERE NOT fails OR failing_place <= $maxFailing
    ORDER BY fails, place, at, id LIMIT $limit`;

/** Returns the due deliveries in their order. */
export async function findDue(db: Drizzle, { until, ...turn }: DeliveryLease): Promise<readonly number[]> {
  // A lease that ends later than this was taken while the clock was wrong.
  const latest = until + (until - turn.now);
  const rows = await rowsOf<{ readonly id: string }>(db, bind(DUE_DELIVERIES, { ...turn, latest }));
  return rows.map(({ id }) => Number(id));
}

// --- internal ---

/** Replaces each `$name` in a statement with the value as a parameter. */
function bind<Name extends string>(statement: string, values: Readonly<Record<Name, number>>): SQL {
  const parts = statement.split(/\$(\w+)/);
  return sql.join(parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[part as Name]}`)));
}
