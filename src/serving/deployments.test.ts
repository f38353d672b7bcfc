import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rulesOf } from "../domain/deployments/manifest.ts";
import { parseRedirects } from "../domain/deployments/redirects-file.ts";
import { makeServedDeployments } from "./deployments.ts";
import { makeFindFormerFile } from "./former-files.ts";
import type { HostingPorts, Route } from "./ports.ts";
import { type Hosted, startHosted } from "./testing/hosted.ts";

const rulesWith = (redirects: number) =>
  rulesOf({
    files: [],
    headers: [],
    redirects: parseRedirects(Array.from({ length: redirects }, (_, n) => `/${n} /x`).join("\n")).rules,
  });

test("a deployment of many rules that is visited again is kept, however many small ones there are", async () => {
  const [small, large] = [rulesWith(0), rulesWith(2000)];
  const read: number[] = [];
  const store = {
    deployments: {
      async rules(id: number) {
        read.push(id);
        return id === 0 ? large : small;
      },
    },
    files: { find: () => null, has: () => false, findFormer: () => null },
  } as unknown as HostingPorts["store"];
  const clock = { now: () => 0 };
  const deployments = makeServedDeployments({ store, clock }, 0);
  const load = (deploymentId: number) => deployments.load({ siteId: deploymentId, deploymentId });
  // 2 kB each of 8 MiB: twice as many as there is room for.
  for (let id = 1; id <= 8000; id++) await load(id);
  read.length = 0;
  for (let visit = 0; visit < 20; visit++) {
    await load(0);
    await load(9000 + visit);
  }
  expect(read.filter((id) => id === 0).length).toBeLessThan(5);
});

test("a site's deployments with rules are loaded ten times a second at most, and other sites' are not delayed", async () => {
  let now = 5000;
  const store = {
    deployments: { rules: async (id: number) => rulesWith(id % 2) },
    files: { find: () => null, has: () => false, findFormer: () => null },
  } as unknown as HostingPorts["store"];
  const { load } = makeServedDeployments({ store, clock: { now: () => now } }, 0);
  const ruled = (count: number) => count * 2 + 1;
  for (let count = 0; count < 10; count++) await load({ siteId: 1, deploymentId: ruled(count) });
  await expect(load({ siteId: 1, deploymentId: ruled(10) })).rejects.toThrow("too many deployments of this site");
  expect(await load({ siteId: 1, deploymentId: ruled(3) })).not.toBeNull();
  expect(await load({ siteId: 1, deploymentId: 100 })).not.toBeNull();
  expect(await load({ siteId: 2, deploymentId: ruled(11) })).not.toBeNull();
  now += 1000;
  expect(await load({ siteId: 1, deploymentId: ruled(10) })).not.toBeNull();
});

describe("former files", () => {
  const ASSET = "assets/app-Aa1bB2cC.js";
  let hosted: Hosted;
  beforeAll(async () => {
    hosted = await startHosted();
  });
  afterAll(() => hosted[Symbol.dispose]());

  /** Counts how often the store is asked. */
  const counted = (memory = 100_000) => {
    const asked: string[] = [];
    const findFormer: HostingPorts["store"]["files"]["findFormer"] = (siteId, path, since) => {
      asked.push(path);
      return hosted.store.files.findFormer(siteId, path, since);
    };
    const store = { ...hosted.store, files: { ...hosted.store.files, findFormer } };
    return { asked, find: makeFindFormerFile({ store, clock: { now: () => hosted.now } }, memory) };
  };
  const routeTo = async (name: string): Promise<Route> => {
    const site = (await hosted.store.sites.findRoute(name))!;
    return { siteId: site.siteId, deploymentId: site.activeDeploymentId, publishedAt: site.activatedAt } as Route;
  };

  test("that are none are asked for once, until the site's active deployment changes", async () => {
    const { asked, find } = counted();
    await hosted.publish("tabs", { "index.html": "1" });
    hosted.now += 1000;
    await hosted.publish("tabs", { "index.html": "2" });
    const route = await routeTo("tabs");
    for (let visit = 0; visit < 5; visit++) expect(find(route, ASSET)).toBeNull();
    expect(asked).toEqual([ASSET]);
    await hosted.publish("other", { [ASSET]: "theirs" });
    expect(find(await routeTo("tabs"), ASSET)).toBeNull();
    expect(asked).toHaveLength(1);

    hosted.now += 1000;
    await hosted.publish("tabs", { [ASSET]: "ours" });
    hosted.now += 1000;
    await hosted.store.deployments.activate(route.siteId, 2, hosted.now);
    expect(find(await routeTo("tabs"), ASSET)).toMatchObject({ path: ASSET, size: 4 });
  });

  test("that are none take no more memory than they may", async () => {
    const { asked, find } = counted(10_000);
    await hosted.publish("flooded", { "index.html": "1" });
    const route = await routeTo("flooded");
    const names = Array.from({ length: 1000 }, (_, n) => `assets/app-${String(n).padStart(8, "0")}.js`);
    for (const name of names) find(route, name);
    asked.length = 0;
    for (const name of names) find(route, name);
    // 200 bytes and more each: most are asked for again.
    expect(asked.length).toBeGreaterThan(950);
  });
});
