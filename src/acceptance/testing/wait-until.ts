/**
 * Returns the first value that is `done`. Errors do not end it, because a listener that is replaced for new certificates
 * may close a connection.
 */
export async function waitUntil<T>(what: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  let seen: unknown;
  for (let look = 0; look < 4000; look++) {
    try {
      const value = await what();
      if (done(value)) return value;
      seen = value;
    } catch (error) {
      seen = error;
    }
    await Bun.sleep(50);
  }
  throw new Error(`it never happened: ${seen instanceof Error ? seen.message : JSON.stringify(seen, null, 1)}`);
}
