import type { Resource } from "./resource.ts";

/**
 * Returns `main` without its data until each of the others is loaded or has failed, so that the first view is complete
 * and nothing moves.
 */
export function together<T>(main: Resource<T>, ...others: readonly Resource<unknown>[]): Resource<T> {
  const isSettled = others.every(({ data, error }) => data !== undefined || error !== undefined);
  return isSettled ? main : { ...main, data: undefined };
}
