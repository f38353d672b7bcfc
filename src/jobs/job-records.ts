import { messageOf } from "../domain/error-message.ts";
import type { JobState } from "../domain/ports/jobs.ts";
import type { JobRun as StoredRun } from "../domain/ports/store/jobs.ts";
import type { Clock } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { MINUTE } from "../domain/timestamp.ts";
import type { Job } from "./job.ts";

/** Runs of jobs that run every few seconds are stored together, at most this often. So is what could not be stored. */
const SAVE_INTERVAL = MINUTE;

/** Maximum stored characters of an error. */
const MAX_ERROR = 500;

type Times = { readonly clock: Clock; readonly timers: Pick<Timers, "elapsed"> };

type EndedRun = Pick<StoredRun, "lastRunAt" | "lastDurationMs" | "lastError">;

/** The runs of a job. Times of the next and the current run are on the monotonic clock. */
interface JobRecord {
  readonly job: Job;
  last: EndedRun | null;
  /** The stored one. */
  saved: EndedRun | null;
  nextAt: number;
  begun: { readonly wall: number; readonly elapsed: number } | null;
}

/** The results and the next runs of all jobs, which are stored across restarts. */
export class JobRecords {
  readonly #records: ReadonlyMap<string, JobRecord>;
  readonly #times: Times;
  /** When runs were last stored, or could not be. */
  #triedAt: number;
  #hasFailed = false;
  #failures = 0;

  /** `stored` are the runs of earlier starts. */
  constructor(times: Times, jobs: readonly Job[], stored: readonly StoredRun[]) {
    const nextAt = times.timers.elapsed();
    const lastOf = new Map(stored.map((run) => [run.name, run]));
    const record = (job: Job): JobRecord => {
      const last = lastOf.get(job.name) ?? null;
      return { job, last, saved: last, nextAt, begun: null };
    };
    this.#times = times;
    this.#triedAt = nextAt;
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
    const { begun } = record;
    if (begun === null) return;
    const lastError = error === null ? null : messageOf(error).slice(0, MAX_ERROR);
    const lastDurationMs = Math.round(this.#times.timers.elapsed() - begun.elapsed);
    record.last = { lastRunAt: begun.wall, lastDurationMs, lastError };
    record.begun = null;
    if (lastError !== null) this.#failures++;
  }

  list(): JobState[] {
    return [...this.#records.values()].map((record) => ({
      name: record.job.name,
      title: record.job.title,
      every: record.job.every,
      lastRunAt: record.last?.lastRunAt ?? null,
      lastDurationMs: record.last?.lastDurationMs ?? null,
      lastError: record.last?.lastError ?? null,
      nextRunAt: record.begun === null ? this.#nextRunAt(record) : null,
      running: record.begun !== null,
    }));
  }

  /** Stores the runs that are not stored yet, if necessary now; `always` at the end. */
  async save(store: { saveRuns(runs: readonly StoredRun[]): Promise<void> }, always: boolean): Promise<void> {
    const now = this.#times.timers.elapsed();
    const unsaved = [...this.#records.values()].filter(({ last, saved }) => last !== saved);
    const isUrgent = !this.#hasFailed && unsaved.some(isUrgentRun);
    const isDue = always || isUrgent || now - this.#triedAt >= SAVE_INTERVAL;
    if (unsaved.length === 0 || !isDue) return;
    // A job may end again while this is written.
    const written = unsaved.flatMap((record) => (record.last ? [{ record, last: record.last }] : []));
    this.#triedAt = now;
    this.#hasFailed = true;
    await store.saveRuns(
      written.map(({ record, last }) => ({ name: record.job.name, ...last, nextRunAt: this.#nextRunAt(record) })),
    );
    this.#hasFailed = false;
    for (const { record, last } of written) record.saved = last;
  }

  #nextRunAt({ nextAt }: JobRecord): number {
    const { clock, timers } = this.#times;
    return Math.round(clock.now() + Math.max(0, nextAt - timers.elapsed()));
  }

  #of(name: string): JobRecord {
    return this.#records.get(name) as JobRecord;
  }
}

// --- internal ---

/** A job that runs rarely, or that has just begun or ceased to fail. */
function isUrgentRun({ job, last, saved }: JobRecord): boolean {
  return job.every >= SAVE_INTERVAL || (last?.lastError ?? null) !== (saved?.lastError ?? null);
}
