import type { VisitExplanation } from "../../../api/types.ts";

/** More redirects are a mistake, although browsers give up only later. */
const MAX_HOPS = 6;

/** The responses that a browser gets in sequence. */
export interface Chain {
  readonly hops: readonly VisitExplanation[];
  /** The target of the last response outside the site; null if it is no redirect. */
  readonly away: string | null;
  /** True if a URL repeats, or the chain is too long. */
  readonly isLoop: boolean;
}

/**
 * Follows the redirects of an explained URL within the site. `ask` explains a URL, and returns null for one
 * outside the site.
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
    const response = await ask(next);
    if (response === null) return { hops, away: next, isLoop: false };
    seen.add(next);
    hops.push(response);
  }
}

/** Returns the absolute URL of a redirect, without the fragment; null if the response is no redirect. */
function targetOf({ url, status, headers }: VisitExplanation): string | null {
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined) return null;
  const target = URL.parse(location, url);
  if (target === null) return null;
  target.hash = "";
  return target.href;
}
