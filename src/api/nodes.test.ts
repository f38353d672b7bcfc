import { afterAll, expect, test } from "bun:test";
import type { NodeStatus } from "../domain/ports/store/nodes.ts";
import type { RateExchange } from "../domain/ports/store/rate-exchange.ts";
import { openTestApi } from "./testing/test-api.ts";

const NODE: NodeStatus = {
  name: "eu-1",
  address: "http://10.0.4.11",
  version: "1",
  state: "live",
  applied: 7,
  lastSeenAt: 0,
};

const nodes = new Map<string, NodeStatus>();

const directory = {
  list: async () => [...nodes.values()],
  rates: {} as RateExchange,
  measure: async () => ({ newestChange: 7, databaseBytes: 0 }),
  async requestDrain(name: string) {
    const node = nodes.get(name);
    if (!node) return "unknown";
    if ([...nodes.values()].every((other) => other.name === name || other.state !== "live")) return "last_live";
    nodes.set(name, { ...node, state: "draining" });
    return "requested";
  },
  deleteOld: async () => ({ nodes: 0, changes: 0 }),
} as const;
for (const name of ["eu-1", "eu-2"]) nodes.set(name, { ...NODE, name });
const api = await openTestApi({}, directory);
const operator = await api.signUp("root");
await api.store.users.setOperator(operator.user.id, true);
const { token } = operator;
afterAll(() => api[Symbol.asyncDispose]());

const call = async (method: string, path: string) => {
  const response = await api.call(method, `/admin/nodes${path}`, { token });
  return { status: response.status, body: await response.json() };
};
const shown = { address: "http://10.0.4.11", version: "1", applied: 7, last_seen_at: "1970-01-01T00:00:00.000Z" };

test("an operator sees the nodes", async () => {
  const listed = [
    { name: "eu-1", state: "live", ...shown },
    { name: "eu-2", state: "live", ...shown },
  ];
  expect(await call("GET", "")).toEqual({ status: 200, body: listed });
});

test("an operator drains a node, which is recorded, but neither an unknown nor the last live one", async () => {
  expect(await call("POST", "/eu-2/drain")).toEqual({
    status: 202,
    body: { name: "eu-2", state: "draining", ...shown },
  });
  expect(await call("POST", "/eu-1/drain")).toMatchObject({ status: 409, body: { detail: expect.any(String) } });
  expect(await call("POST", "/eu-3/drain")).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
  const records = await api.store.audit.list({}, { limit: 9, before: null });
  expect(records.filter(({ action }) => action.includes("nodes"))).toMatchObject([
    { kind: "operator", actor: "root", action: "POST /admin/nodes/:node_name/drain", subject: "node_name=eu-2" },
  ]);
});
