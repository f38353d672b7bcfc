/** Positions in the memory that the threads of a process share. The first is the generation. */
const [ISSUED, FINISHED] = [1, 2];

/**
 * Milliseconds without progress after which a thread no longer waits for its turn: the thread before it has ended, or
 * makes a long change. SQLite's own lock excludes it then.
 */
const PATIENCE_MS = 2000;

/**
 * Runs work when it is this thread's turn. The threads of a process take turns in the order of their tickets, because
 * SQLite does not queue for its lock: one of four threads waited up to six seconds.
 */
export async function inTurn<T>(cell: Int32Array, work: () => Promise<T>, patience = PATIENCE_MS): Promise<T> {
  const ticket = Atomics.add(cell, ISSUED, 1);
  await waitForTurn(cell, ticket, patience);
  try {
    return await work();
  } finally {
    finish(cell, ticket);
  }
}

// --- internal ---

async function waitForTurn(cell: Int32Array, ticket: number, patience: number): Promise<void> {
  for (;;) {
    const finished = Atomics.load(cell, FINISHED);
    if (!isBefore(finished, ticket)) return;
    const { value } = Atomics.waitAsync(cell, FINISHED, finished, patience);
    if ((await value) === "timed-out") return;
  }
}

/** A thread that lost its patience may finish before the one before it. */
function finish(cell: Int32Array, ticket: number): void {
  for (;;) {
    const finished = Atomics.load(cell, FINISHED);
    if (!isBefore(finished, ticket + 1)) return;
    if (Atomics.compareExchange(cell, FINISHED, finished, (ticket + 1) | 0) === finished) break;
  }
  Atomics.notify(cell, FINISHED);
}

/** Compares tickets, which start again after 2^32. */
function isBefore(one: number, other: number): boolean {
  return ((one - other) | 0) < 0;
}
