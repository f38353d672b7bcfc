import { expect, test } from "bun:test";
import { HOUR, MINUTE } from "../domain/timestamp.ts";
import { sweepJob } from "./sweep.ts";

/** The job with clocks that are turned by hand, and a record of what it asked for. */
function newJob() {
  const time = { wall: 1_000_000, files: 1_000_000, elapsed: 0 };
  const asked = { publishedBefore: [] as number[], writtenBefore: [] as number[], expiredAt: [] as number[] };
  const expiring = {
    removeExpired: async (now: number) => {
      asked.expiredAt.push(now);
      return 1;
    },
  };
  const store = {
    contents: {
      knows: () => false,
      async *list() {},
      async forgetUnreferenced(before: number) {
        asked.publishedBefore.push(before);
        return [];
      },
    },
    sessions: expiring,
    visits: { removeExpired: async () => 1 },
    deviceCodes: { removeExpired: async () => 0 },
    signInAttempts: { removeExpired: async () => 0 },
    rateLimits: { removeBefore: async () => 0 },
  };
  const blobs = {
    discard() {},
    discardStray: () => false,
    discarded: () => [],
    purge() {},
    restoreMissing() {},
    async *list() {},
    discardUnfinished(before: number) {
      asked.writtenBefore.push(before);
    },
  };
  const job = sweepJob({
    store: store as never,
    blobs,
    pause: async () => {},
    clock: { now: () => time.wall },
    fileClock: { now: () => time.files },
    elapsed: () => time.elapsed,
  });
  const pass = (elapsed: number, wall = elapsed) => {
    time.elapsed += elapsed;
    time.wall += wall;
    time.files += wall;
  };
  return { job, asked, pass };
}

test("the first sweep takes what was written before the start, later ones what was written before the one before", async () => {
  const { job, asked, pass } = newJob();
  pass(MINUTE);
  await job();
  pass(HOUR);
  await job();
  expect(asked.writtenBefore).toEqual([999_000, 999_000 + MINUTE]);
  expect(asked.publishedBefore).toEqual([1_000_000 + MINUTE - HOUR, 1_000_000 + MINUTE]);
});

test("what expired is forgotten, but not in the sweep after the clock jumped", async () => {
  const { job, asked, pass } = newJob();
  pass(HOUR);
  expect(await job()).toMatchObject({ expired: 2 });
  pass(HOUR, 400 * 24 * HOUR);
  expect(await job()).toMatchObject({ expired: 0 });
  pass(HOUR);
  expect(await job()).toMatchObject({ expired: 2 });
  pass(HOUR, -9 * HOUR);
  expect(await job()).toMatchObject({ expired: 0 });
  expect(asked.expiredAt).toHaveLength(2);
});

test("files that are written while the clock jumps ahead do not look old", async () => {
  const { job, asked, pass } = newJob();
  await job();
  const written = 1_000_000 + MINUTE;
  pass(HOUR, 400 * 24 * HOUR);
  await job();
  expect(asked.writtenBefore.every((before) => before < written)).toBe(true);
});
