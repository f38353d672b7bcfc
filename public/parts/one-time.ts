import { useLayoutEffect } from "preact/hooks";
import { holdPage } from "../api/client.ts";
import type { Resource } from "../api/resource.ts";
import { makeNotice } from "./notice.ts";

interface Told {
  readonly id: string;
}

const shown = new Map<string, readonly Told[]>();
/** Those whose list has been asked for since: it has them, or they are gone. */
const listed = new WeakSet<Told>();
const notice = makeNotice();

interface OneTime<T> {
  /** Newest first. */
  readonly all: readonly T[];
  /** Shows it at once, and asks for the list again. What came before under the same id gives way. */
  readonly add: (one: T) => void;
  readonly putAway: (id: string) => void;
}

/**
 * What the server tells once and never again: each stays until it is put away or gone from the list, then for good,
 * whatever page is looked at meanwhile, also when it comes after its page was left. In this window's memory alone: a reload
 * forgets it. A list from before it came, or that cannot be loaded, hides nothing.
 */
export function useOneTime<T extends Told>(key: string, list: Resource<readonly Told[]>): OneTime<T> {
  notice.use();
  const told = (): readonly T[] => (shown.get(key) ?? []) as readonly T[];
  const isGone = (one: T) =>
    listed.has(one) && (list.error ? list.error.status === 404 : list.data?.some(({ id }) => id === one.id) === false);
  const others = (id: string) => told().filter((one) => one.id !== id);
  const all = told().filter((one) => !isGone(one));
  useLayoutEffect(() => {
    if (all.length < told().length) keep(key, all);
  });
  return {
    all,
    add(one) {
      keep(key, [one, ...others(one.id)]);
      void list.reload().then(() => {
        listed.add(one);
        notice.tell();
      });
    },
    putAway: (id) => keep(key, others(id)),
  };
}

/** Forgets all whose keys start so. */
export function forgetOneTime(start: string): void {
  for (const key of shown.keys()) if (key.startsWith(start)) keep(key, []);
}

/** Lets the page be left for the sign-in page, which would lose what is shown; null while nothing is. */
let letGo: (() => void) | null = null;

function keep(key: string, all: readonly Told[]): void {
  shown.set(key, all);
  const isAnyShown = [...shown.values()].some(({ length }) => length > 0);
  if (isAnyShown) letGo ??= holdPage();
  else {
    letGo?.();
    letGo = null;
  }
  notice.tell();
}
