import { wantRoutedCertificates } from "../domain/certificates/manage.ts";
import { type RenewalPorts, renewCertificates, updateRenewalInformation } from "../domain/certificates/renew.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job, JobRun } from "./job.ts";

/** A pass runs at least this often, because clocks jump and CAs change their renewal information. */
const MAX_PASS_INTERVAL_MS = 10 * MINUTE;

/** Updates the wanted certificates before every pass, for modes that derive them from the routed hostnames. */
type Prepare = () => Promise<void>;

/**
 * Returns a function that requests certificates from the local CA for the routed hostnames, whenever routes have
 * changed.
 */
export function requestRouted(ports: { readonly store: Store; readonly clock: Clock }): Prepare {
  let seen: number | null = null;
  return async () => {
    const generation = ports.store.generation();
    if (generation === seen) return;
    await wantRoutedCertificates(ports);
    seen = generation;
  };
}

/** Orders and renews certificates: within a second of a request, otherwise when one is due. */
export function renewCertificatesJob(
  unleased: Omit<RenewalPorts, "lease">,
  timers: Timers,
  log: Log,
  prepare: Prepare = async () => {},
): Job {
  const { store, clock } = unleased;
  let requested = -1;
  let nextAt = 0;
  let lastPass = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const pass = async ({ signal, lease }: JobRun) => {
    const ports = { ...unleased, lease };
    await prepare();
    const requests = await store.certificates.requestsRevision();
    const isNew = requests !== requested;
    if (!isNew && clock.now() < nextAt && timers.elapsed() - lastPass < MAX_PASS_INTERVAL_MS) return;
    lastPass = timers.elapsed();
    const outcome = await renewCertificates(ports, signal);
    // A pass that failed or was interrupted may have left requests.
    if (!signal.aborted) requested = requests;
    nextAt = outcome.nextAt;
    for (const subject of outcome.issued) log.info("certificate issued", { subject });
    for (const failed of outcome.failed) log.warn("no certificate yet", failed);
    // An earlier renewal window takes effect in the next pass, ten minutes later at most.
    await updateRenewalInformation(ports);
  };

  return {
    name: "renew-certificates",
    title: "Renew certificates",
    scope: "cluster",
    every: SECOND,
    timeLimit: 15 * MINUTE,
    async run(run) {
      // A pass that exceeded its time limit still has running orders; a second one would place them again.
      if (running) return;
      running = pass(run).finally(() => {
        running = null;
      });
      await running;
    },
  };
}
