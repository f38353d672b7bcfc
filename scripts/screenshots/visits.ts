import type { TestServer } from "../../src/acceptance/testing/test-server.ts";
import { HourCount } from "../../src/domain/analytics/view-deltas.ts";
import { dayOfHour, HOURS_OF_DAY, hourOf, type NamedCount } from "../../src/domain/model/view-delta.ts";

const PAGES = ["/", "/guide/start", "/guide/deploy", "/reference", "/about", "/guide/domains", "/work", "/changelog"];
const REFERRERS = ["news.ycombinator.com", "www.google.com", "lobste.rs", "mastodon.social", "github.com"];
const MISSING = ["/wp-login.php", "/old-guide", "/favicon.png"];

const COUNTRIES = ["DE", "US", "JP", "FR", "IN", "BR"];

/** Adds six weeks of visits, with less traffic at weekends and nights and one very busy day. */
export async function countVisits({ store, clock }: TestServer, sites: readonly string[]): Promise<void> {
  const now = hourOf(clock.now());
  const today = dayOfHour(now);
  const random = sequence(7);
  for (const [index, name] of sites.entries()) {
    const site = await store.sites.find(name);
    if (!site) continue;
    const counts = [];
    for (let hour = (today - 41) * HOURS_OF_DAY; hour <= now; hour++) {
      const peak = today - dayOfHour(hour) === 16 ? 3.4 : 1;
      counts.push(countHour(site.id, hour, ([410, 130, 55, 24][index] ?? 10) * peak, random));
    }
    await store.views.add(counts);
  }
}

function countHour(siteId: number, hour: number, ofDay: number, random: () => number): HourCount {
  const count = new HourCount(siteId, hour);
  // 1 January 1970 was a Thursday.
  const weekend = [2, 3].includes(dayOfHour(hour) % 7) ? 0.55 : 1;
  const light = 1 - Math.cos((2 * Math.PI * ((hour % HOURS_OF_DAY) - 3)) / HOURS_OF_DAY);
  count.views = Math.round((ofDay / HOURS_OF_DAY) * light * weekend * (0.8 + random() * 0.4));
  count.botViews = Math.round(count.views * 0.21);
  count.bytes = count.views * 61_000;
  for (let visitor = 0; visitor < count.views * 0.46; visitor++) count.visitors.add((random() * 2 ** 32) >>> 0);
  spread(count, "page", PAGES, count.views);
  spread(count, "referrer", REFERRERS, count.views * 0.4);
  spread(count, "missing", MISSING, count.views * 0.05);
  spread(count, "country", COUNTRIES, count.views);
  return count;
}

/** Distributes views over names. Each name gets about half as many as the one before. */
function spread(count: HourCount, kind: NamedCount, names: readonly string[], total: number): void {
  for (const [index, name] of names.entries()) {
    // The shares of infinitely many names add up to one.
    const share = Math.round((0.7 * total) / 1.7 ** (index + 1));
    if (share > 0) count.countName(kind, name, share);
  }
}

/** A linear congruential generator, so that every run gives the same screenshots. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
