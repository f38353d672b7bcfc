import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SCHEDULER_LEASE } from "../domain/claims/capability.ts";
import type { Store } from "../domain/ports/store.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { eachOf, type Job, type JobRun } from "./job.ts";
import { type Scheduler, startScheduler } from "./scheduler.ts";
import { FakeTimers } from "./testing/fake-timers.ts";

let store: Store;
let timers: FakeTimers;
let wallOffset: number;
let logged: string[];
let running: Scheduler[];
let isPaused: boolean;
let lastChangeAt: number | null;

beforeEach(async () => {
  store = temporaryStore();
  timers = new FakeTimers();
  wallOffset = Date.UTC(2026, 0, 1);
  logged = [];
  running = [];
  lastChangeAt = null;
  isPaused = false;
});
afterEach(async () => {
  const stopped = running.map((scheduler) => scheduler.stop());
  await timers.pass(5 * SECOND);
  await Promise.all(stopped);
});

const wall = () => wallOffset + timers.elapsed();

async function start(jobs: Job[], node = "one"): Promise<Scheduler> {
  const log = {
    info: () => {},
    warn: (event: string) => void logged.push(event),
    error: (event: string) => void logged.push(event),
  };
  const ports = {
    store,
    timers,
    log,
    node,
    lastChangeAt,
    clock: { now: wall },
    random: () => 0.5,
    isPaused: () => isPaused,
  };
  const scheduler = await startScheduler(ports, jobs);
  running.push(scheduler);
  return scheduler;
}

/** A job that records when it ran, and runs `work`. */
function job(
  name: string,
  work: (run: JobRun) => Promise<void> | void = () => {},
  every = MINUTE,
  scope: Job["scope"] = "cluster",
) {
  const runs: number[] = [];
  const run = async (context: JobRun) => {
    runs.push(timers.elapsed());
    await work(context);
  };
  return { name, title: `Run ${name}`, scope, every, timeLimit: 30 * SECOND, run, runs };
}

const fail = () => {
  throw new Error("out of luck");
};

describe("jobs", () => {
  test("run at once and then at their interval", async () => {
    const steady = job("steady");
    await start([steady]);
    await timers.pass(2 * MINUTE);
    expect(steady.runs).toEqual([0, MINUTE, 2 * MINUTE]);
  });

  test("that throw are retried with backoff, and stop no other", async () => {
    const broken = job("broken", fail);
    const steady = job("steady");
    await start([broken, steady]);
    await timers.pass(20 * MINUTE);
    expect(broken.runs.map((at) => at / MINUTE)).toEqual([0, 1, 3, 8, 18]);
    expect(steady.runs).toHaveLength(21);
    expect(logged[0]).toContain("the job broken failed and runs again in 60 s");
  });

  test("wait while the store is away, and run as soon as it is back", async () => {
    const broken = job("broken", () => void (isPaused && fail()));
    await start([broken, job("own", fail, MINUTE, "node")]);
    await timers.pass(SECOND);
    isPaused = true;
    logged = [];
    await timers.pass(HOUR);
    isPaused = false;
    await timers.pass(10 * SECOND);
    expect(broken.runs).toEqual([0, HOUR + 5 * SECOND]);
    expect(logged.filter((line) => line.includes("broken"))).toEqual([]);
  });

  test("that hang are abandoned with an error, and stop no other", async () => {
    const signals: AbortSignal[] = [];
    const hanging = job("hanging", ({ signal }) => {
      signals.push(signal);
      return new Promise<void>(() => {});
    });
    const steady = job("steady");
    await start([hanging, steady]);
    await timers.pass(5 * MINUTE);
    expect(hanging.runs).toEqual([0, 30 * SECOND + MINUTE, 2 * (30 * SECOND) + 3 * MINUTE]);
    expect(signals[0]?.aborted).toBeTrue();
    expect(steady.runs).toHaveLength(6);
  });

  test("have a lag from the moment they are due until they succeed", async () => {
    const scheduler = await start([job("broken", fail), job("steady")]);
    await timers.pass(10.5 * MINUTE);
    expect(scheduler.lags()).toEqual([
      { job: "broken", lag: 10.5 * MINUTE },
      { job: "steady", lag: 0 },
    ]);
  });

  test("have their latest result and their next run, also after a restart", async () => {
    let failing = false;
    const shaky = job("shaky", async () => {
      await timers.wait(2 * SECOND);
      if (failing) fail();
    });
    const first = await start([shaky]);
    const began = wall();
    await timers.pass(0);
    expect(await first.listJobs()).toMatchObject([{ running: true, nextRunAt: null, lastRunAt: null }]);
    await timers.pass(2 * SECOND);
    const done = { name: "shaky", title: "Run shaky", lastRunAt: began, lastDurationMs: 2 * SECOND, lastError: null };
    expect(await first.listJobs()).toEqual([{ ...done, every: MINUTE, nextRunAt: wall() + MINUTE, running: false }]);
    failing = true;
    await timers.pass(MINUTE + 2 * SECOND);
    const failed = { lastRunAt: began + MINUTE + 2 * SECOND, lastDurationMs: 2 * SECOND, lastError: "out of luck" };
    expect(await first.listJobs()).toMatchObject([{ ...failed, nextRunAt: wall() + MINUTE }]);
    expect(first.failures()).toBe(1);
    await first.stop();
    const second = await start([shaky]);
    expect(await second.listJobs()).toMatchObject([failed]);
  });

  test("can be started at once by an operator, one run at a time", async () => {
    const slow = job("slow", () => timers.wait(2 * SECOND), HOUR);
    const scheduler = await start([slow]);
    await timers.pass(10 * MINUTE);
    const starts = [scheduler.runJob("slow"), scheduler.runJob("slow")];
    expect(await Promise.all(starts)).toEqual(["started", "running"]);
    await timers.pass(2 * SECOND);
    expect(slow.runs).toEqual([0, 10 * MINUTE]);
    expect(await scheduler.listJobs()).toMatchObject([{ running: false, nextRunAt: wall() + HOUR }]);
    expect(await scheduler.runJob("absent")).toBe("unknown");
  });

  test("that were started by an operator, but are paused, do not seem to run", async () => {
    const scheduler = await start([job("own", () => {}, HOUR, "node")]);
    await timers.pass(MINUTE);
    isPaused = true;
    expect(await scheduler.runJob("own")).toBe("started");
    await timers.pass(0);
    expect(await scheduler.listJobs()).toMatchObject([{ running: false }]);
  });

  test("are not stored after every run, unless they start to fail", async () => {
    let failing = false;
    const saved: number[] = [];
    const { saveRuns } = store.jobs;
    Object.assign(store.jobs, {
      saveRuns: (runs: Parameters<typeof saveRuns>[0]) => {
        saved.push(timers.elapsed());
        return saveRuns(runs);
      },
    });
    await start([job("quick", () => (failing ? fail() : undefined), SECOND)]);
    await timers.pass(90 * SECOND);
    expect(saved).toEqual([MINUTE]);
    failing = true;
    await timers.pass(5 * SECOND);
    expect(saved).toHaveLength(2);
    expect(await store.jobs.listRuns()).toMatchObject([{ lastError: "out of luck" }]);
  });

  test("that could not be stored are stored a minute later", async () => {
    const { saveRuns } = store.jobs;
    let isAway = true;
    Object.assign(store.jobs, {
      saveRuns: (runs: Parameters<typeof saveRuns>[0]) => (isAway ? Promise.reject(new Error("away")) : saveRuns(runs)),
    });
    await start([job("slow", () => {}, HOUR)]);
    await timers.pass(30 * SECOND);
    isAway = false;
    expect(logged).toEqual(["the runs of jobs could not be noted"]);
    await timers.pass(MINUTE);
    expect(await store.jobs.listRuns()).toMatchObject([{ name: "slow" }]);
  });

  test("that end while others are stored are stored as well", async () => {
    const { saveRuns } = store.jobs;
    const written = Promise.withResolvers<void>();
    Object.assign(store.jobs, {
      saveRuns: async (runs: Parameters<typeof saveRuns>[0]) => {
        await written.promise;
        return saveRuns(runs);
      },
    });
    const scheduler = await start([job("slow", () => {}, HOUR)]);
    await timers.pass(30 * SECOND);
    expect(await scheduler.runJob("slow")).toBe("started");
    await timers.pass(0);
    const second = wall();
    written.resolve();
    await timers.pass(MINUTE);
    expect(await store.jobs.listRuns()).toMatchObject([{ name: "slow", lastRunAt: second }]);
  });

  test("that keep failing are retried every six hours", async () => {
    await store.jobs.saveFailure({ name: "broken", failures: 20, notBefore: wall() });
    await start([job("broken", fail)]);
    await timers.pass(0);
    expect(await store.jobs.listFailures()).toEqual([{ name: "broken", failures: 21, notBefore: wall() + 6 * HOUR }]);
  });

  test("that succeed reset their backoff", async () => {
    await store.jobs.saveFailure({ name: "shaky", failures: 5, notBefore: wall() });
    await start([job("shaky")]);
    await timers.pass(0);
    expect(await store.jobs.listFailures()).toEqual([]);
  });

  test("of a node are not held up by failures of those of another node", async () => {
    await start([job("own", fail, MINUTE, "node")], "one");
    await timers.pass(10 * MINUTE);
    const own = job("own", () => {}, MINUTE, "node");
    await start([own], "two");
    await timers.pass(0);
    expect(own.runs).toEqual([10 * MINUTE]);
  });

  test("keep their backoff after a restart", async () => {
    const first = await start([job("broken", fail)]);
    await timers.pass(9 * MINUTE);
    await first.stop();
    const again = job("broken", fail);
    await start([again]);
    const restarted = timers.elapsed();
    await timers.pass(12 * MINUTE);
    expect(again.runs.map((at) => (at - restarted) / MINUTE)).toEqual([9]);
  });
});

describe("jumps of the wall clock", () => {
  test.each([400 * DAY, -400 * DAY])(
    "by %d ms neither flood nor starve a job, and make the clock untrusted",
    async (jump) => {
      const trusted: boolean[] = [];
      const steady = job("steady", ({ clockTrusted }) => void trusted.push(clockTrusted));
      await start([steady]);
      await timers.pass(30 * SECOND);
      wallOffset += jump;
      await timers.pass(11 * MINUTE + 30 * SECOND);
      expect(steady.runs).toHaveLength(13);
      expect(trusted).toEqual([true, ...Array(10).fill(false), true, true]);
      expect(logged[0]).toContain("the clock jumped");
      expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBeTrue();
    },
  );
});

describe("the wall clock at the start", () => {
  const BEHIND = "the clock stands before the last change; nothing expires for ten minutes";

  test.each([
    ["of a store that is empty", null, true, []],
    ["a day after the last change", -DAY, true, []],
    ["seconds before it", 30 * SECOND, true, []],
    ["400 days before it", 400 * DAY, false, [BEHIND]],
    ["400 days after it", -400 * DAY, false, []],
  ])("%s is trusted accordingly, and in any case after ten minutes", async (_, last, atOnce, warnings) => {
    lastChangeAt = last === null ? null : wall() + last;
    const trusted: boolean[] = [];
    await start([job("steady", ({ clockTrusted }) => void trusted.push(clockTrusted))]);
    await timers.pass(10 * MINUTE);
    expect(trusted).toEqual([...Array(10).fill(atOnce), true]);
    expect(logged).toEqual(warnings);
  });
});

describe("the lease", () => {
  test("is held while the scheduler runs, and released when it stops", async () => {
    const scheduler = await start([]);
    await timers.pass(MINUTE);
    expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBeTrue();
    await scheduler.stop();
    expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBeFalse();
  });

  const takeAs = (holder: string) => {
    const lease = { now: wall(), until: wall() + 15 * SECOND, longest: 15 * SECOND };
    return store.jobs.takeLease(SCHEDULER_LEASE, { holder, ...lease });
  };

  test("that this node left when it was killed is taken over at once", async () => {
    await takeAs("one");
    const steady = job("steady");
    await start([steady]);
    await timers.pass(0);
    expect(steady.runs).toEqual([0]);
  });

  test("that another node left is waited for", async () => {
    await takeAs("other");
    const steady = job("steady", undefined, SECOND);
    await start([steady]);
    await timers.pass(14 * SECOND);
    expect(steady.runs).toEqual([]);
    await timers.pass(6 * SECOND);
    expect(steady.runs.length).toBeGreaterThan(0);
  });

  test("lost to another scheduler stops the cluster's jobs, and not the node's, until it is regained", async () => {
    const steady = job("steady", undefined, SECOND);
    const own = job("own", undefined, SECOND, "node");
    await start([steady, own]);
    await timers.pass(MINUTE);
    await store.jobs.releaseLease(SCHEDULER_LEASE, 1);
    expect(await takeAs("other")).toBe(2);
    await timers.pass(6 * SECOND);
    const before = steady.runs.length;
    await timers.pass(6 * SECOND);
    expect(steady.runs).toHaveLength(before);
    expect(own.runs.length).toBeGreaterThan(before);
    await timers.pass(MINUTE);
    expect(steady.runs.length).toBeGreaterThan(before);
  });
});

describe("a run", () => {
  const takenByAnother = async () => {
    await store.jobs.releaseLease(SCHEDULER_LEASE, 1);
    const lease = { now: wall(), until: wall() + 15 * SECOND, longest: 15 * SECOND };
    await store.jobs.takeLease(SCHEDULER_LEASE, { holder: "other", ...lease });
  };
  /** A job that runs until it is aborted, and records its lease. */
  const endless = (scope: Job["scope"]) => {
    const seen = { leases: [] as JobRun["lease"][], aborted: false };
    const work = ({ lease, signal }: JobRun) => {
      seen.leases.push(lease);
      return new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          seen.aborted = true;
          resolve();
        });
      });
    };
    return { ...job("endless", work, MINUTE, scope), timeLimit: HOUR, seen };
  };

  test("of the cluster's jobs has the epoch of the lease, and is aborted if the lease is lost", async () => {
    const { seen, ...cluster } = endless("cluster");
    await start([cluster]);
    await timers.pass(SECOND);
    expect(seen).toEqual({ leases: [{ name: SCHEDULER_LEASE, epoch: 1 }], aborted: false });
    await takenByAnother();
    await timers.pass(6 * SECOND);
    expect(seen.aborted).toBe(true);
  });

  test("of the node's jobs has none and continues", async () => {
    const { seen, ...own } = endless("node");
    await start([own]);
    await timers.pass(SECOND);
    await takenByAnother();
    await timers.pass(6 * SECOND);
    expect(seen).toEqual({ leases: [null], aborted: false });
  });

  test("continues while the store fails, because nobody can take the lease meanwhile", async () => {
    const { seen, ...cluster } = endless("cluster");
    const { extendLease } = store.jobs;
    await start([cluster]);
    await timers.pass(SECOND);
    Object.assign(store.jobs, { extendLease: fail });
    await timers.pass(MINUTE);
    Object.assign(store.jobs, { extendLease });
    await timers.pass(MINUTE);
    expect(seen.aborted).toBe(false);
    expect(logged).toContain("the scheduler's lease could not be renewed");
    expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBe(true);
  });
});

test("a stop aborts what runs and starts nothing more", async () => {
  let aborted = false;
  const long = job("long", ({ signal }) => {
    return new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        aborted = true;
        resolve();
      });
    });
  });
  const scheduler = await start([long]);
  await timers.pass(SECOND);
  await scheduler.stop();
  await timers.pass(HOUR);
  expect(aborted).toBeTrue();
  expect(long.runs).toHaveLength(1);
});

describe("a stop", () => {
  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

  test("waits for aborted runs", async () => {
    const ending = Promise.withResolvers<void>();
    const tidy = job("tidy", async ({ signal }) => {
      await aborted(signal);
      await ending.promise;
    });
    const scheduler = await start([tidy]);
    await timers.pass(SECOND);
    const stopped = scheduler.stop().then(() => timers.elapsed());
    await timers.pass(SECOND);
    expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBeTrue();
    ending.resolve();
    expect(await stopped).toBe(2 * SECOND);
    expect(await store.jobs.isLeased(SCHEDULER_LEASE, wall())).toBeFalse();
  });

  test("waits for runs that reject when aborted, which is no failure", async () => {
    const failing = job("failing", async ({ signal }) => {
      await aborted(signal);
      signal.throwIfAborted();
    });
    const scheduler = await start([failing]);
    await timers.pass(SECOND);
    await scheduler.stop();
    expect(logged).toEqual([]);
    expect(await store.jobs.listFailures()).toEqual([]);
  });

  test("abandons runs that do not end within five seconds", async () => {
    const scheduler = await start([job("deaf", () => new Promise<void>(() => {}))]);
    await timers.pass(SECOND);
    const stopped = scheduler.stop().then(() => timers.elapsed());
    await timers.pass(9 * SECOND);
    expect(await stopped).toBe(6 * SECOND);
  });
});

test("concurrent work is limited, and a failing item stops no other", async () => {
  let atOnce = 0;
  let most = 0;
  const done: number[] = [];
  const failed: number[] = [];
  await eachOf(
    Array.from({ length: 20 }, (_, index) => index),
    4,
    new AbortController().signal,
    async (item) => {
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      if (item % 5 === 0) throw new Error("no");
      done.push(item);
    },
    async (item) => void failed.push(item),
  );
  expect(most).toBe(4);
  expect(done).toHaveLength(16);
  expect(failed).toEqual([0, 5, 10, 15]);
});
