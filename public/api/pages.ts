import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "./client.ts";

/** What is shown of a list that comes in pages, newest first. */
interface Pages<T> {
  readonly rows: readonly T[];
  /** Why the last page that was asked for did not come. */
  readonly problem: string | null;
  /** Adds the next page; null where there is none. */
  readonly showMore: (() => Promise<void>) | null;
}

/**
 * Returns the newest page, as it is with each load, with all older ones that were asked for. They are asked for again with each further one, and
 * whenever the newest page was, also after they failed to come: what is new moves everything behind it. Until they are
 * there, and where they fail to come, those of before follow the newest page as far as they continue it.
 */
export function usePages<T>(
  { data: newest, loads }: { readonly data: readonly T[]; readonly loads: number },
  size: number,
  numberOf: (row: T) => number,
  ask: (before: number) => Promise<readonly T[]>,
): Pages<T> {
  const [known, setKnown] = useState({ rows: newest, ended: newest.length < size });
  const [problem, setProblem] = useState<string | null>(null);
  // So many rows at least, as far as there are any.
  const wanted = useRef(0);
  const turn = useRef(0);
  const load = async () => {
    turn.current += 1;
    const mine = turn.current;
    const rows = [...newest];
    let page = newest;
    let failure: string | null = null;
    try {
      while (page.length === size && rows.length < wanted.current) {
        page = await ask(numberOf(rows.at(-1) as T));
        rows.push(...page);
      }
    } catch (error) {
      failure = `Could not load older entries. ${messageOf(error)}`;
    }
    if (mine !== turn.current) return;
    setProblem(failure);
    if (failure === null) setKnown({ rows, ended: page.length < size });
  };
  useEffect(() => {
    void load();
  }, [newest, loads]);
  const rows = joined(newest, known.rows, numberOf);
  const showMore = () => {
    wanted.current = Math.max(wanted.current, rows.length + 1);
    return load();
  };
  return { rows, problem, showMore: known.ended && problem === null ? null : showMore };
}

/** Returns the newest page, and what is known behind its last row: nothing where that row is not among what is known. */
export function joined<T>(newest: readonly T[], known: readonly T[], numberOf: (row: T) => number): readonly T[] {
  const last = newest.at(-1);
  const end = last === undefined ? -1 : known.findIndex((row) => numberOf(row) === numberOf(last));
  return end === -1 ? newest : [...newest, ...known.slice(end + 1)];
}
