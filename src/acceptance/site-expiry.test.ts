import { describe, expect, test } from "bun:test";
import { DAY, HOUR } from "../domain/timestamp.ts";
import { expiredSitesJob } from "../jobs/expired-sites.ts";
import { RUN } from "../jobs/testing/run.ts";
import { claimPorts } from "../workers/ports/claims.ts";
import { zipOf } from "./testing/archives.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { serverStories } from "./testing/stories.ts";
import { waitUntil } from "./testing/wait-until.ts";

const { vitrine, ada: token } = await serverStories(startDomainsServer);

const runJob = () => expiredSitesJob(claimPorts(vitrine.config, { ...vitrine, node: "test" })).run(RUN);

const deploy = async (site: string, headers: Record<string, string> = {}) =>
  vitrine.deploy(token, await zipOf({ "index.html": site }), { site, headers });
const setExpiry = (site: string, json: unknown) => vitrine.call("PUT", `/sites/${site}/expiry`, { token, json });

async function expiryOf(name: string): Promise<string | null | undefined> {
  const sites = (await (await vitrine.call("GET", "/sites", { token })).json()) as {
    name: string;
    expires_at: string;
  }[];
  return sites.find((site) => site.name === name)?.expires_at;
}

test("a site expires, can be rescued for seven days, and is removed with its domains", async () => {
  expect((await deploy("demo", { "x-service-site-expires": "3d" })).status).toBe(201);
  const end = vitrine.clock.now() + 3 * DAY;
  expect(Math.abs(Date.parse((await expiryOf("demo")) ?? "") - end)).toBeLessThan(60_000);
  await vitrine.connect(token, "demo", "www.demo.example");
  await runJob();
  expect((await vitrine.visit("demo")).status).toBe(200);

  vitrine.advance(3 * DAY);
  await runJob();
  for (const response of [
    await vitrine.visit("demo", "/anything"),
    await vitrine.visit("1--demo"),
    await vitrine.visitHostname("www.demo.example", "/"),
  ]) {
    expect([response.status, response.headers.get("cache-control")]).toEqual([410, "no-store"]);
    expect(await response.text()).toContain("Site expired");
  }
  const { token: ci } = await vitrine.mintDeploymentToken("demo");
  const refused = await vitrine.deploy(ci, await zipOf({ "index.html": "late" }), { site: "demo" });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("site has expired")]);
  const tags = await vitrine.call("PUT", "/sites/demo/tags", { token, json: { tags: ["late"] } });
  expect(tags.status).toBe(403);

  vitrine.advance(6 * DAY);
  await runJob();
  expect((await setExpiry("demo", { expires_in: "1h" })).status).toBe(200);
  expect(await (await vitrine.visit("demo")).text()).toBe("demo");

  vitrine.advance(HOUR);
  await runJob();
  vitrine.advance(7 * DAY);
  const found = async () => {
    await runJob();
    return vitrine.store.sites.find("demo");
  };
  // The server removes the domain first.
  await waitUntil(found, (site) => site === null);
  expect((await vitrine.visit("demo")).status).toBe(404);
  expect(await expiryOf("demo")).toBeUndefined();
  const [record] = await vitrine.store.audit.list({ site: "demo" }, { limit: 1, before: null });
  expect(record).toMatchObject({ kind: "server", action: "site expiry", site: "demo" });
});

test("an expired private site keeps its sign-in", async () => {
  expect((await deploy("diary", { "x-service-access": "private", "x-service-site-expires": "1h" })).status).toBe(201);
  vitrine.advance(HOUR);
  await runJob();
  expect((await vitrine.visit("diary", "/", { headers: { accept: "text/html" } })).status).toBe(302);
});

describe("the expiry of a site", () => {
  test("is set, and ended with null", async () => {
    await deploy("tour");
    expect(await expiryOf("tour")).toBeNull();
    const set = (await (await setExpiry("tour", { expires_in: "365d" })).json()) as { expires_at: string };
    expect(Math.abs(Date.parse(set.expires_at) - vitrine.clock.now() - 365 * DAY)).toBeLessThan(60_000);
    expect(await (await setExpiry("tour", { expires_at: null })).json()).toMatchObject({ expires_at: null });
  });

  test.each([
    {},
    { expires_in: "30d", expires_at: null },
    { expires_in: "59m" },
    { expires_in: "366d" },
    { expires_in: "soon" },
    { expires_in: null },
    { expires_at: "2027-01-01T00:00:00Z" },
  ])("cannot be %p", async (json) => {
    expect((await setExpiry("tour", json)).status).toBe(422);
  });

  test("of a deployment's header is checked, and is without effect on a site that exists", async () => {
    expect((await deploy("tour", { "x-service-site-expires": "never" })).status).toBe(422);
    expect((await deploy("tour", { "x-service-site-expires": "1h" })).status).toBe(201);
    expect(await expiryOf("tour")).toBeNull();
  });
});
