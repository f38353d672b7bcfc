import { payloadOf, type SiteUrls } from "../model/events.ts";
import { OPERATOR_WEBHOOK, type Verdict } from "../model/webhook.ts";
import type { DueDelivery } from "../ports/store/webhooks.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import type { Timers } from "../ports/timers.ts";
import type { WebhookSender } from "../ports/webhooks.ts";
import { SECOND } from "../timestamp.ts";
import { evaluateAttempt, MAX_REST, MAX_WAIT } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";

export interface DeliveryPorts {
  readonly store: Pick<Store, "webhooks">;
  readonly sender: WebhookSender;
  /** Sends the events of the operator's webhook. */
  readonly operatorSender: WebhookSender;
  readonly urls: SiteUrls;
  readonly clock: Clock;
  readonly timers: Pick<Timers, "elapsed">;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
}

/** The lease of a delivery: twice the time limit of an attempt. */
const LEASE = 30 * SECOND;

/**
 * Concurrent attempts, one per webhook. Each owner gets a share of the places, and failing or slow receivers together
 * get half of them, so that others always find a place.
 */
export const PLACES = 32;
const MAX_PLACES_OF_OWNER = 8;
const MAX_PLACES_OF_FAILING = 16;

/** Leases due deliveries, at most one per webhook. */
export function takeDueDeliveries({ store, clock }: DeliveryPorts, limit: number): Promise<readonly DueDelivery[]> {
  const now = clock.now();
  return store.webhooks.takeDue({
    now,
    horizon: now + MAX_WAIT,
    restHorizon: now + MAX_REST,
    until: now + LEASE,
    limit,
    maxOfOwner: MAX_PLACES_OF_OWNER,
    maxFailing: MAX_PLACES_OF_FAILING,
  });
}

/**
 * Makes one attempt, records and returns its result. Null if the signal aborted it because the server stops; the
 * delivery is then released, which does not count as a failure. Null also if the attempt took longer than its lease and
 * the delivery was taken over, whose result counts.
 */
export async function deliver(
  ports: DeliveryPorts,
  due: DueDelivery,
  { signal, clockTrusted }: { readonly signal: AbortSignal; readonly clockTrusted: boolean },
): Promise<Verdict | null> {
  const { store, clock, timers, random } = ports;
  const { event, webhook } = due;
  const sender = webhook.id === OPERATOR_WEBHOOK ? ports.operatorSender : ports.sender;
  const at = clock.now();
  const body = payloadOf(event, ports.urls);
  const headers = await signedHeaders(webhook, { id: event.id, at, body });
  const begun = timers.elapsed();
  const response = await sender.send({ url: webhook.url, headers, body }, signal);
  if (signal.aborted) {
    await store.webhooks.release(due.id, due.takenUntil);
    return null;
  }
  const attempt = { at, ...response, duration: Math.round(timers.elapsed() - begun) };
  const { failingSince, slowResponses } = webhook;
  const before = { type: event.type, attempts: due.attempts, failingSince, slowResponses };
  const verdict = evaluateAttempt(before, attempt, { now: clock.now(), random, clockTrusted });
  const isRecorded = await store.webhooks.record(due.id, attempt, verdict, due.takenUntil);
  return isRecorded ? verdict : null;
}
