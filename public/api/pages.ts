import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "./client.ts";

/** What is shown of a list that comes in pages, newest first. */
export interface Pages<T> {
  readonly rows: readonly T[];
  /** Why the last page that was asked for did not come. */
  readonly problem: string | null;
  /** Adds the next page; null where there is none. */
  readonly showMore: (() => Promise<void>) | null;
}

/**
 * Returns the newest page with all older ones that were asked for. They are asked for again whenever the newest page was,
 * also after they failed to come: what is new moves everything behind it. Until they are there, those of before follow the
 * newest page as far as they continue it.
 */
export function usePages<T>(
  newest: readonly T[],
  size: number,
  numberOf: (row: T) => number,
  ask: (before: number) => Promise<readonly T[]>,
): Pages<T> {
  const [held, setHeld] = useState<readonly (readonly T[])[]>([newest]);
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = useRef(1);
  const turn = useRef(0);
  const load = async (known: readonly (readonly T[])[]) => {
    turn.current += 1;
    const mine = turn.current;
    const pages = [...known];
    let failure: string | null = null;
    try {
      for (let last = lastOf(pages, size); last && pages.length < wanted.current; last = lastOf(pages, size)) {
        pages.push(await ask(numberOf(last)));
      }
    } catch (error) {
      failure = `Cannot show older ones. ${messageOf(error)}`;
    }
    if (mine !== turn.current) return;
    setProblem(failure);
    setHeld(pages);
  };
  useEffect(() => {
    void load([newest]);
  }, [newest]);
  const showMore = () => {
    wanted.current = Math.max(wanted.current, held.length + 1);
    return load(held[0] === newest ? held : [newest]);
  };
  return { rows: joined(newest, held.flat(), numberOf), problem, showMore: lastOf(held, size) ? showMore : null };
}

/** Returns the newest page, and what is known behind its last row: nothing where that row is not among what is known. */
export function joined<T>(newest: readonly T[], known: readonly T[], numberOf: (row: T) => number): readonly T[] {
  const last = newest.at(-1);
  const end = last === undefined ? -1 : known.findIndex((row) => numberOf(row) === numberOf(last));
  return end === -1 ? newest : [...newest, ...known.slice(end + 1)];
}

/** The row that the next page follows; none where the last page is not full. */
function lastOf<T>(pages: readonly (readonly T[])[], size: number): T | undefined {
  const page = pages.at(-1);
  return page?.length === size ? page.at(-1) : undefined;
}
