/**
 * Returns `send` one at a time: requests that overtake each other on the way would leave behind what was asked for
 * first. Of the values that come while one is sent only the newest is. Resolves with whether the value was sent.
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
