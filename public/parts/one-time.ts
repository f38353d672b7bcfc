import { useLayoutEffect } from "preact/hooks";
import { holdPage } from "../api/client.ts";
import { makeNotice } from "../api/notice.ts";
import type { Resource } from "../api/resource.ts";

interface OneTimeSecret {
  readonly id: string;
}

const shown = new Map<string, readonly OneTimeSecret[]>();
/** Secrets whose list was reloaded since: they are in it, or deleted. */
const listed = new WeakSet<OneTimeSecret>();
const notice = makeNotice();

interface OneTime<T> {
  /** Newest first. */
  readonly all: readonly T[];
  /** Shows it at once and reloads the list. It replaces an earlier one with the same ID. */
  readonly add: (one: T) => void;
  readonly dismiss: (id: string) => void;
}

/**
 * Secrets that the server returns once. Each is shown until it is dismissed or deleted from the list,
 * also after navigation, and if it arrives after its page was left. They are only in memory: a reload
 * loses them. A list from before the secret, or one that failed to load, does not hide it.
 */
export function useOneTime<T extends OneTimeSecret>(key: string, list: Resource<readonly OneTimeSecret[]>): OneTime<T> {
  notice.use();
  const current = (): readonly T[] => (shown.get(key) ?? []) as readonly T[];
  const isGone = (one: T) =>
    listed.has(one) && (list.error ? list.error.status === 404 : list.data?.some(({ id }) => id === one.id) === false);
  const others = (id: string) => current().filter((one) => one.id !== id);
  const all = current().filter((one) => !isGone(one));
  useLayoutEffect(() => {
    if (all.length < current().length) keep(key, all);
  });
  return {
    all,
    add(one) {
      keep(key, [one, ...others(one.id)]);
      void list.reload().then(() => {
        listed.add(one);
        notice.notify();
      });
    },
    dismiss: (id) => keep(key, others(id)),
  };
}

/** Removes all secrets whose keys begin with the prefix. */
export function forgetOneTime(start: string): void {
  for (const key of shown.keys()) if (key.startsWith(start)) keep(key, []);
}

/** Allows redirects to the sign-in page again; null while no secret is shown. */
let letGo: (() => void) | null = null;

function keep(key: string, all: readonly OneTimeSecret[]): void {
  shown.set(key, all);
  const isAnyShown = [...shown.values()].some(({ length }) => length > 0);
  if (isAnyShown) letGo ??= holdPage();
  else {
    letGo?.();
    letGo = null;
  }
  notice.notify();
}
