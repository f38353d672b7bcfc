/** The signals that end the process. */
const END_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs `work`. If a signal asks the process to end meanwhile, runs `clearUp` and ends. Only the synchronous part of
 * `clearUp` is waited for.
 */
export async function clearingUpAtEnd<T>(clearUp: () => void, work: () => Promise<T>): Promise<T> {
  const end = (_: NodeJS.Signals, number: number) => {
    clearUp();
    process.exit(128 + number);
  };
  for (const signal of END_SIGNALS) process.on(signal, end);
  try {
    return await work();
  } finally {
    // A signal that arrived while the work blocked the thread is handled in the next turn of the event loop.
    await new Promise(setImmediate);
    for (const signal of END_SIGNALS) process.off(signal, end);
  }
}
