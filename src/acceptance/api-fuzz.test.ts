import { afterAll, beforeAll, expect, test } from "bun:test";
import { fuzzApi } from "./testing/api-fuzz.ts";
import { type FuzzWorld, startFuzzWorld } from "./testing/fuzz-world.ts";

/** Requests to each operation; scripts/reliability/fuzz-api.ts sends more of them, and others. */
const RUNS = 12;
const SEED = 20_261_101;

let world: FuzzWorld;

beforeAll(async () => {
  world = await startFuzzWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("whatever an operation is sent, it answers with a status that its document names, and never with 500", async () => {
  const { requests, statuses, complaints } = await fuzzApi(world, RUNS, SEED);
  expect(complaints).toEqual([]);
  expect(requests).toBeGreaterThan(1000);
  // Where hardly anything succeeds, or is refused, the generator no longer reaches what it is to test.
  expect(statuses[200]).toBeGreaterThan(requests / 10);
  expect(statuses[422]).toBeGreaterThan(requests / 10);
});
