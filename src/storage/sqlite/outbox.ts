import type { Happened } from "../../domain/webhooks/events.ts";
import { MAX_WAITING } from "../../domain/webhooks/webhook.ts";
import type { Connection } from "./connection.ts";

/** A site that somebody wants to hear of. */
export interface SubscribedSite {
  readonly id: number;
  readonly name: string;
}

/**
 * Where changes note what is to be told of them. Everything here belongs inside the transaction of the change. A site
 * without webhooks costs one indexed read.
 */
export interface Outbox {
  /** Returns the site if any webhook hears of it, else null: then nothing needs to be noted. */
  subscribed(siteId: number | null): SubscribedSite | null;
  /** The same for the site for which a hostname is verified. */
  subscribedHost(hostname: string): SubscribedSite | null;
  /** Notes events for the webhooks of a site that want them, due at once. */
  note(site: SubscribedSite, at: number, events: readonly Happened[]): void;
}

/** What stands at deliveries that were never tried because so many waited before them. */
const TOO_MANY = `${MAX_WAITING} deliveries waited for this webhook: it was not tried`;

const HEARD = `EXISTS (SELECT 1 FROM webhooks WHERE site_id = sites.id AND disabled_at IS NULL)`;

export function newOutbox({ raw }: Connection): Outbox {
  const bySite = raw.prepare<SubscribedSite, [number]>(`SELECT id, name FROM sites WHERE id = ? AND ${HEARD}`);
  const byHostname = raw.prepare<SubscribedSite, [string]>(
    `SELECT sites.id, sites.name FROM claims JOIN sites ON sites.id = site_id
     WHERE hostname = ? AND status = 'verified' AND ${HEARD}`,
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

  return {
    subscribed: (siteId) => (siteId === null ? null : bySite.get(siteId)),
    subscribedHost: (hostname) => byHostname.get(hostname),
    note(site, at, events) {
      for (const { type, data } of events) {
        const hearing = listeners.all(site.id, type);
        if (hearing.length === 0) continue;
        const event = insertEvent.get(type, at, JSON.stringify(data));
        for (const { id } of hearing) {
          if (nthWaiting.get(id, MAX_WAITING - 1) === null) insertDelivery.run(id, event!.id, at);
          else insertFailed.run(id, event!.id, TOO_MANY);
        }
      }
    },
  };
}
