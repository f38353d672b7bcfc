import type { NewLiveEvent } from "../../domain/events/live-event.ts";
import type { Drizzle } from "./connection.ts";
import { liveEvents } from "./schema.ts";

/** Tells event streams of a change, within its transaction. */
export async function announce(tx: Drizzle, events: readonly NewLiveEvent[]): Promise<void> {
  if (events.length === 0) return;
  const at = Date.now();
  await tx.insert(liveEvents).values(events.map((event) => ({ ...event, at })));
}
