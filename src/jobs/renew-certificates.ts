import { lookForRenewalInformation, type RenewalPorts, renewCertificates } from "../domain/certificates/renew.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Without anything new and due there is a look all the same: clocks jump, and CAs change their minds. */
const AT_THE_LATEST = 10 * MINUTE;

/** Files what should be held, before every pass; for modes whose wishes follow from what is routed. */
type Prepare = () => Promise<void>;

/** Orders and renews certificates: within a second of a new wish, else when something is due. */
export function renewCertificatesJob(ports: RenewalPorts, timers: Timers, log: Log, prepare: Prepare): Job {
  const { store, clock } = ports;
  let requested = -1;
  let nextAt = 0;
  let lastLook = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const pass = async (signal: AbortSignal) => {
    await prepare();
    const requests = await store.certificates.requestsRevision();
    const isNew = requests !== requested;
    if (!isNew && clock.now() < nextAt && timers.elapsed() - lastLook < AT_THE_LATEST) return;
    requested = requests;
    lastLook = timers.elapsed();
    const outcome = await renewCertificates(ports, signal);
    nextAt = outcome.nextAt;
    for (const subject of outcome.issued) log.info("certificate issued", { subject });
    for (const failed of outcome.failed) log.warn("no certificate yet", failed);
    // A window that has come nearer is seen by the pass after, ten minutes later at most.
    await lookForRenewalInformation(ports);
  };

  return {
    name: "renew-certificates",
    scope: "cluster",
    every: SECOND,
    timeLimit: 15 * MINUTE,
    async run({ signal }) {
      // A pass that outlived its time still has orders under way: a second one would place them again.
      if (running) return;
      running = pass(signal).finally(() => {
        running = null;
      });
      await running;
    },
  };
}
