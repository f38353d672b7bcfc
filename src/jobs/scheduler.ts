import { SCHEDULER_LEASE } from "../domain/claims/capability.ts";
import { jittered, longest } from "../domain/jitter.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { DAY, MINUTE, SECOND, timestamp } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

interface SchedulerPorts {
  readonly store: Pick<Store, "jobs">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** The name of this node among those that share the store; two schedulers of one node never run at once. */
  readonly node: string;
  /** When the store last changed before this start; null where nothing ever did. */
  readonly lastChangeAt: number | null;
}

export interface Scheduler {
  /** Returns for each job for how many milliseconds it has been due: 0 before it is, and more the longer it fails or hangs. */
  lags(): readonly { readonly job: string; readonly lag: number }[];
  /** Starts nothing any more, aborts what runs, waits for it for a few seconds, and lets another scheduler take over. */
  stop(): Promise<void>;
}

/** One scheduler runs the jobs of a store: its lease is renewed three times before it ends. */
const LEASE_TIME = 15 * SECOND;
const LEASE_RENEWAL = 5 * SECOND;

/** How often the wall clock is compared with the monotonic one, and by how much they may differ. */
const PULSE = SECOND;
const JUMP = MINUTE;
/** How long after a jump nothing ends because of the time: long enough for a clock to be set right again. */
const DISTRUST = 10 * MINUTE;

/** A start so long after the last change may be one with a clock that runs ahead. It costs the honest one little. */
const LONG_SILENCE = 2 * DAY;

/** Waits after failures in a row; the last one repeats. */
const BACK_OFF = [1, 2, 5, 10, 30, 60, 360].map((minutes) => minutes * MINUTE);
const MAX_BACK_OFF = longest(Math.max(...BACK_OFF));

/** How long a stop waits for runs that were aborted. */
const STOP_LIMIT = 5 * SECOND;

/**
 * Runs the jobs, each in a loop of its own: one that throws or hangs is tried again later and never stops another.
 * Intervals are measured by the monotonic clock, so that a jump of the wall clock neither floods nor starves a job.
 * A lease that this node left when it was killed is taken anew at once; that of another node has to end.
 */
export async function startScheduler(ports: SchedulerPorts, jobs: readonly Job[]): Promise<Scheduler> {
  const { store, log, timers } = ports;
  const stopping = new AbortController();
  const state: State = {
    epoch: await keepLease(ports, null),
    distrustUntil: distrustAtStart(ports),
    due: new Map(jobs.map(({ name }) => [name, timers.elapsed()])),
    underWay: new Set(),
  };
  const failures = new Map((await store.jobs.listFailures()).map((failure) => [failure.name, failure]));
  const loops = jobs.map((job) => {
    const failure = failures.get(job.name);
    const wait = failure ? failure.notBefore - ports.clock.now() : 0;
    const first = { failures: failure?.failures ?? 0, wait: Math.max(0, Math.min(wait, MAX_BACK_OFF)) };
    return repeat(ports, job, first, state, stopping.signal);
  });
  loops.push(pulse(ports, state, stopping.signal));

  return {
    lags: () => [...state.due].map(([job, at]) => ({ job, lag: Math.max(0, timers.elapsed() - at) })),
    async stop() {
      stopping.abort();
      const limit = new AbortController();
      await Promise.race([Promise.all([...loops, ...state.underWay]), timers.wait(STOP_LIMIT, limit.signal)]);
      limit.abort();
      if (state.epoch === null) return;
      await store.jobs
        .releaseLease(SCHEDULER_LEASE, state.epoch)
        .catch((error) => log.error("lease not released", error));
    },
  };
}

// --- internal ---

interface State {
  /** The epoch of the lease by which this scheduler runs the jobs of the cluster; null while another has it. */
  epoch: number | null;
  /** Monotonic moment until which the wall clock is not trusted. */
  distrustUntil: number;
  /** Monotonic moment at which each job is or was due. */
  readonly due: Map<string, number>;
  /** The runs that have not ended, also those that were left behind; none of these promises rejects. */
  readonly underWay: Set<Promise<void>>;
}

/** Judges the clock by what the store saw last, which it cannot be before. */
function distrustAtStart({ clock, timers, log, lastChangeAt }: SchedulerPorts): number {
  const now = clock.now();
  const since = lastChangeAt === null ? 0 : now - lastChangeAt;
  if (since >= -JUMP && since <= LONG_SILENCE) return Number.NEGATIVE_INFINITY;
  const seen = { now: timestamp(now), lastChange: timestamp(lastChangeAt as number) };
  if (since < 0) log.warn("the clock stands before the last change; nothing expires for ten minutes", seen);
  else log.info("the last change was long ago; nothing expires for ten minutes", seen);
  return timers.elapsed() + DISTRUST;
}

/** Extends the lease of an epoch, or takes one anew; returns its epoch, and null where it cannot be had. */
async function keepLease({ store, clock, node, log }: SchedulerPorts, epoch: number | null): Promise<number | null> {
  const now = clock.now();
  const until = now + LEASE_TIME;
  try {
    if (epoch !== null && (await store.jobs.extendLease(SCHEDULER_LEASE, epoch, until))) return epoch;
    return await store.jobs.takeLease(SCHEDULER_LEASE, { holder: node, now, until, longest: LEASE_TIME });
  } catch (error) {
    log.error("the scheduler's lease could not be renewed", error);
    return null;
  }
}

/** Keeps the lease alive and watches for jumps of the wall clock. */
async function pulse(ports: SchedulerPorts, state: State, stop: AbortSignal): Promise<void> {
  const { clock, timers, log } = ports;
  let wall = clock.now();
  let elapsed = timers.elapsed();
  let renewed = elapsed;
  for (;;) {
    await timers.wait(PULSE, stop);
    if (stop.aborted) return;
    const drift = clock.now() - wall - (timers.elapsed() - elapsed);
    wall = clock.now();
    elapsed = timers.elapsed();
    if (Math.abs(drift) > JUMP) {
      state.distrustUntil = elapsed + DISTRUST;
      log.warn("the clock jumped; nothing expires for ten minutes", { seconds: Math.round(drift / 1000) });
    }
    // The lease is measured by the wall clock: where that moved, it may have ended already.
    if (Math.abs(drift) < PULSE && elapsed - renewed < LEASE_RENEWAL) continue;
    renewed = elapsed;
    state.epoch = await keepLease(ports, state.epoch);
  }
}

async function repeat(
  ports: SchedulerPorts,
  job: Job,
  first: { failures: number; wait: number },
  state: State,
  stop: AbortSignal,
): Promise<void> {
  const { store, clock, timers, log, random } = ports;
  let { failures, wait } = first;
  for (;;) {
    await timers.wait(wait, stop);
    if (stop.aborted) return;
    if (job.scope === "cluster" && state.epoch === null) {
      wait = Math.min(job.every, LEASE_RENEWAL);
      continue;
    }
    try {
      await runOnce(job, timers, state, stop);
      if (failures > 0) await store.jobs.clearFailure(job.name);
      failures = 0;
      wait = job.every;
      state.due.set(job.name, timers.elapsed() + wait);
    } catch (error) {
      if (stop.aborted) return;
      failures++;
      wait = backOff(failures, random());
      log.error(`the job ${job.name} failed and runs again in ${Math.round(wait / 1000)} s`, error);
      const failure = { name: job.name, failures, notBefore: clock.now() + wait };
      await store.jobs.saveFailure(failure).catch((cause) => log.error("a failure could not be noted", cause));
    }
  }
}

/** Rejects with the job's own error, or because its time is over; a run that hangs is left behind. */
async function runOnce(job: Job, timers: Timers, state: State, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const run = Promise.try(() => job.run({ signal, clockTrusted: timers.elapsed() >= state.distrustUntil }));
  const end = run.catch(() => {}).finally(() => state.underWay.delete(end));
  state.underWay.add(end);
  const limit = timers.wait(job.timeLimit, signal).then(() => {
    if (!over.signal.aborted) throw new Error(`no end after ${job.timeLimit / 1000} s`);
  });
  // Whichever loses the race ends unheard.
  limit.catch(() => {});
  try {
    await Promise.race([run, limit]);
  } finally {
    over.abort();
  }
}

function backOff(failures: number, random: number): number {
  return jittered(BACK_OFF[Math.min(failures, BACK_OFF.length) - 1] as number, random);
}
