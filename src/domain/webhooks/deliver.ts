import type { Clock } from "../ports/clock.ts";
import type { DueDelivery } from "../ports/store/webhooks.ts";
import type { Store } from "../ports/store.ts";
import type { Timers } from "../ports/timers.ts";
import type { WebhookSender } from "../ports/webhooks.ts";
import { SECOND } from "../timestamp.ts";
import { type Addresses, payloadOf } from "./events.ts";
import { judge, MAX_REST, MAX_WAIT, type Verdict } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";

/** Everything that delivering is plugged into. */
export interface DeliveryPorts {
  readonly store: Pick<Store, "webhooks">;
  readonly sender: WebhookSender;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly timers: Pick<Timers, "elapsed">;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
}

/** How long a delivery is kept for whoever took it: twice what an attempt may take. */
const TURN = 30 * SECOND;

/**
 * Attempts side by side, each of another webhook. One owner has some of the places, and receivers that fail or are slow
 * have half of them all together: so there is a place for everybody else, however many of those there are.
 */
export const PLACES = 32;
const MAX_PLACES_OF_OWNER = 8;
const MAX_PLACES_OF_FAILING = 16;

/** Takes deliveries that are due, one for each webhook that has none under way. */
export function takeDueDeliveries({ store, clock }: DeliveryPorts, limit: number): Promise<readonly DueDelivery[]> {
  const now = clock.now();
  return store.webhooks.takeDue({
    now,
    horizon: now + MAX_WAIT,
    restHorizon: now + MAX_REST,
    until: now + TURN,
    limit,
    maxOfOwner: MAX_PLACES_OF_OWNER,
    maxFailing: MAX_PLACES_OF_FAILING,
  });
}

/**
 * Makes one attempt and records what came of it; returns the verdict. Null, and the delivery given back, when the signal
 * ended it: the server stops, and the receiver is not to blame.
 */
export async function deliver(
  ports: DeliveryPorts,
  due: DueDelivery,
  { signal, clockTrusted }: { readonly signal: AbortSignal; readonly clockTrusted: boolean },
): Promise<Verdict | null> {
  const { store, sender, clock, timers, random } = ports;
  const { event, webhook } = due;
  const at = clock.now();
  const body = payloadOf(event, ports.addresses);
  const headers = await signedHeaders(webhook, { id: event.id, at, body });
  const begun = timers.elapsed();
  const answer = await sender.send({ url: webhook.url, headers, body }, signal);
  if (signal.aborted) {
    await store.webhooks.giveBack(due.id);
    return null;
  }
  const attempt = { at, ...answer, duration: Math.round(timers.elapsed() - begun) };
  const { failingSince, slowAnswers } = webhook;
  const before = { type: event.type, attempts: due.attempts, failingSince, slowAnswers };
  const verdict = judge(before, attempt, { now: clock.now(), random, clockTrusted });
  await store.webhooks.record(due.id, attempt, verdict);
  return verdict;
}
