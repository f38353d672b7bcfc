import { beforeEach, expect, test } from "bun:test";
import type { StepLength } from "../domain/model/metric-step.ts";
import type { Store } from "../domain/ports/store.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { type Counters, metricSampler } from "./metrics.ts";
import { RUN } from "./testing/run.ts";

const START = Date.UTC(2026, 10, 22, 21, 59);
const GAUGES = { diskUsed: 1, diskFree: 2, contentBytes: 3, memoryRss: 4, certificates: 5, claimsConnected: 6 };

let store: Store;
let now: number;
let requests: number;
let looks: number;

beforeEach(() => {
  store = temporaryStore();
  now = START;
  requests = 0;
  looks = 0;
});

const counters = (): Counters => ({
  counts: { requests, errors5xx: 0, bytesSent: 0, cacheHits: 0, cacheMisses: 0, jobsFailed: 0 },
  latency: [requests, 0],
});

function open() {
  const gauges = async () => {
    looks++;
    return GAUGES;
  };
  return metricSampler({ store, clock: { now: () => now }, counters, gauges });
}

async function steps(length: StepLength) {
  const kept = await store.metrics.list(length, 0, Number.POSITIVE_INFINITY);
  return [...kept].map(([at, { counts, starts }]) => [at - START, counts.requests, starts.length]);
}

test("each sample adds the counts since the last one to its minute and hour", async () => {
  const { job } = open();
  for (const seen of [3, 5, 5, 9]) {
    requests = seen;
    await job.run(RUN);
    now += 30 * SECOND;
  }
  expect(await steps("minute")).toEqual([
    [0, 5, 1],
    [MINUTE, 4, 0],
  ]);
  expect(await steps("hour")).toEqual([
    [-59 * MINUTE, 5, 1],
    [MINUTE, 4, 0],
  ]);
  expect(looks).toBe(2);
});

test("a restart within a minute continues that minute, and is recorded", async () => {
  requests = 7;
  await open().flush();
  requests = 2;
  await open().job.run(RUN);
  expect(await steps("minute")).toEqual([[0, 9, 2]]);
});

test("counts that could not be written are part of the next sample", async () => {
  const { job } = open();
  const { add } = store.metrics;
  requests = 7;
  Object.assign(store.metrics, { add: () => Promise.reject(new Error("disk full")) });
  expect(job.run(RUN)).rejects.toThrow("disk full");
  await Bun.sleep(0);
  Object.assign(store.metrics, { add });
  requests = 8;
  await job.run(RUN);
  expect(await steps("minute")).toEqual([[0, 8, 1]]);
});
