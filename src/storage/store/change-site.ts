import { eq } from "drizzle-orm";
import type { NewLiveEvent } from "../../domain/model/live-event.ts";
import type { Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { countRows } from "./rows.ts";
import { sites } from "./schema.ts";

/** Changes fields of a site and announces that. Returns false if the site is gone. */
export async function changeSite(
  tx: Drizzle,
  id: number,
  fields: Partial<typeof sites.$inferInsert>,
  events: readonly NewLiveEvent[],
): Promise<boolean> {
  const changed = tx.update(sites).set(fields).where(eq(sites.id, id)).returning({ id: sites.id });
  if ((await countRows(changed)) === 0) return false;
  await announce(tx, events);
  return true;
}
