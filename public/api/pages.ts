import { useEffect, useRef, useState } from "preact/hooks";
import { call, messageOf } from "./client.ts";

/** A paginated list, newest first. */
interface Pages<T> {
  readonly rows: readonly T[];
  /** Why the last page failed to load. */
  readonly problem: string | null;
  /** Loads the next page; null if there is none. */
  readonly showMore: (() => Promise<void>) | null;
}

/**
 * Returns the newest page at `path`, which has a query, followed by the older pages that were loaded. Older pages are
 * reloaded with each further one, and whenever the newest page was reloaded, because new rows shift them. Until then,
 * and if that fails, the previous older rows are shown if they continue the newest page.
 */
export function usePages<T>(
  path: string,
  { newest, loads }: { readonly newest: readonly T[]; readonly loads: number },
  size: number,
  numberOf: (row: T) => number,
): Pages<T> {
  const [known, setKnown] = useState({ rows: newest, ended: newest.length < size });
  const [problem, setProblem] = useState<string | null>(null);
  // The minimum number of rows to load.
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
        page = await call<T[]>("GET", `${path}&before=${numberOf(rows.at(-1) as T)}`);
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

/** Returns the newest page and the known rows after its last row; none if that row is unknown. */
export function joined<T>(newest: readonly T[], known: readonly T[], numberOf: (row: T) => number): readonly T[] {
  const last = newest.at(-1);
  const end = last === undefined ? -1 : known.findIndex((row) => numberOf(row) === numberOf(last));
  return end === -1 ? newest : [...newest, ...known.slice(end + 1)];
}
