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
 * Returns the newest page with all older ones that were asked for. They are asked for again whenever the newest page was:
 * what is new moves everything behind it, and what was live may no longer be. Until they are there, the pages of before
 * stay as they were, since a new first page in front of old others has a gap behind it.
 */
export function usePages<T>(newest: readonly T[], size: number, ask: (last: T) => Promise<readonly T[]>): Pages<T> {
  const [held, setHeld] = useState<readonly (readonly T[])[]>([newest]);
  const [problem, setProblem] = useState<string | null>(null);
  const turn = useRef(0);
  const shown = held.length > 1 ? held : [newest];
  const load = async (known: readonly (readonly T[])[], wanted: number) => {
    turn.current += 1;
    const mine = turn.current;
    const pages = [...known];
    let failure: string | null = null;
    try {
      for (let last = lastOf(pages, size); last !== undefined && pages.length < wanted; last = lastOf(pages, size)) {
        pages.push(await ask(last));
      }
    } catch (error) {
      failure = `Cannot show older ones. ${messageOf(error)}`;
    }
    if (mine !== turn.current) return;
    setProblem(failure);
    setHeld(pages);
  };
  useEffect(() => {
    if (held.length > 1) void load([newest], held.length);
  }, [newest]);
  return {
    rows: shown.flat(),
    problem,
    showMore:
      lastOf(shown, size) === undefined ? null : () => load(shown[0] === newest ? shown : [newest], shown.length + 1),
  };
}

/** The row that the next page follows; none where the last page is not full. */
function lastOf<T>(pages: readonly (readonly T[])[], size: number): T | undefined {
  const page = pages.at(-1);
  return page?.length === size ? page.at(-1) : undefined;
}
