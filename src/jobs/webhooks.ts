import type { Log } from "../domain/ports/log.ts";
import type { DueDelivery } from "../domain/ports/store/webhooks.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { type DeliveryPorts, deliver, PLACES, takeDueDeliveries } from "../domain/webhooks/deliver.ts";
import type { Job, JobRun } from "./job.ts";

/** A run that always has something under way ends after this, so that it does not look like one that hangs. */
const MAX_RUN = 10 * MINUTE;

/** How long deliveries can be looked at after they have come to an end. */
const KEPT = 30 * DAY;

interface WebhookJobPorts extends DeliveryPorts {
  readonly timers: Timers;
  readonly log: Log;
}

/** The jobs that deliver webhooks, and forget what was delivered long ago. */
export function webhookJobs(ports: WebhookJobPorts): Job[] {
  return [
    {
      name: "webhook-deliveries",
      scope: "cluster",
      every: SECOND,
      timeLimit: MAX_RUN + MINUTE,
      run: (run) => deliverDue(ports, run),
    },
    {
      name: "webhook-retention",
      scope: "cluster",
      every: HOUR,
      timeLimit: 5 * MINUTE,
      async run({ clockTrusted }) {
        if (clockTrusted) await ports.store.webhooks.forgetBefore(ports.clock.now() - KEPT);
      },
    },
  ];
}

// --- internal ---

/**
 * Delivers what is due, and what becomes due meanwhile, until nothing is under way any more. A slow receiver takes up
 * one place for as long as it is slow; the others go on.
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
    // It stays taken until its turn is over, so that what always fails is not tried without a pause.
    ports.log.error(`the delivery ${due.id} failed`, error);
  }
}

/** Resolves when an attempt has ended, or after a second: something new may be due by then. */
async function nextTurn(timers: Timers, underWay: ReadonlySet<Promise<void>>): Promise<void> {
  const over = new AbortController();
  await Promise.race([...underWay, timers.wait(SECOND, over.signal)]);
  over.abort();
}
