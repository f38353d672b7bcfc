import { unlessUnavailable } from "../domain/errors.ts";
import { jittered, longest } from "../domain/jitter.ts";
import type { JobStart, Jobs } from "../domain/ports/jobs.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";
import { JobRecords } from "./job-records.ts";
import { LEASE_RENEWAL, SchedulerLease, type SchedulerLeasePorts } from "./scheduler-lease.ts";

interface SchedulerPorts extends SchedulerLeasePorts {
  /** Returns a number in [0, 1) for jitter. */
  readonly random: () => number;
}

export interface Scheduler extends Jobs {
  /** Returns how many runs have failed since the start. */
  failures(): number;
  /** Returns for how many milliseconds each job has been overdue; 0 if it is not due. It grows while a job fails or hangs. */
  lags(): readonly { readonly job: string; readonly lag: number }[];
  /** Aborts all runs, waits for them for a few seconds, and releases the lease. */
  stop(): Promise<void>;
}

/** Delays after consecutive failures; the last one repeats. */
const BACK_OFF = [1, 2, 5, 10, 30, 60, 360].map((minutes) => minutes * MINUTE);
const MAX_BACK_OFF = longest(Math.max(...BACK_OFF));

/** The time that a stop waits for aborted runs. */
const STOP_LIMIT = 5 * SECOND;

/**
 * Runs each job in its own loop: a job that fails or hangs is retried later and does not affect the others.
 * Intervals are measured by the monotonic clock, so that a jump of the wall clock neither floods nor starves a job.
 * The lease of this node's killed process is taken over at once; that of another node must expire first.
 */
export async function startScheduler(ports: SchedulerPorts, jobs: readonly Job[]): Promise<Scheduler> {
  const { store, timers } = ports;
  const stopping = new AbortController();
  const state: State = {
    lease: await SchedulerLease.begin(ports),
    due: new Map(jobs.map(({ name }) => [name, timers.elapsed()])),
    records: new JobRecords(ports, jobs, await unlessUnavailable(store.jobs.listRuns(), [])),
    wakes: new Map(jobs.map(({ name }) => [name, new AbortController()])),
    underWay: new Set(),
  };
  const failures = new Map(
    (await unlessUnavailable(store.jobs.listFailures(), [])).map((failure) => [failure.name, failure]),
  );
  const loops = jobs.map((job) => {
    const failure = isOfCluster(job) ? failures.get(job.name) : undefined;
    const wait = failure ? failure.notBefore - ports.clock.now() : 0;
    const first = { failures: failure?.failures ?? 0, wait: Math.max(0, Math.min(wait, MAX_BACK_OFF)) };
    return repeat(ports, job, first, state, stopping.signal);
  });
  loops.push(state.lease.keep(stopping.signal, () => saveRecords(ports, state)));

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
      await state.lease.end();
    },
  };
}

// --- internal ---

interface State {
  readonly lease: SchedulerLease;
  /** Monotonic time at which each job is or was due. */
  readonly due: Map<string, number>;
  readonly records: JobRecords;
  /** Aborted to end a job's wait early. */
  readonly wakes: Map<string, AbortController>;
  /** All unfinished runs, including those over their time limit. These promises never reject. */
  readonly underWay: Set<Promise<void>>;
}

/** The runs of the cluster's jobs are those of the node with the lease. */
async function listJobs({ store }: SchedulerPorts, jobs: readonly Job[], { lease, records }: State) {
  const here = records.list();
  if (lease.held !== null) return here;
  const stored = new Map((await store.jobs.listRuns()).map((run) => [run.name, run]));
  return here.map((state, index) =>
    jobs[index]?.scope === "cluster" ? { ...state, ...stored.get(state.name) } : state,
  );
}

function runNow({ lease, records, wakes }: State, job: Job | undefined): JobStart {
  if (job === undefined) return "unknown";
  if (records.isRunning(job.name)) return "running";
  if (isOfCluster(job) && lease.held === null) return "elsewhere";
  // Recorded now, so that nobody starts it a second time before its loop wakes up.
  records.begins(job.name);
  wakes.get(job.name)?.abort();
  return "started";
}

async function saveRecords({ store, log }: SchedulerPorts, { records }: State, always = false): Promise<void> {
  await records.save(store.jobs, always).catch((error) => log.error("the runs of jobs could not be noted", error));
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
  const { lease, records, wakes } = state;
  for (;;) {
    records.waits(job.name, wait);
    await timers.wait(wait, AbortSignal.any([stop, wakes.get(job.name)!.signal]));
    if (stop.aborted) return;
    wakes.set(job.name, new AbortController());
    if (ports.isPaused?.() || (isOfCluster(job) && lease.held === null)) {
      records.skips(job.name);
      wait = Math.min(job.every, LEASE_RENEWAL);
      continue;
    }
    records.begins(job.name);
    try {
      await runOnce(job, timers, state, stop);
      records.ends(job.name, null);
      if (failures > 0 && isOfCluster(job)) await store.jobs.deleteFailure(job.name);
      failures = 0;
      wait = job.every;
      state.due.set(job.name, timers.elapsed() + wait);
    } catch (error) {
      if (stop.aborted) return;
      records.ends(job.name, error);
      failures++;
      wait = backOff(failures, random());
      log.error(`the job ${job.name} failed and runs again in ${Math.round(wait / 1000)} s`, error);
      if (!isOfCluster(job)) continue;
      const failure = { name: job.name, failures, notBefore: clock.now() + wait };
      await store.jobs.saveFailure(failure).catch((cause) => log.error("a failure could not be noted", cause));
    }
  }
}

/** Failures of the other jobs are not stored, because nodes share the store, and the cause may be on one of them. */
function isOfCluster({ scope }: Job): boolean {
  return scope === "cluster";
}

/** Rejects with the job's error, or when its time is over. A hanging run is abandoned. */
async function runOnce(job: Job, timers: Timers, state: State, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const isOfNode = job.scope === "node";
  const signal = AbortSignal.any([stop, over.signal, ...(isOfNode ? [] : [state.lease.signal])]);
  const lease = isOfNode ? null : state.lease.held;
  const { clockTrusted } = state.lease;
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
