import { DomainError } from "./errors.ts";

/** Runs a task in the turn of its subject. */
export type InTurn = <Result>(subject: string, task: () => Promise<Result>) => Promise<Result>;

const RETRY_AFTER_SECONDS = 2;

/**
 * Returns a function that runs one task at a time. The subjects that wait take turns, so that a subject with many
 * tasks delays the others by one of them in each round. Throws `unavailable`, with the detail, if `maxWaiting` tasks of the subject
 * are waiting.
 */
export function makeTurns(maxWaiting: number, detail: string): InTurn {
  // The subject whose turn is next comes first.
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;

  function turnOf(subject: string): Promise<void> {
    const own = waiting.get(subject) ?? [];
    if (own.length >= maxWaiting) throw new DomainError("unavailable", detail, { retryAfter: RETRY_AFTER_SECONDS });
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(subject, [...own, resolve]);
    return promise;
  }

  function passOn(): void {
    const [next] = waiting;
    isBusy = next !== undefined;
    if (next === undefined) return;
    const [subject, [begin, ...others]] = next;
    waiting.delete(subject);
    if (others.length > 0) waiting.set(subject, others);
    begin?.();
  }

  return async (subject, task) => {
    if (isBusy) await turnOf(subject);
    isBusy = true;
    try {
      return await task();
    } finally {
      passOn();
    }
  };
}
