import { afterEach, beforeEach, expect, test } from "bun:test";
import { loadConfig } from "../config/settings.ts";
import { DomainError } from "../domain/errors.ts";
import type { NodeDirectory, NodeStatus } from "../domain/ports/store/nodes.ts";
import { newMeterSlots } from "../serving/metrics.ts";
import { newContentMeterSlots, readContentMeters } from "../storage/content/s3/content-meters.ts";
import { dataFolder } from "../storage/folder/data-folder.ts";
import { clusterMeters, newClusterMeterSlots, readClusterMeters } from "../storage/meters/cluster-meters.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { serveMetrics } from "./metrics.ts";

let dataDir: string;
let isAway: boolean;
const reported: unknown[] = [];

beforeEach(() => {
  dataDir = temporaryFolder();
  isAway = false;
});
afterEach(() => {
  expect(reported).toEqual([]);
});

const node = (name: string, applied: number, state: NodeStatus["state"] = "live"): NodeStatus => {
  return { name, address: "http://10.0.4.11", version: "1", state, applied, lastSeenAt: 0 };
};
const nodes: Pick<NodeDirectory, "list" | "measure"> = {
  async list() {
    if (isAway) throw new DomainError("unavailable", "the database cannot be reached");
    return [node("eu-1", 9), node("eu-2", 5), node("eu-2", 8), node("eu-3", 10, "isolated")];
  },
  measure: async () => ({ newestChange: 10, databaseBytes: 8_000_000 }),
};

/** Returns the metrics of a node as lines. */
async function scrape(): Promise<readonly string[]> {
  const config = loadConfig({ flags: { dataDir, metricsListen: "127.0.0.1:0" }, env: {} });
  const slots = newClusterMeterSlots();
  const { observe, observeBarrier } = clusterMeters(slots);
  observe(0.002, false);
  observe(3, true);
  observeBarrier(0.02, false);
  const ports = {
    store: { ...temporaryStore(), nodes: nodes as NodeDirectory },
    certificates: { presented: () => [] },
    folder: dataFolder(dataDir),
    clock: { now: () => 0 },
    log: { info() {}, warn() {}, error: (_: string, error: unknown) => void reported.push(error) },
    scheduler: { lags: () => [] },
    content: () => readContentMeters(newContentMeterSlots()),
    cluster: () => readClusterMeters(slots),
  };
  const server = serveMetrics(config, ports, [newMeterSlots()]);
  try {
    return (await (await fetch(`http://127.0.0.1:${server?.port}/metrics`)).text()).split("\n");
  } finally {
    await server?.stop();
  }
}

const OF_THE_NODE = [
  "vitrine_database_failures_total 1",
  'vitrine_database_request_duration_seconds_bucket{le="0.0025"} 1',
  "vitrine_database_request_duration_seconds_count 2",
  'vitrine_barrier_duration_seconds_bucket{le="0.025"} 1',
  "vitrine_barrier_failures_total 0",
];

test("a node has metrics of its database, the barrier, and the lag of every node", async () => {
  expect(await scrape()).toEqual(
    expect.arrayContaining([
      ...OF_THE_NODE,
      "vitrine_database_up 1",
      "vitrine_database_bytes 8000000",
      'vitrine_nodes{state="live"} 3',
      'vitrine_nodes{state="isolated"} 1',
      'vitrine_nodes{state="draining"} 0',
      'vitrine_node_lag_changes{node="eu-1"} 1',
      'vitrine_node_lag_changes{node="eu-2"} 5',
      'vitrine_node_lag_changes{node="eu-3"} 0',
      "vitrine_users 0",
    ]),
  );
});

test("while the database is away, a node has the metrics that it knows itself", async () => {
  isAway = true;
  const lines = await scrape();
  expect(lines).toEqual(expect.arrayContaining([...OF_THE_NODE, "vitrine_database_up 0"]));
  expect(lines.filter((line) => line.startsWith("vitrine_users"))).toEqual([]);
});
