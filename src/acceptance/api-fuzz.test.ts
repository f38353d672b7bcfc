import { afterAll, beforeAll, expect, test } from "bun:test";
import { fuzzApi } from "./testing/api-fuzz.ts";
import { type FuzzWorld, startFuzzWorld } from "./testing/fuzz-world.ts";

/** Requests per operation. scripts/reliability/fuzz-api.ts sends more. */
const RUNS = 12;
const SEED = 20_261_101;

let world: FuzzWorld;

beforeAll(async () => {
  world = await startFuzzWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("every operation responds with a documented status to any request, and never with 500", async () => {
  const { requests, statuses, failures } = await fuzzApi(world, RUNS, SEED);
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(1000);
  // If hardly any request succeeds, or hardly any is refused, the generator misses its target.
  expect(statuses[200]).toBeGreaterThan(requests / 10);
  expect(statuses[422]).toBeGreaterThan(requests / 10);
});
