import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";
import { serverStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { vitrine, ada } = await serverStories(() =>
  startTestServer({ workers: "2", "trusted-proxies": "127.0.0.1/32,::1/128" }),
);

/** Midnight would divide the views between two days, and count each visitor twice. */
const untilMidnight = DAY - (vitrine.clock.now() % DAY);
if (untilMidnight < 5 * MINUTE) vitrine.advance(untilMidnight);

interface Analytics {
  from: string;
  to: string;
  total: object;
  days: { day: string; views: number }[];
  pages: object[];
  referrers: object[];
  not_found: object[];
  countries?: object[];
  hours?: { hour: string; views: number }[];
}

async function analytics(query = "", token = ada): Promise<Response> {
  return vitrine.call("GET", `/sites/seen/analytics${query}`, { token });
}

/** Returns the response once it is as wanted, or the last one. Views are stored within ten seconds. */
async function analyticsOnce(isWanted: (response: Analytics) => boolean): Promise<Analytics> {
  for (const deadline = Date.now() + 60_000; ; await Bun.sleep(100)) {
    const response = (await (await analytics()).json()) as Analytics;
    if (isWanted(response) || Date.now() > deadline) return response;
  }
}

async function totalViews(): Promise<number | undefined> {
  const response = await vitrine.call("GET", "/sites", { token: ada });
  const sites = (await response.json()) as { name: string; total_views: number }[];
  return sites.find(({ name }) => name === "seen")?.total_views;
}

test("views of people are counted over all threads, and those of bots separately", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "home", "a.html": "a", "a.css": "x" }), { site: "seen" });
  const headers = { "X-Service-Alias": "pr-1" };
  await vitrine.deploy(ada, await zipOf({ "index.html": "preview" }), { site: "seen", headers });
  const person = { "User-Agent": "Firefox", Referer: "https://news.example/item", "CF-IPCountry": "DE" };
  // A connection for each, so that both threads get some.
  const apart = { Connection: "close" };
  for (const label of ["pr-1--seen", "2--seen"]) await vitrine.visit(label, "/", { headers: person });
  for (let i = 0; i < 10; i += 1) await vitrine.visit("seen", "/", { headers: { ...person, ...apart } });
  await vitrine.visit("seen", "/a", { headers: { ...person, "User-Agent": "Safari" } });
  await vitrine.visit("seen", "/a.css", { headers: person });
  await vitrine.visit("seen", "/none.js", { headers: person });
  await vitrine.visit("seen", "/", { method: "HEAD", headers: person });
  for (let i = 0; i < 3; i += 1) await vitrine.visit("seen", "/", { headers: { "User-Agent": "Googlebot/2.1" } });
  const total = { views: 11, visitors: 2, bot_views: 3, bytes: 10 * 4 + 1 + 1 + 3 * 4 + 2 * 7 };
  // Each thread stores what it counted at a time of its own.
  const response = await analyticsOnce(
    ({ total: stored, not_found }) => Bun.deepEquals(stored, total) && not_found.length > 0,
  );
  expect(response.total).toEqual(total);
  expect(await totalViews()).toBe(11);
  expect(response.days).toHaveLength(30);
  expect(response.days.at(-1)).toMatchObject({ day: response.to, views: 11 });
  expect(response.countries).toEqual([{ country: "DE", views: 11 }]);
  const { hours = [] } = (await (await analytics("?interval=hour")).json()) as Analytics;
  expect([hours.length, hours.reduce((sum, { views }) => sum + views, 0)]).toEqual([48, 11]);
  expect(response.pages).toEqual([
    { path: "/", views: 10 },
    { path: "/a", views: 1 },
  ]);
  expect(response.referrers).toEqual([{ host: "news.example", views: 11 }]);
  expect(response.not_found).toEqual([{ path: "/none.js", requests: 1 }]);
});

test("only the owner sees them, for valid days", async () => {
  const bob = (await vitrine.signUp("bob")).token;
  expect((await analytics("", bob)).status).toBe(403);
  expect((await analytics("?from=2026-11-01&to=2026-11-03")).status).toBe(200);
  for (const query of ["?from=2026-02-31", "?from=yesterday", "?from=2026-11-03&to=2026-11-01", "?from=2020-01-01"]) {
    const response = await analytics(query);
    expect([query, response.status]).toEqual([query, 422]);
  }
  // Validation comes before the lookup.
  expect((await vitrine.call("GET", "/sites/nosite/analytics?from=x", { token: ada })).status).toBe(422);
});

test("the last counts are stored when the server stops", async () => {
  using folder = scratchFolder();
  {
    await using first = await startTestServer({ "data-dir": folder.path });
    const { token } = await first.signUp("ada");
    await first.deploy(token, await zipOf({ "index.html": "home" }), { site: "last" });
    for (let i = 0; i < 5; i += 1)
      await first.visit("last", "/", { headers: { Connection: "close", "User-Agent": "Firefox" } });
  }
  using stored = new Database(join(folder.path, "vitrine.db"), { readonly: true });
  expect(stored.query("SELECT total_views AS views FROM sites WHERE name = 'last'").get()).toEqual({ views: 5 });
});
