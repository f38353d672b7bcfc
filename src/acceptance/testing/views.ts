import { HourCount } from "../../domain/analytics/view-deltas.ts";
import { hourOf } from "../../domain/model/view-delta.ts";
import type { TestServer } from "./test-server.ts";

/** Adds views of a site in the current hour, with one name of each kind. */
export async function addViews({ store, clock }: Pick<TestServer, "store" | "clock">, siteName: string): Promise<void> {
  const site = await store.sites.find(siteName);
  const count = new HourCount(site?.id ?? 0, hourOf(clock.now()));
  count.views = 40;
  count.bytes = 1_000_000;
  for (const visitor of [1, 2, 3]) count.visitors.add(visitor);
  for (let page = 0; page < 9; page += 1) count.countName("page", `/page-${page}`, 9 - page);
  count.countName("referrer", "news.example", 12);
  count.countName("missing", "/gone", 5);
  count.countName("country", "DE", 30);
  await store.views.add([count]);
}
