/**
 * Returns a gate that lets one piece of work through in each turn of the event loop. A durable write blocks its thread
 * until the disk has it, some milliseconds at times: a burst of them in one turn would be felt by everything else there.
 */
export function oneAtATurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(nextTurn).then(work);
    last = result.catch(() => {});
    return result;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
