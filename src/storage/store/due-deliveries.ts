import { type SQL, sql } from "drizzle-orm";
import type { DeliveryLease } from "../../domain/ports/store/webhooks.ts";
import { DUE_DELIVERIES, dueParameters } from "../records/due-deliveries.ts";
import type { Drizzle } from "./connection.ts";
import { rowsOf } from "./rows.ts";

/** Returns the due deliveries in their order. */
export async function findDue(db: Drizzle, turn: DeliveryLease): Promise<readonly number[]> {
  const rows = await rowsOf<{ readonly id: string }>(db, bind(DUE_DELIVERIES, dueParameters(turn)));
  return rows.map(({ id }) => Number(id));
}

// --- internal ---

/** Replaces each `$name` in a statement with the value as a parameter. */
function bind<Name extends string>(statement: string, values: Readonly<Record<Name, number>>): SQL {
  const parts = statement.split(/\$(\w+)/);
  return sql.join(parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[part as Name]}`)));
}
