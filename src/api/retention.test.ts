import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { DAY } from "../domain/timestamp.ts";
import { openTestApi } from "./testing/test-api.ts";

const vitrine = await openTestApi();
afterAll(() => vitrine[Symbol.asyncDispose]());
const { token } = await vitrine.signUp("ada");

const retention = (...args: string[]) => runCli(["retention", ...args, "--data-dir", vitrine.config.dataDir]);

async function numbersOf(site: string): Promise<number[]> {
  const response = await vitrine.call("GET", `/sites/${site}/deployments`, { token });
  return ((await response.json()) as { deployment_number: number }[]).map((one) => one.deployment_number);
}

/** Creates deployments that were replaced so long ago that visitors no longer use them. */
async function deployOften(site: string, times: number, text = "round"): Promise<void> {
  for (let round = 1; round <= times; round++) {
    await vitrine.deploy(token, await zipOf({ "index.html": `${text} ${round}`, "shared.txt": "shared" }), { site });
  }
  const { id } = (await vitrine.store.sites.find(site)) as { id: number };
  expect(await vitrine.store.retention.listDeployments(id)).toHaveLength(times);
}

const SERVED = "Assets of a replaced deployment are served for 7d.";

test("a policy removes deployments after a dry run with the freed space, and keeps pins and the previous one", async () => {
  await deployOften("demo", 6);
  expect((await retention("set", "demo", "--keep-last", "1")).status).toBe(0);
  expect((await retention("pin", "demo", "2")).status).toBe(0);
  // The command's clock is not advanced, so for it visitors may still have all of them open.
  const policy = { keep_last: 1, keep_days: null, grace_days: 7 };
  expect(JSON.parse((await retention("show", "demo", "--json")).stdout)).toEqual({ policy, sites: [], bytes: 0 });
  expect((await retention("show", "demo")).stderr).toBe(
    `demo keeps the newest 1. ${SERVED}\nNo deployments would be deleted.\n`,
  );
  expect((await retention("show")).stderr).toContain(`The server keeps every deployment. ${SERVED}\n`);
  await retention("set", "demo", "--keep-last", "1", "--keep-days", "30");
  expect((await retention("show", "demo")).stderr).toContain(
    `demo keeps the newest 1 and those of the last 30 days. ${SERVED}\n`,
  );
  await retention("set", "demo", "--keep-last", "1");
  for (const verb of ["show", "run"]) {
    expect((await retention(verb, "nobodys")).stderr).toContain("there is no site called nobodys");
  }

  vitrine.advance(8 * DAY);
  const { applyRetention, planRetention } = await import("../domain/deployments/retention.ts");
  const standard = { last: null, days: null, graceMs: 7 * DAY };
  const [plan] = await planRetention(vitrine, standard, "demo");
  expect(plan).toMatchObject({
    siteName: "demo",
    policy: { last: 1 },
    numbers: [1, 3, 4],
    bytes: 3 * "round 1".length,
  });
  expect(await numbersOf("demo")).toEqual([6, 5, 4, 3, 2, 1]);

  expect(await applyRetention(vitrine, standard, "demo")).toMatchObject([{ numbers: [1, 3, 4] }]);
  expect(await numbersOf("demo")).toEqual([6, 5, 2]);
  expect((await vitrine.visit("3--demo")).status).toBe(404);
  expect(await (await vitrine.visit("2--demo")).text()).toBe("round 2");
  expect(await (await vitrine.visit("demo")).text()).toBe("round 6");
  expect((await runCli(["verify", "--data-dir", vitrine.config.dataDir])).status).toBe(0);
});

test("an owner previews a policy, sets it, pins, and resets it to the server's", async () => {
  await deployOften("beas", 6, "beas");
  vitrine.advance(8 * DAY);
  const ask = async (method: string, path: string, json?: unknown) => {
    const response = await vitrine.call(method, `/sites/beas${path}`, { token, json });
    return response.status === 204 ? 204 : await response.json();
  };
  const none = { keep_last: null, keep_days: null, grace_days: 7 };
  expect(await ask("GET", "/retention")).toEqual({ policy: null, effective: none, pinned: [] });
  expect(await ask("GET", "/retention/preview")).toEqual({ policy: none, deployments: [], bytes: 0 });

  const wanted = { keep_last: 2, keep_days: null };
  const effective = { ...wanted, grace_days: 7 };
  const preview = { policy: effective, deployments: [1, 2, 3, 4], bytes: 4 * "beas 1".length };
  expect(await ask("GET", "/retention/preview?keep_last=2")).toEqual(preview);
  expect(await ask("POST", "/deployments/2/pin")).toEqual({ deployment_number: 2, pinned: true });
  expect(await ask("PUT", "/retention", wanted)).toEqual({
    policy: { ...wanted, grace_days: null },
    effective,
    pinned: [2],
  });
  const pinned = { ...preview, deployments: [1, 3, 4], bytes: 3 * "beas 1".length };
  expect(await ask("GET", "/retention/preview")).toEqual(pinned);
  expect(await ask("DELETE", "/deployments/2/pin")).toBe(204);
  expect(await ask("GET", "/retention/preview")).toEqual(preview);

  const { applyRetention } = await import("../domain/deployments/retention.ts");
  expect(await applyRetention(vitrine, { last: 1, days: null, graceMs: 7 * DAY }, "beas")).toMatchObject([
    { numbers: [1, 2, 3, 4] },
  ]);
  expect(await numbersOf("beas")).toEqual([6, 5]);
  const own = (days: number) => ({
    policy: { ...wanted, grace_days: days },
    effective: { ...wanted, grace_days: days },
  });
  expect(await ask("PUT", "/retention", { ...wanted, grace_days: 0 })).toMatchObject(own(0));
  expect(await ask("PUT", "/retention", { ...wanted, grace_days: 90 })).toMatchObject(own(90));
  expect(await ask("PUT", "/retention", wanted)).toMatchObject(own(90));
  expect(await ask("PUT", "/retention", { ...wanted, grace_days: null })).toMatchObject({ effective });
  expect(await ask("DELETE", "/retention")).toBe(204);
  expect(await ask("GET", "/retention")).toMatchObject({ policy: null });
  expect(await ask("POST", "/deployments/99/pin")).toEqual({ detail: "beas has no deployment 99" });
});

test("an empty policy keeps everything until it is reset to the server's, which can be previewed", async () => {
  await using strict = await openTestApi({ "keep-last": "1" });
  const ada = (await strict.signUp("ada")).token;
  for (const text of ["a", "b", "c"]) await strict.deploy(ada, await zipOf({ "index.html": text }), { site: "all" });
  strict.advance(8 * DAY);
  const ask = async (method: string, path: string, json?: unknown) =>
    (await strict.call(method, `/sites/all/retention${path}`, { token: ada, json })).json();
  expect(await ask("GET", "")).toMatchObject({ policy: null, effective: { keep_last: 1, keep_days: null } });
  expect(await ask("GET", "/preview")).toMatchObject({ deployments: [1] });
  await ask("PUT", "", { keep_last: null, keep_days: null });
  expect(await ask("GET", "/preview")).toMatchObject({ deployments: [], bytes: 0 });
  expect(await ask("GET", "/preview?default=false")).toMatchObject({ deployments: [] });

  const servers = { policy: { keep_last: 1, keep_days: null, grace_days: 7 }, deployments: [1], bytes: 1 };
  expect(await ask("GET", "/preview?default=true")).toEqual(servers);
  const remote = ["--server", strict.listen(), "--token", ada];
  const back = await runCli(["deployments", "keep", "all", "--default", "--dry-run", ...remote]);
  expect(back.stderr).toBe("This would delete 1 deployment, which frees 1 byte.\n");
  expect(await ask("GET", "")).toMatchObject({ policy: { keep_last: null } });
});

test.each([
  ["PUT", "/sites/demo/retention", { keep_last: 0, keep_days: null }, ["body", "keep_last"]],
  ["PUT", "/sites/demo/retention", { keep_last: 3 }, ["body", "keep_days"]],
  ["PUT", "/sites/demo/retention", { keep_last: 3, keep_days: null, grace_days: 91 }, ["body", "grace_days"]],
  ["PUT", "/sites/demo/retention", { keep_last: 3, keep_days: null, grace_days: -1 }, ["body", "grace_days"]],
  ["PUT", "/sites/demo/retention", { keep_last: 3, keep_days: null, grace_days: 1.5 }, ["body", "grace_days"]],
  ["GET", "/sites/demo/retention/preview?grace_days=91", undefined, ["query", "grace_days"]],
  ["PUT", "/sites/demo/retention", { keep_last: 3, keep_days: "some" }, ["body", "keep_days"]],
  ["GET", "/sites/demo/retention/preview?keep_days=x", undefined, ["query", "keep_days"]],
  ["GET", "/sites/demo/retention/preview?default=perhaps", undefined, ["query", "default"]],
  ["GET", "/sites/demo/retention/preview?default=true&keep_last=3", undefined, ["query", "default"]],
  ["POST", "/sites/demo/deployments/0/pin", undefined, ["path", "deployment_number"]],
])("%s %s with %j is refused, and the error names the field", async (method, path, json, loc) => {
  const response = await vitrine.call(method, path, { token, json });
  expect([response.status, ((await response.json()) as { detail: { loc: string[] }[] }).detail[0]?.loc]).toEqual([
    422,
    loc,
  ]);
});

test("the command line sets an owner's policy and pins", async () => {
  const remote = ["--server", vitrine.listen(), "--token", token];
  const deployments = (...args: string[]) => runCli(["deployments", ...args, ...remote]);
  await deployOften("typed", 4, "typed");
  vitrine.advance(8 * DAY);
  const dry = await deployments("keep", "typed", "--keep-last", "1", "--dry-run");
  expect(dry.stderr).toBe("This would delete 2 deployments, which frees 14 bytes.\n");
  expect((await deployments("pin", "typed", "1")).stderr).toContain("Deployment 1 of typed is pinned.");
  const kept = await deployments("keep", "typed", "--keep-last", "1", "--json");
  expect(JSON.parse(kept.stdout)).toMatchObject({ deployments: [2] });
  await deployments("unpin", "typed", "1");
  expect((await deployments("keep", "typed", "--default")).stderr).toBe("No deployments will be deleted.\n");
  expect((await deployments("keep", "typed")).status).toBe(2);
  await deployments("keep", "typed", "--grace-days", "30");
  const policy = async () =>
    ((await (await vitrine.call("GET", "/sites/typed/retention", { token })).json()) as { policy: object }).policy;
  expect(await policy()).toEqual({ keep_last: null, keep_days: null, grace_days: 30 });
  await deployments("keep", "typed", "--keep-days", "5");
  expect(await policy()).toEqual({ keep_last: null, keep_days: 5, grace_days: 30 });
  expect((await retention("set", "typed", "--grace-days", "0")).status).toBe(0);
  expect(await policy()).toEqual({ keep_last: null, keep_days: 5, grace_days: 0 });
  expect((await retention("show", "typed")).stderr).toContain("served for 0d.");
});

test("a deployment that becomes active or pinned between plan and removal stays", async () => {
  await deployOften("raced", 4);
  const { id } = (await vitrine.store.sites.find("raced")) as { id: number };
  const all = await vitrine.store.retention.listDeployments(id);
  await vitrine.call("POST", "/sites/raced/deployments/1/activate", { token });
  await vitrine.store.retention.setPinned(id, 2, true);
  const removed = await vitrine.store.retention.deleteDeployments(
    id,
    all.map((deployment) => deployment.id),
    vitrine.clock.now(),
  );
  expect(removed).toEqual([3, 4]);
  expect(await (await vitrine.visit("raced")).text()).toBe("round 1");
});

test.each([
  [["set", "nowhere", "--keep-last", "3"], 1, "there is no site called nowhere"],
  [["set", "demo"], 2, "nothing to keep"],
  [["set", "demo", "--keep-last", "0"], 2, "give a whole number from 1"],
  [["set", "demo", "--keep-last", "100001"], 2, "give a whole number from 1 to 100000"],
  [["set", "demo", "--grace-days", "91"], 2, "give a whole number from 0 to 90"],
  [["set", "demo", "--default", "--keep-days", "3"], 2, "nothing to keep"],
  [["pin", "demo", "99"], 1, "demo has no deployment 99"],
])("%p exits with %d and prints %s", async (args, status, words) => {
  const ended = await retention(...args);
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)]);
});
