import { and, eq, isNull, sql } from "drizzle-orm";
import { siteHappened } from "../../domain/events/changes.ts";
import type { Happened, OperatorEvent } from "../../domain/model/events.ts";
import { MAX_WAITING, OPERATOR_WEBHOOK, TOO_MANY_WAITING } from "../../domain/model/webhook.ts";
import type { Drizzle } from "./connection.ts";
import { announce } from "./live-events.ts";
import { prepared } from "./prepared.ts";
import { first } from "./rows.ts";
import { claims, sites, webhookDeliveries, webhookEvents, webhooks } from "./schema.ts";

// Adds events of sites for webhooks and event streams. Call everything in the transaction of the change.

/** A site whose changes cause events. */
export interface NotifiedSite {
  readonly id: number;
  readonly name: string;
}

export const notifiedSite = { id: sites.id, name: sites.name };

/** Returns the site; null if it was deleted. */
export async function findNotifiedSite(tx: Drizzle, siteId: number | null): Promise<NotifiedSite | null> {
  return siteId === null ? null : first(notifiedById(tx, { siteId }));
}

/** Returns the site for which a hostname is verified, or null. */
export async function findNotifiedSiteByHost(tx: Drizzle, hostname: string): Promise<NotifiedSite | null> {
  const verified = and(eq(claims.hostname, hostname), eq(claims.status, "verified"));
  return first(tx.select(notifiedSite).from(claims).innerJoin(sites, eq(sites.id, claims.siteId)).where(verified));
}

/** Adds events for the streams of users who can see the site, and for its webhooks that want them, due at once. */
export async function note(tx: Drizzle, site: NotifiedSite, at: number, events: readonly Happened[]): Promise<void> {
  const listening = await listeningWebhooks(tx, { siteId: site.id });
  for (const event of events) {
    await announce(tx, siteHappened(site.id, event));
    const hearing = listening.filter((webhook) => webhook.events === null || webhook.events.includes(event.type));
    await noteFor(tx, hearing, at, event);
  }
}

/** Adds an event for the operator's webhook, due at once. Does nothing if there is none. */
export async function noteForOperator(tx: Drizzle, at: number, event: OperatorEvent): Promise<void> {
  const active = and(eq(webhooks.id, OPERATOR_WEBHOOK), isNull(webhooks.disabledAt));
  await noteFor(tx, await tx.select({ id: webhooks.id }).from(webhooks).where(active), at, event);
}

// --- internal ---

const notifiedById = prepared((db) =>
  db
    .select(notifiedSite)
    .from(sites)
    .where(eq(sites.id, sql.placeholder("siteId"))),
);

const listeningWebhooks = prepared((db) =>
  db
    .select({ id: webhooks.id, events: webhooks.events })
    .from(webhooks)
    .where(and(eq(webhooks.siteId, sql.placeholder("siteId")), isNull(webhooks.disabledAt))),
);

async function noteFor(
  tx: Drizzle,
  hearing: readonly { readonly id: string }[],
  at: number,
  { type, data }: Happened | OperatorEvent,
): Promise<void> {
  if (hearing.length === 0) return;
  const event = tx.insert(webhookEvents).values({ type, at, data });
  const added = await first(event.returning({ id: webhookEvents.id }));
  for (const { id } of hearing) {
    const delivery = { webhookId: id, eventId: added!.id };
    const due = { ...delivery, nextAttemptAt: at };
    const untried = { ...delivery, status: "failed", error: TOO_MANY_WAITING } as const;
    await tx.insert(webhookDeliveries).values((await hasManyWaiting(tx, id)) ? untried : due);
  }
}

async function hasManyWaiting(tx: Drizzle, webhookId: string): Promise<boolean> {
  const waiting = and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.status, "pending"));
  const nth = tx.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(waiting).limit(1);
  return (await first(nth.offset(MAX_WAITING - 1))) !== null;
}
