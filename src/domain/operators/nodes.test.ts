import { expect, test } from "bun:test";
import type { DrainOutcome } from "../model/drain.ts";
import type { NodeStatus } from "../ports/store/nodes.ts";
import { requestDrain } from "./nodes.ts";

const NODE: NodeStatus = { name: "eu-1", address: "", version: "1.0.0", state: "live", applied: 7, lastSeenAt: 0 };

/** A cluster whose store answers requests to drain with an outcome. */
function clusterWith(outcome: DrainOutcome) {
  const nodes = {
    list: async () => [NODE, { ...NODE, name: "eu-2" }],
    requestDrain: async () => outcome,
  };
  return { store: { nodes } };
}

test("a node to drain is returned, also if the database goes away after the request", async () => {
  const cluster = clusterWith("requested");
  const { requestDrain: request } = cluster.store.nodes;
  cluster.store.nodes.requestDrain = async () => {
    cluster.store.nodes.list = () => Promise.reject(new Error("the database is away"));
    return request();
  };
  expect(await requestDrain(cluster, "eu-1")).toEqual({ ...NODE, state: "draining" });
});

test("a drain is recorded before it is requested; a refused one is not", async () => {
  const cluster = clusterWith("requested");
  const steps: string[] = [];
  const requested = cluster.store.nodes.requestDrain;
  cluster.store.nodes.requestDrain = async () => {
    steps.push("requested");
    return requested();
  };
  const record = async () => void steps.push("recorded");
  await requestDrain(cluster, "eu-1", record);
  await requestDrain(clusterWith("unknown"), "eu-9", record).catch(() => {});
  expect(steps).toEqual(["recorded", "requested"]);
});

test.each<[string, Parameters<typeof requestDrain>[0], string, string]>([
  ["an unknown node", clusterWith("unknown"), "not_found", "there is no node called eu-1"],
  ["the last live node", clusterWith("last_live"), "conflict", "no node but eu-1 is live"],
  ["a node of a server without a database", { store: { nodes: null } }, "not_found", "there is no node called eu-1"],
])("%s cannot drain", async (_, cluster, kind, detail) => {
  const refusal = await requestDrain(cluster, "eu-1").catch((error) => error);
  expect(refusal).toMatchObject({ kind, detail: expect.stringContaining(detail) });
});
