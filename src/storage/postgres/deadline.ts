/** An operation took too long: the server or the network hangs. */
export class DeadlineMissed extends Error {
  constructor(milliseconds: number) {
    super(`PostgreSQL did not answer within ${milliseconds / 1000} s`);
  }
}

/**
 * Settles like `work`. After the time limit it calls `giveUp`, which aborts the work, and throws DeadlineMissed. Work of
 * several queries restarts the limit with `extend`.
 */
export async function withDeadline<T>(
  work: (extend: () => void) => Promise<T>,
  milliseconds: number,
  giveUp: () => void,
): Promise<T> {
  const { promise: missed, reject } = Promise.withResolvers<never>();
  const begin = () =>
    setTimeout(() => {
      reject(new DeadlineMissed(milliseconds));
      giveUp();
    }, milliseconds);
  let timer = begin();
  const extend = () => {
    clearTimeout(timer);
    timer = begin();
  };
  try {
    return await Promise.race([work(extend), missed]);
  } finally {
    clearTimeout(timer);
  }
}
