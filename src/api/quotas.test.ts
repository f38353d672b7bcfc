import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { zipOf } from "../acceptance/testing/archives.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { openTestApi, resultOf } from "./testing/test-api.ts";

const vitrine = await openTestApi({ "max-user-sites": "3", "max-user-bytes": "10kB" });
afterAll(() => vitrine[Symbol.asyncDispose]());

const limit = (...args: string[]) => runCli(["users", "limit", ...args, "--data-dir", vitrine.config.dataDir]);
const page = (bytes: number) => zipOf({ "index.html": "x".repeat(bytes) });

test("a deployment above the quota is refused with limit, usage and remedy, and leaves nothing behind", async () => {
  const { token, user } = await vitrine.signUp("ada");
  expect((await vitrine.deploy(token, await page(6000), { site: "ada-one" })).status).toBe(201);
  expect(await resultOf(await vitrine.deploy(token, await page(5000), { site: "ada-one" }))).toEqual([
    413,
    "a deployment limit was exceeded: the owner's deployments may have 10,000 bytes, 6,000 are in use and this one has 5,000 more: delete a site, let a retention policy drop old deployments, or ask the operator for more",
  ]);
  expect((await vitrine.deploy(token, await page(5000), { site: "ada-two" })).status).toBe(413);
  expect(await vitrine.store.sites.find("ada-two")).toBeNull();
  expect(await vitrine.store.quotas.usage(user.id)).toEqual({ sites: 1, bytes: 6000 });
  expect(readdirSync(join(vitrine.config.dataDir, "spool"))).toEqual([]);
  expect((await vitrine.store.figures()).contents).toBe(1);
});

test("a deployment token counts for its owner, and other users have their own quota", async () => {
  const ci = await vitrine.mintDeploymentToken("ada-one");
  expect((await vitrine.deploy(ci.token, await page(5000), { site: "ada-one" })).status).toBe(413);
  const { token } = await vitrine.signUp("grace");
  expect((await vitrine.deploy(token, await page(5000), { site: "graces" })).status).toBe(201);
});

test("the fourth site is refused, and a deleted one frees its slot", async () => {
  const { token } = await vitrine.signUp("bob");
  for (const site of ["bob-one", "bob-two", "bob-three"]) {
    expect((await vitrine.deploy(token, await page(1), { site })).status).toBe(201);
  }
  for (const options of [{ site: "bob-four" }, {}]) {
    const [status, detail] = await resultOf(await vitrine.deploy(token, await page(1), options));
    expect([status, detail]).toEqual([413, expect.stringContaining("the owner may have 3 sites and has 3")]);
  }
  expect((await vitrine.deploy(token, await page(1), { site: "bob-three" })).status).toBe(201);
  await vitrine.call("DELETE", "/sites/bob-one", { token });
  expect((await vitrine.deploy(token, await page(1), { site: "bob-four" })).status).toBe(201);
});

test("of concurrent deployments, as many succeed as the quota allows", async () => {
  const { token, user } = await vitrine.signUp("eve");
  const archives = await Promise.all(Array.from({ length: 8 }, (_, index) => page(3000 + index)));
  const responses = await Promise.all(
    archives.map((archive, index) => vitrine.deploy(token, archive, { site: index % 2 === 0 ? "eve-one" : "eve-two" })),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, 201, 201, 413, 413, 413, 413, 413]);
  const { bytes } = await vitrine.store.quotas.usage(user.id);
  expect(bytes).toBeGreaterThan(9000);
  expect(bytes).toBeLessThanOrEqual(10_000);
});

test("of concurrent new sites, as many are created as the owner may have", async () => {
  const { token, user } = await vitrine.signUp("mallory");
  const archive = await page(1);
  const sites = Array.from({ length: 8 }, (_, index) => `mallory-${index}`);
  const responses = await Promise.all(sites.map((site) => vitrine.deploy(token, archive, { site })));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(await vitrine.store.quotas.usage(user.id)).toEqual({ sites: 3, bytes: 3 });
});

test("the operator raises a user's limits on a running server, and resets them to the defaults", async () => {
  const { token } = await vitrine.signUp("carol");
  expect((await vitrine.deploy(token, await page(9000), { site: "carols" })).status).toBe(201);
  const raised = await limit("carol", "--bytes", "1MiB", "--sites", "off", "--json");
  expect(JSON.parse(raised.stdout)).toEqual({
    login: "carol",
    sites: 1,
    bytes: 9000,
    max_sites: null,
    max_bytes: 1024 * 1024,
  });
  expect((await vitrine.deploy(token, await page(9000), { site: "carols" })).status).toBe(201);
  await limit("carol", "--bytes", "default");
  expect((await vitrine.deploy(token, await page(1), { site: "carols" })).status).toBe(413);
  // The command reads its settings from variables and vitrine.toml, which set no limit here.
  expect((await limit("carol")).stdout).toBe("sites    1 (no limit)\nstorage  17.6 KiB (no limit)\n");
  expect((await vitrine.store.audit.list({}, { limit: 1, before: null }))[0]).toMatchObject({
    kind: "operator",
    action: "users limit",
    subject: "carol bytes=default",
  });
});

test.each([
  [["ada", "--sites", "many"], 2, "--sites: "],
  [["ada", "--bytes", "-1"], 2, "--bytes: "],
  [["nobody", "--sites", "1"], 1, "there is no user called nobody"],
])("%p exits with %d and prints %s", async (args, status, words) => {
  const ended = await limit(...args);
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)]);
});
