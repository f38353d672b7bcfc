import { SCHEDULER_LEASE } from "../domain/claims/capability.ts";
import type { HeldLease } from "../domain/ports/store/jobs.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Clock, Log } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { DAY, MINUTE, SECOND, timestamp } from "../domain/timestamp.ts";

export interface SchedulerLeasePorts {
  readonly store: Pick<Store, "jobs">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The name of this node among those that share the store. A node never runs two schedulers at once. */
  readonly node: string;
  /** Returns whether the store is known to be unreachable. No job is started then, and the lease is not renewed. */
  readonly isPaused?: () => boolean;
  /** When the store last changed before this start; null if it is new. */
  readonly lastChangeAt: number | null;
}

/** One scheduler at a time runs the jobs of a store. Its lease is renewed three times before it expires. */
const LEASE_TIME = 15 * SECOND;
export const LEASE_RENEWAL = 5 * SECOND;

/** The interval at which the wall clock is compared with the monotonic clock, and the tolerated difference. */
const PULSE = SECOND;
const JUMP = MINUTE;
/** The time after a jump in which nothing expires: long enough for the clock to be corrected. */
const DISTRUST = 10 * MINUTE;

/** After a longer pause since the last change, the clock may be ahead. Distrusting a correct clock costs little. */
const LONG_SILENCE = 2 * DAY;

/**
 * Decides which jobs a scheduler may run: it holds the lease for those of the cluster, and knows whether the wall clock
 * can be trusted.
 */
export class SchedulerLease {
  readonly #ports: SchedulerLeasePorts;
  /** The epoch of the lease; null while another scheduler has it. */
  #epoch: number | null;
  /** Monotonic time until which the wall clock is not trusted. */
  #distrustUntil: number;
  #lost = new AbortController();

  private constructor(ports: SchedulerLeasePorts, epoch: number | null) {
    this.#ports = ports;
    this.#epoch = epoch;
    this.#distrustUntil = distrustAtStart(ports);
  }

  /** Tries to take the lease. */
  static async begin(ports: SchedulerLeasePorts): Promise<SchedulerLease> {
    return new SchedulerLease(ports, await takeOrExtend(ports, null));
  }

  /** The lease by which this scheduler runs the jobs of the cluster; null while another has it. */
  get held(): HeldLease | null {
    return this.#epoch === null ? null : { name: SCHEDULER_LEASE, epoch: this.#epoch };
  }

  /** Aborted when the lease is lost, which aborts runs of the cluster's jobs. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get clockTrusted(): boolean {
    return this.#ports.timers.elapsed() >= this.#distrustUntil;
  }

  /** Keeps the lease alive and watches for jumps of the wall clock, until it is stopped. Awaits `beat` each second. */
  async keep(stop: AbortSignal, beat: () => Promise<void>): Promise<void> {
    const { clock, timers } = this.#ports;
    let wall = clock.now();
    let elapsed = timers.elapsed();
    let renewed = elapsed;
    for (;;) {
      await timers.wait(PULSE, stop);
      if (stop.aborted) return;
      await beat();
      const drift = clock.now() - wall - (timers.elapsed() - elapsed);
      wall = clock.now();
      elapsed = timers.elapsed();
      if (Math.abs(drift) > JUMP) this.#distrust(drift);
      // The lease is measured by the wall clock, so that it may have expired after a jump.
      if (Math.abs(drift) < PULSE && elapsed - renewed < LEASE_RENEWAL) continue;
      renewed = elapsed;
      if (!this.#ports.isPaused?.()) await this.#renew();
    }
  }

  /** Releases the lease, if it is held. */
  async end(): Promise<void> {
    const { store, log } = this.#ports;
    if (this.#epoch === null) return;
    await store.jobs
      .releaseLease(SCHEDULER_LEASE, this.#epoch)
      .catch((error) => log.error("lease not released", error));
  }

  #distrust(drift: number): void {
    const { timers, log } = this.#ports;
    this.#distrustUntil = timers.elapsed() + DISTRUST;
    log.warn("the clock jumped; nothing expires for ten minutes", { seconds: Math.round(drift / 1000) });
  }

  async #renew(): Promise<void> {
    const epoch = await takeOrExtend(this.#ports, this.#epoch);
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#lost.abort();
    this.#lost = new AbortController();
  }
}

// --- internal ---

/** Compares the clock with the last change in the store, which cannot be in the future. */
function distrustAtStart({ clock, timers, log, lastChangeAt }: SchedulerLeasePorts): number {
  const now = clock.now();
  const since = lastChangeAt === null ? 0 : now - lastChangeAt;
  if (since >= -JUMP && since <= LONG_SILENCE) return Number.NEGATIVE_INFINITY;
  const seen = { now: timestamp(now), lastChange: timestamp(lastChangeAt as number) };
  if (since < 0) log.warn("the clock stands before the last change; nothing expires for ten minutes", seen);
  else log.info("the last change was long ago; nothing expires for ten minutes", seen);
  return timers.elapsed() + DISTRUST;
}

/**
 * Extends the lease of an epoch, or takes a new one. Returns its epoch, and null while another holder has it. While the
 * store fails nobody can take the lease, and a running certificate order must not be lost, so it is kept.
 */
async function takeOrExtend(
  { store, clock, node, log }: SchedulerLeasePorts,
  epoch: number | null,
): Promise<number | null> {
  const now = clock.now();
  const until = now + LEASE_TIME;
  try {
    if (epoch !== null && (await store.jobs.extendLease(SCHEDULER_LEASE, epoch, until))) return epoch;
    return await store.jobs.takeLease(SCHEDULER_LEASE, { holder: node, now, until, longest: LEASE_TIME });
  } catch (error) {
    log.error("the scheduler's lease could not be renewed", error);
    return epoch;
  }
}
