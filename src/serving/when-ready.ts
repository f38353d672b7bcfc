/** Calls `next` with the value: at once if it is there, else when the promise resolves. A cached response never waits. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
