import { siteHappened } from "../../domain/events/changes.ts";
import type { Happened, OperatorEvent } from "../../domain/model/events.ts";
import { MAX_WAITING, OPERATOR_WEBHOOK, TOO_MANY_WAITING } from "../../domain/model/webhook.ts";
import type { Connection } from "./connection.ts";

/** A site whose changes cause events. */
export interface NotifiedSite {
  readonly id: number;
  readonly name: string;
}

/** Adds events of sites for webhooks and event streams. Call everything in the transaction of the change. */
export interface Outbox {
  /** Returns the site; null if it was deleted. */
  find(siteId: number | null): NotifiedSite | null;
  /** Returns the site for which a hostname is verified, or null. */
  findByHost(hostname: string): NotifiedSite | null;
  /** Adds events for the streams of users who can see the site, and for its webhooks that want them, due at once. */
  note(site: NotifiedSite, at: number, events: readonly Happened[]): void;
  /** Adds an event for the operator's webhook, due at once. Does nothing if there is none. */
  noteForOperator(at: number, event: OperatorEvent): void;
}

export function newOutbox({ raw, announce }: Connection): Outbox {
  const bySite = raw.prepare<NotifiedSite, [number]>("SELECT id, name FROM sites WHERE id = ?");
  const byHostname = raw.prepare<NotifiedSite, [string]>(
    `SELECT sites.id, sites.name FROM claims JOIN sites ON sites.id = site_id
     WHERE hostname = ? AND status = 'verified'`,
  );
  const listeners = raw.prepare<{ id: string }, [number, string]>(
    `SELECT id FROM webhooks WHERE site_id = ? AND disabled_at IS NULL
       AND (events IS NULL OR EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?))`,
  );
  const insertEvent = raw.prepare<{ id: string }, [string, number, string]>(
    "INSERT INTO webhook_events (type, at, data) VALUES (?, ?, ?) RETURNING id",
  );
  const nthWaiting = raw.prepare<{ id: number }, [string, number]>(
    "SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND status = 'pending' LIMIT 1 OFFSET ?",
  );
  const insertDelivery = raw.prepare<void, [string, string, number]>(
    "INSERT INTO webhook_deliveries (webhook_id, event_id, next_attempt_at) VALUES (?, ?, ?)",
  );
  const insertFailed = raw.prepare<void, [string, string, string]>(
    "INSERT INTO webhook_deliveries (webhook_id, event_id, status, error) VALUES (?, ?, 'failed', ?)",
  );

  const operators = raw.prepare<{ id: string }, [string]>(
    "SELECT id FROM webhooks WHERE id = ? AND disabled_at IS NULL",
  );

  const noteFor = (hearing: readonly { id: string }[], at: number, { type, data }: Happened | OperatorEvent): void => {
    if (hearing.length === 0) return;
    const event = insertEvent.get(type, at, JSON.stringify(data));
    for (const { id } of hearing) {
      if (nthWaiting.get(id, MAX_WAITING - 1) === null) insertDelivery.run(id, event!.id, at);
      else insertFailed.run(id, event!.id, TOO_MANY_WAITING);
    }
  };

  return {
    find: (siteId) => (siteId === null ? null : bySite.get(siteId)),
    findByHost: (hostname) => byHostname.get(hostname),
    note(site, at, events) {
      for (const event of events) {
        announce(siteHappened(site.id, event));
        noteFor(listeners.all(site.id, event.type), at, event);
      }
    },
    noteForOperator: (at, event) => noteFor(operators.all(OPERATOR_WEBHOOK), at, event),
  };
}
