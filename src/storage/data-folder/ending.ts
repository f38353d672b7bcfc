/** What asks to end. */
const ENDING = ["SIGINT", "SIGTERM"] as const;

/**
 * Works, and where the process is asked to end meanwhile it clears up and ends. Nobody waits for what `clearUp` does
 * not do at once.
 */
export async function clearingUpAtEnd<T>(clearUp: () => void, work: () => Promise<T>): Promise<T> {
  const end = (_: NodeJS.Signals, number: number) => {
    clearUp();
    process.exit(128 + number);
  };
  for (const signal of ENDING) process.on(signal, end);
  try {
    return await work();
  } finally {
    // What was sent while the work held the thread is heard with the next turn.
    await new Promise(setImmediate);
    for (const signal of ENDING) process.off(signal, end);
  }
}
