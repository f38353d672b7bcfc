import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../domain/timestamp.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { sweepJob } from "./sweep.ts";

/** The job with clocks that tests advance, and a record of its calls. */
function newJob(isShared = false) {
  const time = { wall: 1_000_000, files: 1_000_000, elapsed: 0 };
  const requested = { publishedBefore: [] as number[], writtenBefore: [] as number[], expiredAt: [] as number[] };
  const expiring = {
    deleteExpired: async (now: number) => {
      requested.expiredAt.push(now);
      return 1;
    },
  };
  const kept = temporaryStore();
  const store = {
    ...kept,
    contents: {
      ...kept.contents,
      async *condemnUnreferenced(before: number) {
        requested.publishedBefore.push(before);
        yield 0;
      },
    },
    sessions: { ...kept.sessions, ...expiring },
    sites: { ...kept.sites, deleteFreeNames: expiring.deleteExpired },
  };
  const content = {
    delete: async () => false,
    async *list() {},
    async deleteUnfinished(before: number) {
      requested.writtenBefore.push(before);
    },
  };
  const job = sweepJob({
    store,
    content,
    pause: async () => {},
    isShared,
    clock: { now: () => time.wall },
    contentClock: { now: () => time.files },
    timers: { elapsed: () => time.elapsed },
    log: { info() {}, warn() {}, error() {} },
  });
  const pass = (milliseconds: number) => {
    jump(milliseconds);
    time.elapsed += milliseconds;
  };
  const jump = (milliseconds: number) => {
    time.wall += milliseconds;
    time.files += milliseconds;
  };
  const sweep = (clockTrusted = true) => job.run({ signal: new AbortController().signal, lease: null, clockTrusted });
  return { sweep, requested, pass, jump };
}

test("the first sweep takes files from before the start, and later ones files from before the last sweep", async () => {
  const { sweep, requested, pass } = newJob();
  pass(MINUTE);
  await sweep();
  pass(HOUR);
  await sweep();
  expect(requested.writtenBefore).toEqual([999_000, 999_000 + MINUTE]);
  expect(requested.publishedBefore).toEqual([1_000_000 + MINUTE - HOUR, 1_000_000 + MINUTE]);
});

test("a sweep takes nothing that another server may have written within an upload", async () => {
  const { sweep, requested, pass } = newJob(true);
  await sweep();
  pass(2 * HOUR);
  await sweep();
  expect(requested.writtenBefore).toEqual([999_000 - HOUR, 999_000]);
});

test("expired rows are deleted, but not while the clock is not trusted", async () => {
  const { sweep, requested } = newJob();
  await sweep();
  await sweep(false);
  // Sessions and the names of deleted sites.
  expect(requested.expiredAt).toEqual([1_000_000 - DAY, 1_000_000]);
});

test.each([400 * 24 * HOUR, -2 * HOUR])(
  "files that are written while the clock jumps by %d ms do not look old",
  async (by) => {
    const { sweep, requested, pass, jump } = newJob();
    await sweep();
    pass(MINUTE);
    const before = 1_000_000 + MINUTE;
    jump(by);
    const after = before + by;
    pass(HOUR);
    await sweep();
    expect(requested.writtenBefore.at(-1)).toBeLessThan(Math.min(before, after));
  },
);

test("while the clock is not trusted, no file looks old", async () => {
  const { sweep, requested, pass } = newJob();
  pass(MINUTE);
  await sweep(false);
  expect(requested.writtenBefore).toEqual([Number.NEGATIVE_INFINITY]);
});
