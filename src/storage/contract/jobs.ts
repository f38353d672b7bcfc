import { expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";

/** What every store keeps for the scheduler. `current` is the store of the running test, empty at its start. */
export function jobContract(current: () => Store): void {
  const take = (holder: string, now: number, takeOver = false) =>
    current().jobs.takeLease("sweep", { holder, now, until: now + 10, longest: 10, takeOver });

  test("a lease has one holder at a time, who may extend it", async () => {
    expect(await take("one", 0)).toBe(true);
    expect(await take("other", 9)).toBe(false);
    expect(await take("one", 9)).toBe(true);
    expect([await take("other", 18), await take("other", 19)]).toEqual([false, true]);
    expect(await current().jobs.isLeased("sweep", 28)).toBe(true);
    expect(await current().jobs.isLeased("sweep", 29)).toBe(false);
    expect(await current().jobs.isLeased("another", 20)).toBe(false);
  });

  test("a lease is free once its holder, and nobody else, gives it back", async () => {
    await take("one", 0);
    await current().jobs.releaseLease("sweep", "other");
    expect(await take("other", 1)).toBe(false);
    await current().jobs.releaseLease("sweep", "one");
    expect(await take("other", 1)).toBe(true);
  });

  test("a lease is taken over from who is known to be gone, and from a clock that was wrong", async () => {
    await take("one", 0);
    expect(await take("other", 1, true)).toBe(true);
    expect(await take("third", -100)).toBe(true);
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
}
