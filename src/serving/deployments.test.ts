import { expect, test } from "bun:test";
import { rulesOf } from "../domain/model/manifest.ts";
import { parseRedirects } from "../domain/rules/redirects-file.ts";
import { makeServedDeployments } from "./deployments.ts";
import type { HostingPorts } from "./ports.ts";

const rulesWith = (redirects: number) =>
  rulesOf({
    files: [],
    headers: [],
    redirects: parseRedirects(Array.from({ length: redirects }, (_, n) => `/${n} /x`).join("\n")).rules,
  });

test("a deployment with many rules stays cached when it is visited again, however many small ones there are", async () => {
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
  const load = (deploymentId: number) => deployments.load({ siteId: deploymentId, deploymentId, graceMs: 0 });
  // 2 kB each with 8 MiB: twice as many as fit.
  for (let id = 1; id <= 8000; id++) await load(id);
  read.length = 0;
  for (let visit = 0; visit < 20; visit++) {
    await load(0);
    await load(9000 + visit);
  }
  expect(read.filter((id) => id === 0).length).toBeLessThan(5);
});

test("a site's deployments with rules are loaded at most ten times per second, without delaying other sites", async () => {
  let now = 5000;
  const store = {
    deployments: { rules: async (id: number) => rulesWith(id % 2) },
    files: { find: () => null, has: () => false, findFormer: () => null },
  } as unknown as HostingPorts["store"];
  const { load } = makeServedDeployments({ store, clock: { now: () => now } }, 0);
  const ruled = (count: number) => count * 2 + 1;
  for (let count = 0; count < 10; count++) await load({ siteId: 1, deploymentId: ruled(count), graceMs: 0 });
  await expect(load({ siteId: 1, deploymentId: ruled(10), graceMs: 0 })).rejects.toThrow(
    "too many deployments of this site",
  );
  expect(await load({ siteId: 1, deploymentId: ruled(3), graceMs: 0 })).not.toBeNull();
  expect(await load({ siteId: 1, deploymentId: 100, graceMs: 0 })).not.toBeNull();
  expect(await load({ siteId: 2, deploymentId: ruled(11), graceMs: 0 })).not.toBeNull();
  now += 1000;
  expect(await load({ siteId: 1, deploymentId: ruled(10), graceMs: 0 })).not.toBeNull();
});
