/**
 * Serializes `send`, because concurrent requests can arrive out of order.
 * Of the values that arrive during a request, only the newest is sent. Resolves with whether the value was sent.
 */
export function newestLast<T>(send: (value: T) => Promise<unknown>): (value: T) => Promise<boolean> {
  let before: Promise<unknown> = Promise.resolve();
  let newest = 0;
  return (value) => {
    newest += 1;
    const mine = newest;
    const turn = before.then(async () => {
      if (mine !== newest) return false;
      await send(value);
      return true;
    });
    before = turn.catch(() => {});
    return turn;
  };
}
