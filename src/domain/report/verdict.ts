import type { ReferenceKind } from "../model/file-facts.ts";
import type { FindingCode } from "../model/report.ts";
import { encodePath } from "../url-text.ts";
import { kindOfHost, type OwnHosts } from "./own-hosts.ts";
import type { Answer, Answers } from "./ports.ts";
import { isFollowed, REQUESTS } from "./references.ts";
import type { FindRightCase } from "./right-case.ts";

/** What is wrong with an address of the site. */
interface Verdict {
  readonly code: FindingCode;
  readonly message: string;
  /** The address to use instead of the one in the file; null to show that one. */
  readonly rightAddress: string | null;
}

/** The end of the way that a browser goes from an address of the site. */
interface Destination {
  /** Null if nothing is wrong. */
  readonly verdict: Verdict | null;
  /** The file that is shown in the end, as the page of its own address; null for anything else. */
  readonly file: string | null;
  /** The fragment of the last redirect that has one; null without. */
  readonly fragment: string | null;
}

interface Site {
  readonly answers: Answers;
  readonly hosts: OwnHosts;
  readonly findRightCase: FindRightCase;
}

/** Browsers give up after 20 redirects. */
const MAX_HOPS = 20;

/** Follows an address of the site, without its fragment, to what a browser gets in the end. */
export function follow(site: Site, kind: ReferenceKind, url: URL): Destination {
  const seen = new Set<string>();
  let current = url;
  let fragment: string | null = null;
  let first: Answer | null = null;
  for (;;) {
    const target = targetOf(current);
    const answer = site.answers({ ...REQUESTS[kind], target });
    first ??= answer;
    const next = answer.location === null ? null : URL.parse(answer.location, current.href);
    if (next === null) return ending(site, kind, { start: url, end: current, first, last: answer, fragment });
    if (kindOfHost(site.hosts, next.hostname) !== "own") return elsewhere(kind, url, first, next);
    seen.add(target);
    if (seen.has(targetOf(next)) || seen.size > MAX_HOPS) return { ...NOWHERE, verdict: loop(url, next, seen.size) };
    if (next.hash !== "") fragment = next.hash;
    current = next;
  }
}

/** Returns path and query, as a browser requests them. */
export function targetOf({ pathname, search }: URL): string {
  return pathname + search;
}

// --- internal ---

const NOWHERE = { file: null, fragment: null } as const;

interface Way {
  readonly start: URL;
  readonly end: URL;
  readonly first: Answer;
  readonly last: Answer;
  readonly fragment: string | null;
}

function ending(site: Site, kind: ReferenceKind, way: Way): Destination {
  const { start, end, first, last, fragment } = way;
  const isRedirected = first.location !== null;
  if (last.status >= 400) return { ...NOWHERE, verdict: broken(site, kind, way) };
  if (isRedirected) return { file: last.file, fragment, verdict: redirected(kind, start, first, targetOf(end)) };
  if (!last.isFallback) return { file: last.file, fragment, verdict: null };
  const message = `no file has this URL: it gets ${last.file ?? "the fallback"}, as unknown URLs do`;
  return { ...NOWHERE, verdict: { code: "answered_by_fallback", message, rightAddress: null } };
}

function broken({ findRightCase }: Site, kind: ReferenceKind, { start, end, first, last }: Way): Verdict {
  const said = first.location === null ? "" : `redirects to ${targetOf(end)}, which `;
  const message = `${targetOf(start)} ${said}answers ${last.status}`;
  if (kind === "canonical")
    return { code: "canonical_mismatch", message: `the canonical URL ${message}`, rightAddress: null };
  const right = findRightCase(end.pathname);
  if (right !== null && right !== end.pathname && right !== encodePath(end.pathname)) {
    const why = `${end.pathname} does not exist, but ${right} does: upper and lower case differ`;
    return { code: "wrong_case", message: why, rightAddress: right + end.search };
  }
  return { code: isFollowed(kind) ? "broken_link" : "missing_asset", message, rightAddress: null };
}

function redirected(kind: ReferenceKind, start: URL, { status }: Answer, end: string): Verdict {
  const message = `${targetOf(start)} redirects to ${end} (${status})`;
  return kind === "canonical"
    ? { code: "canonical_mismatch", message: `the canonical URL ${message}`, rightAddress: null }
    : { code: "link_to_redirect", message, rightAddress: null };
}

function elsewhere(kind: ReferenceKind, start: URL, first: Answer, end: URL): Destination {
  return { ...NOWHERE, verdict: redirected(kind, start, first, end.href) };
}

function loop(start: URL, next: URL, hops: number): Verdict {
  const way = hops > MAX_HOPS ? `more than ${MAX_HOPS} times` : `in a circle, over ${targetOf(next)}`;
  return { code: "redirect_loop", message: `${targetOf(start)} redirects ${way}`, rightAddress: null };
}
