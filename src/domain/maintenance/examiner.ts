import { messageOf } from "../error-message.ts";
import { DomainError } from "../errors.ts";
import type { Finding } from "../model/finding.ts";
import type { Examination, Examiner } from "../ports/examiner.ts";
import type { Clock } from "../ports/system.ts";
import type { Timers } from "../ports/timers.ts";
import { SECOND } from "../timestamp.ts";

/** Findings are reused for this long, so that reloading a page starts no process. */
const KEPT_MS = 30 * SECOND;

/** The checks contact DNS, the CA and the server itself, each with its own time limit. */
const DEADLINE_MS = 60 * SECOND;

const RETRY_AFTER_SECONDS = 10;

interface ExaminerPorts {
  /** Runs the checks. Rejects if they cannot run. Aborting the signal ends them. */
  run(signal: AbortSignal): Promise<readonly Finding[]>;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Returns the examiner of one server. `stop` aborts running checks. */
export function makeExaminer({ run, clock, timers }: ExaminerPorts): Examiner & { stop(): void } {
  const stopping = new AbortController();
  let last: Promise<Examination> | null = null;
  let endedAt: number | null = null;

  const examine = async (): Promise<Examination> => {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping.signal, over.signal]);
    const limit = timers.wait(DEADLINE_MS, signal).then(() => {
      throw new Error(`no end after ${DEADLINE_MS / SECOND} s`);
    });
    // Ignore the loser's rejection.
    limit.catch(() => {});
    try {
      return { findings: await Promise.race([run(signal), limit]), checkedAt: clock.now() };
    } catch (cause) {
      last = null;
      throw new DomainError("unavailable", `the checks could not be run: ${messageOf(cause)}`, {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    } finally {
      endedAt = timers.elapsed();
      over.abort();
    }
  };
  return {
    examine() {
      const isOld = endedAt !== null && timers.elapsed() - endedAt >= KEPT_MS;
      if (last === null || isOld) {
        endedAt = null;
        last = examine();
      }
      return last;
    },
    stop: () => stopping.abort(),
  };
}
