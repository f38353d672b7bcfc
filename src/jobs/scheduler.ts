import { SCHEDULER_LEASE } from "../domain/claims/capability.ts";
import { jittered, longest } from "../domain/jitter.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { JobStart, Jobs } from "../domain/ports/jobs.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { DAY, MINUTE, SECOND, timestamp } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";
import { JobRecords } from "./job-records.ts";

interface SchedulerPorts {
  readonly store: Pick<Store, "jobs">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
  /** The name of this node among those that share the store; two schedulers of one node never run at once. */
  readonly node: string;
  /** When the store last changed before this start; null if it is new. */
  readonly lastChangeAt: number | null;
}

export interface Scheduler extends Jobs {
  /** Returns how many runs have failed since the start. */
  failures(): number;
  /** Returns for how many milliseconds each job has been overdue; 0 if it is not due. It grows while a job fails or hangs. */
  lags(): readonly { readonly job: string; readonly lag: number }[];
  /** Aborts all runs, waits for them for a few seconds, and releases the lease. */
  stop(): Promise<void>;
}

/** One scheduler at a time runs the jobs of a store. Its lease is renewed three times before it expires. */
const LEASE_TIME = 15 * SECOND;
const LEASE_RENEWAL = 5 * SECOND;

/** How often the wall clock is compared with the monotonic clock, and the tolerated difference. */
const PULSE = SECOND;
const JUMP = MINUTE;
/** How long nothing expires after a jump: long enough for the clock to be corrected. */
const DISTRUST = 10 * MINUTE;

/** After a longer pause since the last change, the clock may be ahead. Distrusting a correct clock costs little. */
const LONG_SILENCE = 2 * DAY;

/** Delays after consecutive failures; the last one repeats. */
const BACK_OFF = [1, 2, 5, 10, 30, 60, 360].map((minutes) => minutes * MINUTE);
const MAX_BACK_OFF = longest(Math.max(...BACK_OFF));

/** How long a stop waits for aborted runs. */
const STOP_LIMIT = 5 * SECOND;

/**
 * Runs each job in its own loop: a job that fails or hangs is retried later and does not affect the others.
 * Intervals are measured by the monotonic clock, so that a jump of the wall clock neither floods nor starves a job.
 * The lease of this node's killed process is taken over at once; that of another node must expire first.
 */
export async function startScheduler(ports: SchedulerPorts, jobs: readonly Job[]): Promise<Scheduler> {
  const { store, log, timers } = ports;
  const stopping = new AbortController();
  const state: State = {
    epoch: await keepLease(ports, null),
    distrustUntil: distrustAtStart(ports),
    due: new Map(jobs.map(({ name }) => [name, timers.elapsed()])),
    tenure: new AbortController(),
    records: new JobRecords(ports, jobs, await store.jobs.listRuns()),
    wakes: new Map(jobs.map(({ name }) => [name, new AbortController()])),
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
    listJobs: () => listJobs(ports, jobs, state),
    runJob: async (name) =>
      runNow(
        state,
        jobs.find((job) => job.name === name),
      ),
    failures: () => state.records.failures,
    lags: () => [...state.due].map(([job, at]) => ({ job, lag: Math.max(0, timers.elapsed() - at) })),
    async stop() {
      stopping.abort();
      const limit = new AbortController();
      await Promise.race([Promise.all([...loops, ...state.underWay]), timers.wait(STOP_LIMIT, limit.signal)]);
      limit.abort();
      await saveRecords(ports, state, true);
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
  /** Monotonic time until which the wall clock is not trusted. */
  distrustUntil: number;
  /** Monotonic time at which each job is or was due. */
  readonly due: Map<string, number>;
  /** Aborted when the lease is lost, and with it the runs of the cluster's jobs. */
  tenure: AbortController;
  readonly records: JobRecords;
  /** Aborted to end the wait of a job before its time. */
  readonly wakes: Map<string, AbortController>;
  /** All unfinished runs, including those over their time limit. These promises never reject. */
  readonly underWay: Set<Promise<void>>;
}

/** The runs of the cluster's jobs are those of the node that has the lease. */
async function listJobs({ store }: SchedulerPorts, jobs: readonly Job[], { epoch, records }: State) {
  const here = records.list();
  if (epoch !== null) return here;
  const stored = new Map((await store.jobs.listRuns()).map((run) => [run.name, run]));
  return here.map((state, index) =>
    jobs[index]?.scope === "cluster" ? { ...state, ...stored.get(state.name) } : state,
  );
}

function runNow({ epoch, records, wakes }: State, job: Job | undefined): JobStart {
  if (job === undefined) return "unknown";
  if (records.isRunning(job.name)) return "running";
  if (job.scope === "cluster" && epoch === null) return "elsewhere";
  // From now on, so that nobody starts it a second time before its loop wakes up.
  records.begins(job.name);
  wakes.get(job.name)?.abort();
  return "started";
}

async function saveRecords({ store, log }: SchedulerPorts, { records }: State, always = false): Promise<void> {
  await records.save(store.jobs, always).catch((error) => log.error("the runs of jobs could not be noted", error));
}

/** Compares the clock with the last change in the store, which cannot be in the future. */
function distrustAtStart({ clock, timers, log, lastChangeAt }: SchedulerPorts): number {
  const now = clock.now();
  const since = lastChangeAt === null ? 0 : now - lastChangeAt;
  if (since >= -JUMP && since <= LONG_SILENCE) return Number.NEGATIVE_INFINITY;
  const seen = { now: timestamp(now), lastChange: timestamp(lastChangeAt as number) };
  if (since < 0) log.warn("the clock stands before the last change; nothing expires for ten minutes", seen);
  else log.info("the last change was long ago; nothing expires for ten minutes", seen);
  return timers.elapsed() + DISTRUST;
}

/**
 * Extends the lease of an epoch, or takes one anew; returns its epoch, and null while another has it. While the store fails
 * nobody can take it, and a running order of a certificate is not to be lost.
 */
async function keepLease({ store, clock, node, log }: SchedulerPorts, epoch: number | null): Promise<number | null> {
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

/** Keeps the lease alive and watches for jumps of the wall clock. */
async function pulse(ports: SchedulerPorts, state: State, stop: AbortSignal): Promise<void> {
  const { clock, timers, log } = ports;
  let wall = clock.now();
  let elapsed = timers.elapsed();
  let renewed = elapsed;
  for (;;) {
    await timers.wait(PULSE, stop);
    if (stop.aborted) return;
    await saveRecords(ports, state);
    const drift = clock.now() - wall - (timers.elapsed() - elapsed);
    wall = clock.now();
    elapsed = timers.elapsed();
    if (Math.abs(drift) > JUMP) {
      state.distrustUntil = elapsed + DISTRUST;
      log.warn("the clock jumped; nothing expires for ten minutes", { seconds: Math.round(drift / 1000) });
    }
    // The lease is measured by the wall clock, so that it may have expired after a jump.
    if (Math.abs(drift) < PULSE && elapsed - renewed < LEASE_RENEWAL) continue;
    renewed = elapsed;
    const epoch = await keepLease(ports, state.epoch);
    if (epoch === state.epoch) continue;
    state.epoch = epoch;
    state.tenure.abort();
    state.tenure = new AbortController();
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
  const { records, wakes } = state;
  for (;;) {
    records.waits(job.name, wait);
    await timers.wait(wait, AbortSignal.any([stop, wakes.get(job.name)!.signal]));
    if (stop.aborted) return;
    wakes.set(job.name, new AbortController());
    if (job.scope === "cluster" && state.epoch === null) {
      wait = Math.min(job.every, LEASE_RENEWAL);
      continue;
    }
    records.begins(job.name);
    try {
      await runOnce(job, timers, state, stop);
      records.ends(job.name, null);
      if (failures > 0) await store.jobs.clearFailure(job.name);
      failures = 0;
      wait = job.every;
      state.due.set(job.name, timers.elapsed() + wait);
    } catch (error) {
      if (stop.aborted) return;
      records.ends(job.name, error);
      failures++;
      wait = backOff(failures, random());
      log.error(`the job ${job.name} failed and runs again in ${Math.round(wait / 1000)} s`, error);
      const failure = { name: job.name, failures, notBefore: clock.now() + wait };
      await store.jobs.saveFailure(failure).catch((cause) => log.error("a failure could not be noted", cause));
    }
  }
}

/** Rejects with the job's error, or when its time is over. A hanging run is abandoned. */
async function runOnce(job: Job, timers: Timers, state: State, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const isOfNode = job.scope === "node";
  const signal = AbortSignal.any([stop, over.signal, ...(isOfNode ? [] : [state.tenure.signal])]);
  const lease = isOfNode || state.epoch === null ? null : { name: SCHEDULER_LEASE, epoch: state.epoch };
  const clockTrusted = timers.elapsed() >= state.distrustUntil;
  const run = Promise.try(() => job.run({ signal, lease, clockTrusted }));
  const end = run.catch(() => {}).finally(() => state.underWay.delete(end));
  state.underWay.add(end);
  const limit = timers.wait(job.timeLimit, signal).then(() => {
    if (!over.signal.aborted) throw new Error(`no end after ${job.timeLimit / 1000} s`);
  });
  // Ignore the loser's rejection.
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
