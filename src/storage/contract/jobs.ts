import { expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";

/** What every store keeps for the scheduler. `current` is the store of the running test, empty at its start. */
export function jobContract(current: () => Store): void {
  const take = (holder: string, now: number) =>
    current().jobs.takeLease("sweep", { holder, now, until: now + 10, longest: 10 });

  test("a lease has one holder at a time, who may extend it", async () => {
    const { jobs } = current();
    expect([await take("one", 0), await take("other", 9)]).toEqual([1, null]);
    expect(await jobs.extendLease("sweep", 1, 19)).toBe(true);
    expect([await take("other", 18), await take("other", 19)]).toEqual([null, 2]);
    expect([await jobs.isLeased("sweep", 28), await jobs.isLeased("sweep", 29)]).toEqual([true, false]);
    expect(await jobs.isLeased("another", 20)).toBe(false);
  });

  test("a lease that was taken anew is neither extended nor ended by its former epoch", async () => {
    const { jobs } = current();
    await take("one", 0);
    expect(await take("other", 10)).toBe(2);
    expect(await jobs.extendLease("sweep", 1, 99)).toBe(false);
    await jobs.releaseLease("sweep", 1);
    expect(await take("one", 11)).toBeNull();
  });

  test("a lease is free once it is given back, and its epoch is never given again", async () => {
    await take("one", 0);
    await current().jobs.releaseLease("sweep", 1);
    expect(await current().jobs.isLeased("sweep", 1)).toBe(false);
    expect(await take("other", 1)).toBe(2);
  });

  test("a lease is taken anew by its own holder, and from a clock that was wrong", async () => {
    await take("one", 0);
    expect(await take("one", 1)).toBe(2);
    expect(await take("other", -100)).toBe(3);
  });

  test("the failures of a job are those that were saved last, until it succeeds", async () => {
    const { jobs } = current();
    const failure = { name: "sweep", failures: 1, notBefore: 5 };
    await jobs.saveFailure(failure);
    await jobs.saveFailure({ ...failure, failures: 2, notBefore: 9 });
    await jobs.saveFailure({ ...failure, name: "views" });
    const failures = (await jobs.listFailures()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(failures).toEqual([
      { name: "sweep", failures: 2, notBefore: 9 },
      { ...failure, name: "views" },
    ]);
    await jobs.clearFailure("sweep");
    expect(await jobs.listFailures()).toEqual([{ ...failure, name: "views" }]);
  });

  test("the latest run of a job is the one that was saved last", async () => {
    const { jobs } = current();
    const run = { name: "sweep", lastRunAt: 1, lastDurationMs: 2, lastError: "disk full", nextRunAt: 3 };
    await jobs.saveRuns([run, { ...run, name: "views" }]);
    await jobs.saveRuns([{ ...run, lastRunAt: 4, lastError: null }]);
    const runs = (await jobs.listRuns()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(runs).toEqual([
      { ...run, lastRunAt: 4, lastError: null },
      { ...run, name: "views" },
    ]);
  });
}
