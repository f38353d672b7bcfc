import type { Caller } from "../accounts/caller.ts";
import { fieldError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ViewDay } from "../ports/store/views.ts";
import type { Store } from "../ports/store.ts";
import { requireOwnSite } from "../sites/ownership.ts";
import { DAY } from "../timestamp.ts";
import { dayOf } from "./view-deltas.ts";

interface AnalyticsPorts {
  readonly store: Pick<Store, "sites" | "views">;
  readonly clock: Clock;
}

/** The requested range of days, `YYYY-MM-DD`, inclusive; null for the last 30 days. */
interface AnalyticsRequest {
  readonly from: string | null;
  readonly to: string | null;
}

/** The numbers of one day, or of several together. */
export interface Figures {
  readonly views: number;
  /** Unique visitors. Visitors cannot be recognized on another day, so that a range is the sum of its days. */
  readonly visitors: number;
  readonly botViews: number;
  readonly bytes: number;
}

export interface Analytics {
  readonly from: string;
  readonly to: string;
  readonly total: Figures;
  /** Every day of the range, including days without visits. */
  readonly days: readonly (Figures & { readonly day: string })[];
  readonly pages: readonly NameCount[];
  readonly referrers: readonly NameCount[];
  readonly notFound: readonly NameCount[];
}

interface NameCount {
  readonly name: string;
  readonly count: number;
}

const DEFAULT_DAYS = 30;
/** Retention of counts: long enough to compare a month with the same month of the previous year. */
export const KEPT_DAYS = 400;
const TOP = 50;

const FIRST_DAY = dayOf(Date.parse("0000-01-01"));

/** Returns a site's statistics for its owner. Throws `validation` for invalid dates or a range that is too long. */
export async function siteAnalytics(
  { store, clock }: AnalyticsPorts,
  caller: Caller,
  name: string,
  request: AnalyticsRequest,
): Promise<Analytics> {
  const range = parseRange(request, dayOf(clock.now()));
  const site = await requireOwnSite(store, caller, name);
  const [days, pages, referrers, notFound] = await Promise.all([
    store.views.days(site.id, range.from, range.to),
    store.views.top(site.id, "page", range, TOP),
    store.views.top(site.id, "referrer", range, TOP),
    store.views.top(site.id, "missing", range, TOP),
  ]);
  const figures = everyDay(range, days);
  const { from, to } = range;
  return { from: dayText(from), to: dayText(to), total: sum(figures), days: figures, pages, referrers, notFound };
}

// --- internal ---

interface Range {
  readonly from: number;
  readonly to: number;
}

function parseRange(request: AnalyticsRequest, today: number): Range {
  const to = request.to === null ? today : parseDay(request.to, "to");
  const from = request.from === null ? to - DEFAULT_DAYS + 1 : parseDay(request.from, "from");
  if (from < FIRST_DAY) {
    throw fieldError(
      ["query", request.from === null ? "to" : "from"],
      "a range begins in the year 0000 at the earliest",
    );
  }
  if (from > to) throw fieldError(["query", "from"], "the first day must not come after the last one");
  if (to - from >= KEPT_DAYS) throw fieldError(["query", "from"], `a range may have ${KEPT_DAYS} days at most`);
  return { from, to };
}

function parseDay(text: string, field: "from" | "to"): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Otherwise 2026-02-31 would silently become a day in March.
  const isReal = !Number.isNaN(at) && dayText(dayOf(at)) === text;
  if (!isReal) throw fieldError(["query", field], "a day is written as YYYY-MM-DD");
  return dayOf(at);
}

function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

function everyDay({ from, to }: Range, days: readonly ViewDay[]): (Figures & { day: string })[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const { views = 0, botViews = 0, bytes = 0, visitors } = known.get(from + index) ?? {};
    return { day: dayText(from + index), views, visitors: visitors?.estimate() ?? 0, botViews, bytes };
  });
}

function sum(days: readonly Figures[]): Figures {
  const add = (field: keyof Figures) => days.reduce((total, day) => total + day[field], 0);
  return { views: add("views"), visitors: add("visitors"), botViews: add("botViews"), bytes: add("bytes") };
}
