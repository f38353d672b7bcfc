import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { VisitorSketch } from "../domain/model/visitor-sketch.ts";
import { DAY } from "../domain/timestamp.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi({ "routing-targets": "A:203.0.113.7", "dns-resolvers": "127.0.0.1:1" });
const ada = await api.signUp("ada");
const token = ada.token;
const ownerId = ada.user.id;
afterAll(() => api[Symbol.asyncDispose]());

const figures = async () => (await api.call("GET", "/site-figures", { token })).json();

test("a user without sites gets an empty list", async () => {
  const { token: grace } = await api.signUp("grace");
  expect(await (await api.call("GET", "/site-figures", { token: grace })).json()).toEqual([]);
});

test("views are those of the last 30 days, and earlier ones are in the total", async () => {
  const { id: siteId } = await addSite(api.store, "blog", ownerId, false);
  const today = Math.floor(api.clock.now() / DAY);
  const named = { page: new Map(), referrer: new Map(), missing: new Map(), lost: new Map(), country: new Map() };
  const seen = (daysAgo: number, views: number) => {
    return {
      siteId,
      hour: 24 * (today - daysAgo),
      views,
      botViews: 0,
      bytes: 0,
      visitors: new VisitorSketch(),
      lostAt: 0,
      named,
    };
  };
  await api.store.views.add([seen(0, 1), seen(29, 2), seen(30, 4), seen(59, 8), seen(60, 16), seen(-1, 32)]);
  const [blog] = (await figures()) as { daily_views: number[]; views_before: number }[];
  expect(blog?.daily_views).toEqual([2, ...Array.from({ length: 28 }, () => 0), 1]);
  expect(blog?.views_before).toBe(12);
});

test("the icon is the best file of the active deployment below the maximum size", async () => {
  const deploy = async (files: Record<string, string>) => api.deploy(token, await zipOf(files), { site: "icons" });
  const icon = async () => ((await figures()) as { name: string; icon: string }[]).find(({ name }) => name === "icons");
  await deploy({ "index.html": "x", "docs/favicon.svg": "x" });
  expect((await icon())?.icon).toBeNull();
  await deploy({ "index.html": "x", "favicon.ico": "x", "favicon.png": "x", "favicon.svg": "x".repeat(100_001) });
  expect((await icon())?.icon).toBe("/favicon.png");
});

test("open domains have a connection status, and the last deployment has an actor", async () => {
  await addSite(api.store, "shop", ownerId, false);
  const json = { hostname: "shop.example.com" };
  expect((await api.call("POST", "/sites/shop/domains", { token, json })).status).toBe(201);
  const shop = ((await figures()) as { name: string }[]).find(({ name }) => name === "shop");
  expect(shop).toMatchObject({
    last_deployment: { deployment_number: 1, source: "session", actor: "alice" },
    domains: [{ hostname: "shop.example.com", connection_status: "waiting_for_dns" }],
  });
  const claim = (await api.store.claims.listOpenOfMember(ownerId, 0))[0]!;
  expect(await api.store.claims.save([{ ...claim, status: "cancelled" }], 0)).toBe("saved");
  expect(await figures()).toContainEqual(expect.objectContaining({ name: "shop", domains: [] }));
});

test("a site whose start page is gone says so until it is back", async () => {
  const deploy = async (files: Record<string, string>) => api.deploy(token, await zipOf(files), { site: "pages" });
  const pages = async () => ((await figures()) as { name: string }[]).find(({ name }) => name === "pages");
  const newest = async () => {
    const response = await api.call("GET", "/sites/pages/deployments?limit=1", { token });
    return ((await response.json()) as object[])[0];
  };
  await deploy({ "index.html": "x", "a.css": "x" });
  expect(await pages()).toMatchObject({ start_page_gone: false });
  await deploy({ "dist/index.html": "x", "package.json": "{}" });
  expect(await pages()).toMatchObject({ start_page_gone: true });
  expect(await newest()).toMatchObject({
    start_page_gone: true,
    warnings: [{ file: "/", line: 0, message: expect.stringContaining("Go back to it: vitrine rollback pages") }, {}],
  });
  expect((await api.call("POST", "/sites/pages/deployments/1/activate", { token })).status).toBe(200);
  expect(await pages()).toMatchObject({ start_page_gone: false });
});
