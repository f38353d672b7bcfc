import type { Resource } from "../api/resource.ts";
import { makeNotice } from "./notice.ts";

interface Told {
  readonly id: string;
}

const shown = new Map<string, readonly Told[]>();
const notice = makeNotice();

export interface OneTime<T> {
  /** Newest first. */
  readonly all: readonly T[];
  /** What came before under the same id gives way. */
  readonly add: (one: T) => void;
  readonly putAway: (id: string) => void;
}

/**
 * What the server tells once and never again: each stays until it is put away, whatever page is looked at meanwhile, also
 * when it comes after its page was left. In this window's memory alone: a reload forgets it. Not shown once the list has
 * it no more, because it was removed elsewhere; a list that cannot be loaded hides nothing.
 */
export function useOneTime<T extends Told>(key: string, list: Resource<readonly Told[]>): OneTime<T> {
  notice.use();
  const told = (): readonly T[] => (shown.get(key) ?? []) as readonly T[];
  const isThere = (one: T) => list.error !== undefined || list.data?.some(({ id }) => id === one.id) === true;
  const others = (id: string) => told().filter((one) => one.id !== id);
  return {
    all: told().filter(isThere),
    add: (one) => keep(key, [one, ...others(one.id)]),
    putAway: (id) => keep(key, others(id)),
  };
}

/** For whoever deletes what it belongs to: a new one of that name has none of its secrets. */
export function forgetOneTime(key: string): void {
  keep(key, []);
}

function keep(key: string, all: readonly Told[]): void {
  shown.set(key, all);
  notice.tell();
}
