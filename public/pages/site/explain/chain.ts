import type { VisitExplanation } from "../../../api/types.ts";

/** More redirects than these are a fault that browsers give up on, only later. */
const MAX_HOPS = 6;

/** The answers that a browser gets one after the other. */
export interface Chain {
  readonly hops: readonly VisitExplanation[];
  /** Where the last answer leads beyond the site; null where it is no redirect. */
  readonly away: string | null;
  /** True if it comes back to an address that was answered before, or goes on for too long. */
  readonly isLoop: boolean;
}

/**
 * Follows the redirects of an explained address within the site. `ask` explains an address, and returns null for one that
 * is none of the site's.
 */
export async function followRedirects(
  first: VisitExplanation,
  ask: (url: string) => Promise<VisitExplanation | null>,
): Promise<Chain> {
  const hops = [first];
  const seen = new Set([first.url]);
  for (;;) {
    const next = targetOf(hops.at(-1) as VisitExplanation);
    if (next === null) return { hops, away: null, isLoop: false };
    if (seen.has(next) || hops.length >= MAX_HOPS) return { hops, away: next, isLoop: true };
    const answer = await ask(next);
    if (answer === null) return { hops, away: next, isLoop: false };
    seen.add(next);
    hops.push(answer);
  }
}

/** Returns the absolute URL that an answer redirects to, without the fragment; null if it is no redirect. */
export function targetOf({ url, status, headers }: VisitExplanation): string | null {
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined) return null;
  const target = URL.parse(location, url);
  if (target === null) return null;
  target.hash = "";
  return target.href;
}
