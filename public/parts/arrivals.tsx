import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { makeNotice } from "../api/notice.ts";
import { Icon } from "./icons.tsx";
import { announce } from "./toasts.tsx";

/** Announced changes are reloaded by then. */
const EXPECTED_FOR_MS = 5000;
/** The duration of the animation in base.css. */
const TINTED_FOR_MS = 2000;

type Key = string | number;

interface Place {
  readonly current: Element | null;
}

let expectedUntil = Number.NEGATIVE_INFINITY;
/** The number of new rows above a scrolled list. */
let waiting: { readonly count: number; readonly list: Place } | null = null;
const notice = makeNotice();

/** Announces changes by others. Rows that are loaded soon after count as new. */
export function announceChanges(changes: readonly string[]): void {
  expectedUntil = performance.now() + EXPECTED_FOR_MS;
  for (const change of changes) announce(change);
}

/**
 * Returns the keys of the rows that somebody else added in the last two seconds, which should have the class `arrived`.
 * Rows that are added above the visible part of `list` are announced by a button. A hook. `rows` must be the same
 * object while nothing changes, and all have about the same height.
 */
export function useArrivals<Row>(rows: readonly Row[], keyOf: (row: Row) => Key, list: Place): ReadonlySet<Key> {
  const known = useRef<ReadonlySet<Key> | null>(null);
  const [arrived, setArrived] = useState<ReadonlySet<Key>>(NONE);
  useLayoutEffect(() => {
    const keys = rows.map(keyOf);
    const before = known.current;
    known.current = before ? before.union(new Set(keys)) : new Set(keys);
    if (before === null || performance.now() >= expectedUntil) return;
    const added = keys.filter((key) => !before.has(key));
    if (added.length === 0) return;
    setArrived(new Set(added));
    setTimeout(() => setArrived(NONE), TINTED_FOR_MS);
    const isAbove = (key: Key) => isOutOfSight(list, keys.indexOf(key) / keys.length);
    wait(added.filter(isAbove).length, list);
  }, [rows]);
  return arrived;
}

/** The button above a scrolled list to which others added rows. */
export function Arrivals(): JSX.Element | null {
  notice.use();
  useLayoutEffect(() => {
    const look = () => {
      if (waiting && !isOutOfSight(waiting.list, 0)) forget();
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  if (waiting === null) return null;
  const { count, list } = waiting;
  const show = () => {
    forget();
    const top = list.current?.getBoundingClientRect().top ?? 0;
    scrollBy({ top: top - headerHeight() - SPACE_ABOVE });
  };
  return (
    <button type="button" class="button small new-above" onClick={show}>
      <Icon name="arrowUp" /> {count} new
    </button>
  );
}

// --- internal ---

const NONE: ReadonlySet<Key> = new Set();

/** Space for the column heads, in pixels. */
const SPACE_ABOVE = 96;

function wait(count: number, list: Place): void {
  if (count === 0) return;
  const before = waiting?.list === list ? waiting.count : 0;
  waiting = { count: before + count, list };
  notice.notify();
}

function forget(): void {
  waiting = null;
  notice.notify();
}

/** Returns whether the row at this share of the list's height is above the window. */
function isOutOfSight({ current: list }: Place, share: number): boolean {
  const { top, height } = list?.getBoundingClientRect() ?? { top: 0, height: 0 };
  return top + height * share < headerHeight() - 1;
}

function headerHeight(): number {
  return document.querySelector(".top")?.getBoundingClientRect().height ?? 0;
}
