/**
 * Calls `work` for each item, `width` at a time. After an error no further item is started, and the error is thrown.
 */
export async function eachInParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = iteratorOf(items);
  let ended = false;
  // Items are requested one by one, because not every iterator supports concurrent requests.
  let turn: Promise<unknown> = Promise.resolve();
  const next = (): Promise<IteratorResult<T>> => {
    const result = turn.then(() => rest.next());
    turn = result.catch(() => {});
    return result;
  };
  const takeTurns = async () => {
    try {
      while (!ended) {
        const { value, done } = await next();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      ended = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: width }, takeTurns));
  const failed = results.find((result) => result.status === "rejected");
  if (!failed) return;
  await rest.return?.();
  throw failed.reason;
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
