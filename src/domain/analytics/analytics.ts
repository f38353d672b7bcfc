import { fieldError } from "../errors.ts";
import { requireSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import { dayOf, dayOfHour, hourOf, type NamedCount } from "../model/view-delta.ts";
import { VisitorSketch } from "../model/visitor-sketch.ts";
import type { ViewDay, ViewHour } from "../ports/store/views.ts";
import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { decodePath } from "../request-target.ts";
import { DAY, HOUR } from "../timestamp.ts";
import { MAX_NAMES } from "./view-deltas.ts";

interface AnalyticsPorts {
  readonly store: Pick<Store, "sites" | "views" | "deployments">;
  readonly clock: Clock;
}

/** The requested range of days, `YYYY-MM-DD`, inclusive; null for the last 30 days, or the days of the last 48 hours. */
interface AnalyticsRequest {
  readonly from: string | null;
  readonly to: string | null;
  readonly interval: Interval;
}

export const INTERVALS = ["day", "hour"] as const;
type Interval = (typeof INTERVALS)[number];

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
  /** The total of all days, or of all hours if those were requested. */
  readonly total: Figures;
  /** Every day of the range, including days without visits. */
  readonly days: readonly (Figures & { readonly day: string })[];
  /** Every hour of the last 48, including those without visits, by the epoch milliseconds of its start; null for days. */
  readonly hours: readonly (Figures & { readonly hour: number })[] | null;
  readonly pages: readonly NameCount[];
  readonly referrers: readonly NameCount[];
  readonly notFound: readonly NameCount[];
  /** Assets that visitors asked for and did not get. */
  readonly lostAssets: readonly LostAsset[];
  /** Page views by ISO code; empty if no trusted proxy sends countries. */
  readonly countries: readonly NameCount[];
}

/** A missing file that pages load or link to, such as a script of a former deployment. */
interface LostAsset {
  /** As it was requested, without the query. */
  readonly path: string;
  readonly hits: number;
  /** In epoch milliseconds, within ten seconds. */
  readonly lastAt: number;
  /** The newest deployment that has the file; null if none has. */
  readonly deploymentNumber: number | null;
}

interface NameCount {
  readonly name: string;
  readonly count: number;
}

const DEFAULT_DAYS = 30;
/** Retention of counts: long enough to compare a month with the same month of the previous year. */
export const KEPT_DAYS = 400;
/** The hours of `interval=hour`, the current one included. */
export const SHOWN_HOURS = 48;
const TOP = 50;

const FIRST_DAY = dayOf(Date.parse("0000-01-01"));

/** Returns a site's statistics for its owner. Throws `validation` for invalid dates or a range that is too long. */
export async function siteAnalytics(
  { store, clock }: AnalyticsPorts,
  caller: Caller,
  name: string,
  request: AnalyticsRequest,
): Promise<Analytics> {
  const now = clock.now();
  const hours = request.interval === "hour" ? { from: hourOf(now) - SHOWN_HOURS + 1, to: hourOf(now) } : null;
  const range = hours === null ? parseRange(request, dayOf(now)) : daysOfHours(request, hours);
  const site = await requireSite(store, caller, name, "read_analytics");
  const top = (kind: NamedCount, limit = TOP) => store.views.top(site.id, kind, range, limit);
  const [days, byHour, pages, referrers, notFound, lostAssets, countries] = await Promise.all([
    store.views.days(site.id, range.from, range.to),
    hours === null ? null : store.views.hours(site.id, hours.from, hours.to),
    top("page"),
    top("referrer"),
    top("missing"),
    findLostAssets(store, site.id, range),
    top("country", MAX_NAMES.country),
  ]);
  const figures = everyDay(range, days);
  return {
    from: dayText(range.from),
    to: dayText(range.to),
    total: byHour === null ? sum(figures) : sum(mergeByDay(byHour).map(figuresOf)),
    days: figures,
    hours: hours === null || byHour === null ? null : everyHour(hours, byHour),
    pages,
    referrers,
    notFound,
    lostAssets,
    countries,
  };
}

// --- internal ---

async function findLostAssets(
  { views, deployments }: AnalyticsPorts["store"],
  siteId: number,
  range: Range,
): Promise<readonly LostAsset[]> {
  const lost = await views.lost(siteId, range, TOP);
  const files = new Map(lost.map(({ path }) => [path, decodePath(path)?.slice(1) ?? path]));
  const numbers = await deployments.newestWith(siteId, [...files.values()]);
  return lost.map((asset) => ({ ...asset, deploymentNumber: numbers.get(files.get(asset.path) ?? "") ?? null }));
}

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

/** Returns the days that contain the hours. Throws `validation` if days were requested as well. */
function daysOfHours({ from, to }: AnalyticsRequest, hours: Range): Range {
  if (from !== null || to !== null) {
    const field = from === null ? "to" : "from";
    throw fieldError(["query", field], `interval=hour shows the last ${SHOWN_HOURS} hours: leave out from and to`);
  }
  return { from: dayOfHour(hours.from), to: dayOfHour(hours.to) };
}

type Counts = Pick<ViewDay, "views" | "botViews" | "bytes" | "visitors">;

function everyDay(range: Range, days: readonly ViewDay[]): (Figures & { day: string })[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return each(range, (day) => ({ day: dayText(day), ...figuresOf(known.get(day)) }));
}

function everyHour(range: Range, hours: readonly ViewHour[]): (Figures & { hour: number })[] {
  const known = new Map(hours.map((hour) => [hour.hour, hour]));
  return each(range, (hour) => ({ hour: hour * HOUR, ...figuresOf(known.get(hour)) }));
}

function each<Value>({ from, to }: Range, make: (at: number) => Value): Value[] {
  return Array.from({ length: to - from + 1 }, (_, index) => make(from + index));
}

/** Adds up the hours of each day. A visitor in several hours counts once for the day. */
function mergeByDay(hours: readonly ViewHour[]): readonly Counts[] {
  const days = Map.groupBy(hours, ({ hour }) => dayOfHour(hour));
  return [...days.values()].map((ofDay) => {
    const visitors = new VisitorSketch();
    for (const hour of ofDay) visitors.merge(hour.visitors);
    const add = (field: "views" | "botViews" | "bytes") => ofDay.reduce((total, hour) => total + hour[field], 0);
    return { views: add("views"), botViews: add("botViews"), bytes: add("bytes"), visitors };
  });
}

function figuresOf(counts: Counts | undefined): Figures {
  const { views = 0, botViews = 0, bytes = 0, visitors } = counts ?? {};
  return { views, visitors: visitors?.estimate() ?? 0, botViews, bytes };
}

function sum(days: readonly Figures[]): Figures {
  const add = (field: keyof Figures) => days.reduce((total, day) => total + day[field], 0);
  return { views: add("views"), visitors: add("visitors"), botViews: add("botViews"), bytes: add("bytes") };
}
