import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi();
const token = (await api.signUp("ada")).token;
afterAll(() => api[Symbol.asyncDispose]());

async function deploy(text: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await api.deploy(token, await zipOf({ "index.html": text }), { site: "demo", headers });
  expect(response.status).toBe(201);
}

async function remove(number: number): Promise<[status: number, detail: string | null]> {
  const response = await api.call("DELETE", `/sites/demo/deployments/${number}`, { token });
  return [response.status, response.status === 204 ? null : ((await response.json()) as { detail: string }).detail];
}

async function numbers(): Promise<readonly number[]> {
  const response = await api.call("GET", "/sites/demo/deployments", { token });
  return ((await response.json()) as { deployment_number: number }[]).map((one) => one.deployment_number);
}

test("an owner deletes what is neither active nor aliased, also on a frozen site, and the activity says who", async () => {
  await deploy("one");
  await deploy("two");
  await deploy("three", { "X-Service-Alias": "pr-3" });
  expect(await remove(2)).toEqual([409, "the deployment is active"]);
  expect(await remove(3)).toEqual([409, "aliases point to this deployment: pr-3"]);
  expect(await remove(4)).toEqual([404, "demo has no deployment 4"]);
  const site = await api.store.sites.find("demo");
  await api.store.sites.setFrozen(site!.id, { at: 0, reason: null });
  expect([await remove(1), await remove(1)]).toEqual([
    [204, null],
    [404, "demo has no deployment 1"],
  ]);
  await api.store.sites.setFrozen(site!.id, null);
  expect(await numbers()).toEqual([3, 2]);
  const activity = await (await api.call("GET", "/sites/demo/audit", { token })).json();
  expect(activity).toMatchObject([{ actor: "ada", summary: "Deleted deployment 1" }, {}, {}, {}]);
});

test("the same files can be deployed again at once, under another number", async () => {
  await deploy("leaked", { "X-Service-Activate": "no" });
  expect(await remove(4)).toEqual([204, null]);
  await deploy("leaked", { "X-Service-Activate": "no" });
  expect(await numbers()).toEqual([5, 3, 2]);
});
