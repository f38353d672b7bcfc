import { afterAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { HourCount } from "../domain/analytics/view-deltas.ts";
import { dayOfHour, HOURS_OF_DAY, hourOf, type NamedCount } from "../domain/model/view-delta.ts";
import { hash32 } from "../domain/model/visitor-sketch.ts";
import { DAY, HOUR, MINUTE, timestamp } from "../domain/timestamp.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const ada = await api.signUp("ada");
const token = ada.token;
const siteId = (await addSite(api.store, "blog", ada.user.id, false)).id;
await addSite(api.store, "quiet", ada.user.id, false);
const last = (dayOfHour(hourOf(api.clock.now())) + 1) * HOURS_OF_DAY - 1;
api.advance(last * HOUR + HOUR / 2 - api.clock.now());
/** The current hour, which is the last one of a day. */
const now = hourOf(api.clock.now());
const names = { page: ["/"], referrer: ["news.example"], missing: ["/gone"], country: ["DE"] } as const;
await api.store.views.add([
  counted(now - 48, 50, ["ann"], {}),
  counted(now - 47, 2, ["ann"], {}),
  counted(now - 1, 4, ["ann", "bob"], names),
  counted(now, 3, ["bob", "eve"], { page: ["/", "=cmd()"], referrer: ["-evil.example"], country: ["JP", "JP"] }),
]);
afterAll(() => api[Symbol.asyncDispose]());

type Names = Readonly<Partial<Record<NamedCount, readonly string[]>>>;

function counted(hour: number, views: number, visitors: readonly string[], named: Names): HourCount {
  const count = Object.assign(new HourCount(siteId, hour), { views, botViews: 1, bytes: 10 * views });
  for (const visitor of visitors) count.visitors.add(hash32(visitor));
  for (const [kind, names] of Object.entries(named)) {
    for (const name of names) count.countName(kind as NamedCount, name);
  }
  return count;
}

const ask = (query: string, { site = "blog", accept }: { site?: string; accept?: string } = {}) =>
  api.call("GET", `/sites/${site}/analytics${query}`, { token, ...(accept && { headers: { Accept: accept } }) });

describe("analytics by hour", () => {
  test("cover the last 48 hours, including hours without visits and the current one", async () => {
    const { hours, ...rest } = (await (await ask("?interval=hour")).json()) as {
      hours: (Record<string, number | string> & { hour: string; views: number })[];
      total: object;
    };
    expect(hours.map(({ hour }) => hour)).toEqual(
      Array.from({ length: 48 }, (_, index) => timestamp((now - 47 + index) * HOUR)),
    );
    expect(hours.filter(({ views }) => views > 0)).toEqual([
      { hour: timestamp((now - 47) * HOUR), views: 2, visitors: 1, bytes: 20 },
      { hour: timestamp((now - 1) * HOUR), views: 4, visitors: 2, bytes: 40 },
      { hour: timestamp(now * HOUR), views: 3, visitors: 2, bytes: 30 },
    ]);
    // A visitor who is there in two hours of a day is counted once for the day.
    expect(rest.total).toEqual({ views: 9, visitors: 4, bot_views: 3, bytes: 90 });
    expect(rest).toMatchObject({
      from: timestamp((now - 47) * HOUR).slice(0, 10),
      to: timestamp(now * HOUR).slice(0, 10),
      days: [{ views: 2 }, { views: 7 }],
    });
  });

  test("are not part of the analytics by day", async () => {
    const byDay = await (await ask("?interval=day")).json();
    expect(byDay).not.toHaveProperty("hours");
    expect(byDay).toEqual(await (await ask("")).json());
    expect(byDay).toMatchObject({ total: { views: 59 } });
  });

  test.each([
    ["?interval=hour&from=2026-11-01", "from"],
    ["?interval=hour&to=2026-11-01", "to"],
    ["?interval=minute", "interval"],
    ["?interval=", "interval"],
    ["?format=xml", "format"],
  ])("%s is 422 and names %s", async (query, field) => {
    const response = await ask(query);
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: ["query", field] }] }]);
  });
});

test("countries are listed by views, and omitted if there are none", async () => {
  expect(await (await ask("")).json()).toMatchObject({
    countries: [
      { country: "JP", views: 2 },
      { country: "DE", views: 1 },
    ],
  });
  expect(await (await ask("", { site: "quiet" })).json()).not.toHaveProperty("countries");
});

describe("analytics as CSV", () => {
  test("contain every day and every list, and no spreadsheet formula", async () => {
    const to = timestamp(now * HOUR).slice(0, 10);
    const response = await ask(`?format=csv&from=${to}&to=${to}`);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="blog-${to}-${to}.csv"`);
    expect((await response.text()).split("\r\n")).toEqual([
      "kind,name,views,visitors,bot_views,bytes,requests",
      `day,${to},7,3,2,70,`,
      "page,/,2,,,,",
      "page,'=cmd(),1,,,,",
      "referrer,'-evil.example,1,,,,",
      "referrer,news.example,1,,,,",
      "country,JP,2,,,,",
      "country,DE,1,,,,",
      "not_found,/gone,,,,,1",
      "",
    ]);
  });

  test("contain hours instead of days on request", async () => {
    const text = await (await ask("?format=csv&interval=hour")).text();
    const kinds = Map.groupBy(text.split("\r\n"), (line) => line.split(",")[0]);
    expect([kinds.get("hour")?.length, kinds.get("day")]).toEqual([48, undefined]);
    expect(kinds.get("hour")?.at(-1)).toBe(`hour,${timestamp(now * HOUR)},3,2,,30,`);
  });

  test.each([
    ["text/csv", "", true],
    ["text/csv; charset=utf-8", "", true],
    ["TEXT/CSV", "", true],
    ["text/csv, */*", "", true],
    ["text/*", "", true],
    ["application/json;q=0.5, text/csv;q=0.6", "", true],
    ["application/json;q=0.6, text/csv;q=0.5", "", false],
    ["text/csv;q=0", "", false],
    ["text/csv;q=0, */*", "", false],
    ["text/csvx", "", false],
    ["*/*", "", false],
    ["text/html, application/xhtml+xml, */*;q=0.8", "", false],
    ["image/png", "", false],
    [",;=", "", false],
    ["text/csv", "?format=json", false],
    ["application/json", "?format=csv", true],
  ])("are sent for Accept: %s %s: %p", async (accept, query, isCsv) => {
    const response = await ask(query, { accept });
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
      200,
      isCsv ? "text/csv" : "application/json",
    ]);
  });
});

test("lost assets have their hits, and the newest deployment that has them", async () => {
  const own = await openTestApi();
  const { token: owner } = await own.signUp("owner");
  const deploy = async (files: Record<string, string>) => own.deploy(owner, await zipOf(files), { site: "shop" });
  const page = { "index.html": "x", "404.html": "" };
  await deploy({ ...page, "assets/app-1a2b3c4d.js": "1", "a b.css": "" });
  await deploy({ ...page, "assets/app-1a2b3c4d.js": "1" });
  await deploy(page);
  own.advance(10 * DAY);
  const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const visit = (path: string, as = agent) => own.visit("shop", path, { headers: { "user-agent": as } });
  for (const path of ["/assets/app-1a2b3c4d.js?x=1", "/assets/app-1a2b3c4d.js", "/a%20b.css", "/never.png", "/page"]) {
    expect((await visit(path)).status).toBe(404);
  }
  await visit("/bot.js", "Googlebot/2.1");
  await own.flushViews();
  const { lost_assets } = (await (await own.call("GET", "/sites/shop/analytics", { token: owner })).json()) as {
    lost_assets: { path: string; hits: number; last_at: string; deployment_number: number | null }[];
  };
  const ages = lost_assets.map(({ last_at }) => own.clock.now() - Date.parse(last_at));
  expect(ages.every((age) => age >= 0 && age < MINUTE)).toBe(true);
  expect(lost_assets).toEqual([
    { path: "/assets/app-1a2b3c4d.js", hits: 2, last_at: expect.any(String), deployment_number: 2 },
    { path: "/a%20b.css", hits: 1, last_at: expect.any(String), deployment_number: 1 },
    { path: "/never.png", hits: 1, last_at: expect.any(String), deployment_number: null },
  ]);
  await own[Symbol.asyncDispose]();
});
