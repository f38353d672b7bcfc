import { expect, test } from "bun:test";
import { newClockShift } from "../../clients/system/clock.ts";
import type { Store } from "../../domain/ports/store.ts";
import { RUN } from "../../jobs/testing/run.ts";
import type { Shared } from "../shared.ts";
import { encodeInBackground } from "./encoding-thread.ts";

test("what changed while the database was away is looked at once it is back", async () => {
  let generation = 1;
  let isAway = false;
  const asked: (readonly number[] | null | undefined)[] = [];
  const store = {
    generation: () => generation,
    affectedSites: (after: number) => [after],
    reports: { isPending: async () => false },
    encodings: {
      async isPending(_: unknown, siteIds?: readonly number[] | null) {
        if (isAway) throw new Error("away");
        asked.push(siteIds);
        return false;
      },
    },
  } as unknown as Store;
  const log = { info() {}, warn() {}, error() {} };
  const { job } = encodeInBackground({ clockShift: newClockShift() } as Shared, { store, log });
  const poll = () => job.run(RUN);
  await poll();
  generation = 2;
  isAway = true;
  await expect(poll()).rejects.toThrow("away");
  isAway = false;
  await poll();
  await poll();
  expect(asked).toEqual([null, [1]]);
});
