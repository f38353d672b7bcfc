/** An operation took too long: the server or the network hangs. */
export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`PostgreSQL did not answer within ${milliseconds / 1000} s`);
  }
}

/** Settles like `work`. After the time limit it calls `giveUp`, which aborts the work, and throws DeadlineMissed. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number, giveUp: () => void): Promise<T> {
  const { promise: missed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new DeadlineMissed(milliseconds));
    giveUp();
  }, milliseconds);
  try {
    return await Promise.race([work, missed]);
  } finally {
    clearTimeout(timer);
  }
}
