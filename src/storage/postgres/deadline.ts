/** What waited longer than it may: the server, or the way to it, hangs. */
export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`PostgreSQL did not answer within ${milliseconds / 1000} s`);
  }
}

/** Settles as `work`; after so many milliseconds it calls `giveUp`, which ends the work, and throws DeadlineMissed. */
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
