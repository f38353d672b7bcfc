import type { DueDelivery } from "../domain/ports/store/webhooks.ts";
import type { Log } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { type DeliveryPorts, deliver, PLACES, takeDueDeliveries } from "../domain/webhooks/deliver.ts";
import type { Job, JobRun } from "./job.ts";

/** A run that is always busy ends after this time, so that it is not taken for a hanging one. */
const MAX_RUN = 10 * MINUTE;

interface WebhookJobPorts extends DeliveryPorts {
  readonly timers: Timers;
  readonly log: Log;
}

/** Returns the job that delivers webhooks. */
export function webhookDeliveriesJob(ports: WebhookJobPorts): Job {
  return {
    name: "webhook-deliveries",
    title: "Deliver webhooks",
    scope: "cluster",
    every: SECOND,
    timeLimit: MAX_RUN + MINUTE,
    run: (run) => deliverDue(ports, run),
  };
}

// --- internal ---

/**
 * Delivers due deliveries, and those that become due meanwhile, until none is running. A slow receiver occupies one
 * slot; the others continue.
 */
async function deliverDue(ports: WebhookJobPorts, run: JobRun): Promise<void> {
  const { timers } = ports;
  const underWay = new Set<Promise<void>>();
  const end = timers.elapsed() + MAX_RUN;
  for (;;) {
    const free = timers.elapsed() < end && !run.signal.aborted ? PLACES - underWay.size : 0;
    for (const due of free > 0 ? await takeDueDeliveries(ports, free) : []) {
      const attempt = attemptOne(ports, due, run).finally(() => underWay.delete(attempt));
      underWay.add(attempt);
    }
    if (underWay.size === 0) return;
    await nextTurn(timers, underWay);
  }
}

async function attemptOne(ports: WebhookJobPorts, due: DueDelivery, run: JobRun): Promise<void> {
  const { webhook } = due;
  try {
    const verdict = await deliver(ports, due, run);
    if (verdict?.disabledReason) {
      ports.log.warn("webhook disabled", { webhook: webhook.id, reason: verdict.disabledReason });
    }
  } catch (error) {
    // The delivery stays leased, so that a permanent error is not retried without a pause.
    ports.log.error(`the delivery ${due.id} failed`, error);
  }
}

/** Resolves when an attempt has ended, or after a second, when something new may be due. */
async function nextTurn(timers: Timers, underWay: ReadonlySet<Promise<void>>): Promise<void> {
  const over = new AbortController();
  await Promise.race([...underWay, timers.wait(SECOND, over.signal)]);
  over.abort();
}
