import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY } from "../domain/timestamp.ts";
import { startAppliance, type TestAppliance } from "./testing/appliance.ts";
import { zipOf } from "./testing/archives.ts";
import { run } from "./testing/executable.ts";

let vitrine: TestAppliance;
let token: string;

beforeAll(async () => {
  vitrine = await startAppliance();
  token = (await vitrine.signUp("ada")).token;
}, 60_000);
afterAll(() => vitrine?.[Symbol.asyncDispose]());

const retention = (...args: string[]) => run(["retention", ...args, "--data-dir", vitrine.config.dataDir]);

async function numbersOf(site: string): Promise<number[]> {
  const response = await vitrine.call("GET", `/sites/${site}/deployments`, { token });
  return ((await response.json()) as { deployment_number: number }[]).map((one) => one.deployment_number);
}

/** Deployments that were replaced long enough ago for visitors to have left them. */
async function deployOften(site: string, times: number): Promise<void> {
  for (let round = 1; round <= times; round++) {
    await vitrine.deploy(token, await zipOf({ "index.html": `round ${round}`, "shared.txt": "shared" }), { site });
  }
  const { id } = (await vitrine.store.sites.find(site)) as { id: number };
  expect(await vitrine.store.retention.listDeployments(id)).toHaveLength(times);
}

test("a policy removes what it gives up, after a dry run told what that frees; pins and the previous one stay", async () => {
  await deployOften("demo", 6);
  expect((await retention("set", "demo", "--keep-last", "1")).status).toBe(0);
  expect((await retention("pin", "demo", "2")).status).toBe(0);
  // The command's own clock is not turned: for it, visitors may still have all of them open.
  expect(JSON.parse((await retention("show", "demo", "--json")).stdout)).toEqual({ sites: [], bytes: 0 });

  vitrine.advance(8 * DAY);
  const { applyRetention, planRetention } = await import("../domain/deployments/retention.ts");
  const standard = { last: null, days: null };
  const [plan] = await planRetention(vitrine, standard, "demo");
  expect(plan).toMatchObject({ siteName: "demo", numbers: [1, 3, 4], bytes: 3 * "round 1".length });
  expect(await numbersOf("demo")).toEqual([6, 5, 4, 3, 2, 1]);

  expect(await applyRetention(vitrine, standard, "demo")).toMatchObject([{ numbers: [1, 3, 4] }]);
  expect(await numbersOf("demo")).toEqual([6, 5, 2]);
  expect((await vitrine.visit("3--demo")).status).toBe(404);
  expect(await (await vitrine.visit("2--demo")).text()).toBe("round 2");
  expect(await (await vitrine.visit("demo")).text()).toBe("round 6");
  expect((await run(["verify", "--data-dir", vitrine.config.dataDir])).status).toBe(0);
}, 60_000);

test("what becomes active or pinned between plan and removal stays", async () => {
  await deployOften("raced", 4);
  const { id } = (await vitrine.store.sites.find("raced")) as { id: number };
  const all = await vitrine.store.retention.listDeployments(id);
  await vitrine.call("POST", "/sites/raced/deployments/1/activate", { token });
  await vitrine.store.retention.setPinned(id, 2, true);
  const removed = await vitrine.store.retention.remove(
    id,
    all.map((deployment) => deployment.id),
  );
  expect(removed).toEqual([3, 4]);
  expect(await (await vitrine.visit("raced")).text()).toBe("round 1");
});

test.each([
  [["set", "nowhere", "--keep-last", "3"], 1, "There is no site called nowhere."],
  [["set", "demo"], 2, "Say what to keep"],
  [["set", "demo", "--keep-last", "0"], 2, "give a whole number from 1"],
  [["set", "demo", "--default", "--keep-days", "3"], 2, "Say what to keep"],
  [["pin", "demo", "99"], 1, "demo has no deployment 99."],
])("%p ends with %d and says %s", async (args, status, words) => {
  const ended = await retention(...args);
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)]);
});
