import { messageOf } from "../domain/error-message.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { JobState } from "../domain/ports/jobs.ts";
import type { JobRun as StoredRun } from "../domain/ports/store/jobs.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Runs of jobs that run every few seconds are stored together, at most this often. */
const SAVE_INTERVAL = MINUTE;

/** Maximum stored characters of an error. */
const MAX_ERROR = 500;

type Times = { readonly clock: Clock; readonly timers: Pick<Timers, "elapsed"> };

/** The runs of a job. Times of the next and the current run are on the monotonic clock. */
interface JobRecord {
  readonly job: Job;
  last: Pick<StoredRun, "lastRunAt" | "lastDurationMs" | "lastError"> | null;
  nextAt: number;
  begun: { readonly wall: number; readonly elapsed: number } | null;
  isSaved: boolean;
}

/** The results and the next runs of all jobs, which are stored across restarts. */
export class JobRecords {
  readonly #records: ReadonlyMap<string, JobRecord>;
  readonly #times: Times;
  #savedAt: number;
  #isUrgent = false;
  #failures = 0;

  /** `stored` are the runs of earlier starts. */
  constructor(times: Times, jobs: readonly Job[], stored: readonly StoredRun[]) {
    const nextAt = times.timers.elapsed();
    const lastOf = new Map(stored.map((run) => [run.name, run]));
    const record = (job: Job): JobRecord => {
      return { job, last: lastOf.get(job.name) ?? null, nextAt, begun: null, isSaved: true };
    };
    this.#times = times;
    this.#savedAt = nextAt;
    this.#records = new Map(jobs.map((job) => [job.name, record(job)]));
  }

  /** Failed runs since the start. */
  get failures(): number {
    return this.#failures;
  }

  isRunning(name: string): boolean {
    return this.#of(name).begun !== null;
  }

  waits(name: string, milliseconds: number): void {
    this.#of(name).nextAt = this.#times.timers.elapsed() + milliseconds;
  }

  begins(name: string): void {
    const { clock, timers } = this.#times;
    this.#of(name).begun = { wall: clock.now(), elapsed: timers.elapsed() };
  }

  /** Records that a run that was to begin does not. */
  skips(name: string): void {
    this.#of(name).begun = null;
  }

  /** Records the end of the last started run, with its error or null. */
  ends(name: string, error: unknown): void {
    const record = this.#of(name);
    const { begun, last } = record;
    if (begun === null) return;
    const lastError = error === null ? null : messageOf(error).slice(0, MAX_ERROR);
    const lastDurationMs = Math.round(this.#times.timers.elapsed() - begun.elapsed);
    record.last = { lastRunAt: begun.wall, lastDurationMs, lastError };
    record.begun = null;
    record.isSaved = false;
    if (lastError !== null) this.#failures++;
    if (record.job.every >= SAVE_INTERVAL || lastError !== (last?.lastError ?? null)) this.#isUrgent = true;
  }

  list(): JobState[] {
    return [...this.#records.values()].map((record) => ({
      name: record.job.name,
      every: record.job.every,
      lastRunAt: record.last?.lastRunAt ?? null,
      lastDurationMs: record.last?.lastDurationMs ?? null,
      lastError: record.last?.lastError ?? null,
      nextRunAt: record.begun === null ? this.#nextRunAt(record) : null,
      running: record.begun !== null,
    }));
  }

  /** Stores the runs that ended since the last call, if necessary now; `always` at the end. */
  async save(store: { saveRuns(runs: readonly StoredRun[]): Promise<void> }, always = false): Promise<void> {
    const now = this.#times.timers.elapsed();
    const unsaved = [...this.#records.values()].filter(({ isSaved }) => !isSaved);
    const isDue = always || this.#isUrgent || now - this.#savedAt >= SAVE_INTERVAL;
    if (unsaved.length === 0 || !isDue) return;
    const runs = unsaved.flatMap((record) =>
      record.last ? [{ name: record.job.name, ...record.last, nextRunAt: this.#nextRunAt(record) }] : [],
    );
    for (const record of unsaved) record.isSaved = true;
    this.#isUrgent = false;
    this.#savedAt = now;
    await store.saveRuns(runs);
  }

  #nextRunAt({ nextAt }: JobRecord): number {
    const { clock, timers } = this.#times;
    return Math.round(clock.now() + Math.max(0, nextAt - timers.elapsed()));
  }

  #of(name: string): JobRecord {
    return this.#records.get(name) as JobRecord;
  }
}
