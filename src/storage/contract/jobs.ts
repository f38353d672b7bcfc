import { beforeEach, describe, expect, test } from "bun:test";
import { NO_ATTEMPTS } from "../../domain/model/certificate.ts";
import type { HeldLease } from "../../domain/ports/store/jobs.ts";
import type { Store } from "../../domain/ports/store.ts";
import { addPerson, addSite } from "./people.ts";
import { CERTIFICATE } from "./records.ts";

/** The contract of the scheduler's state. `current` returns the store of the running test, which is empty at first. */
export function jobContract(current: () => Store): void {
  const take = (holder: string, now: number) =>
    current().jobs.takeLease("sweep", { holder, now, until: now + 10, longest: 10 });

  test("a lease has one holder at a time, who can extend it", async () => {
    const { jobs } = current();
    expect([await take("one", 0), await take("other", 9)]).toEqual([1, null]);
    expect(await jobs.extendLease("sweep", 1, 19)).toBe(true);
    expect([await take("other", 18), await take("other", 19)]).toEqual([null, 2]);
    expect([await jobs.isLeased("sweep", 28), await jobs.isLeased("sweep", 29)]).toEqual([true, false]);
    expect(await jobs.isLeased("another", 20)).toBe(false);
  });

  test("a lease that was taken over can be neither extended nor ended by its former epoch", async () => {
    const { jobs } = current();
    await take("one", 0);
    expect(await take("other", 10)).toBe(2);
    expect(await jobs.extendLease("sweep", 1, 99)).toBe(false);
    await jobs.releaseLease("sweep", 1);
    expect(await take("one", 11)).toBeNull();
  });

  test("a lease is free once it is released, and its epoch is never used again", async () => {
    await take("one", 0);
    await current().jobs.releaseLease("sweep", 1);
    expect(await current().jobs.isLeased("sweep", 1)).toBe(false);
    expect(await take("other", 1)).toBe(2);
  });

  test("a lease can be taken again by its own holder, and from a clock that was wrong", async () => {
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
    await jobs.deleteFailure("sweep");
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

  describe("a write of a job that lost its lease is refused, and one of the lease's holder is made:", () => {
    let siteId: number;
    let deploymentId: number;
    beforeEach(async () => {
      const { id: ownerId } = await addPerson(current(), "ada");
      await addSite(current(), "demo", ownerId, false);
      siteId = (await addSite(current(), "demo", ownerId, false)).id;
      deploymentId = (await current().deployments.find(siteId, 1))?.id ?? 0;
      await current().certificates.want({ identifiers: ["www.example.org"], challenge: "http-01", origin: "claim" });
    });
    const found = () => current().certificates.find("www.example.org");
    const attempts = { ...NO_ATTEMPTS, failures: 1 };

    test.each<[string, (lease: HeldLease) => Promise<unknown>, () => Promise<unknown>]>([
      [
        "a step towards a certificate",
        (lease) => current().certificates.saveProgress("www.example.org", { attempts }, lease),
        async () => (await found())?.attempts.failures === 1,
      ],
      [
        "a certificate",
        (lease) => {
          const when = { orderedAt: 0, at: 0 };
          return current().certificates.install("www.example.org", CERTIFICATE, when, NO_ATTEMPTS, lease);
        },
        async () => (await found())?.current !== null,
      ],
      [
        "a deployment that retention removes",
        (lease) => current().retention.deleteDeployments(siteId, [deploymentId], 0, lease),
        async () => (await current().deployments.find(siteId, 1)) === null,
      ],
    ])("%s", async (_, write, isWritten) => {
      await take("one", 0);
      await take("other", 10);
      const refused = await write({ name: "sweep", epoch: 1 }).catch((error) => error);
      expect(refused).toMatchObject({ kind: "conflict" });
      await expect(write({ name: "unknown", epoch: 1 })).rejects.toThrow("another holder has the lease unknown");
      expect(await isWritten()).toBe(false);
      await write({ name: "sweep", epoch: 2 });
      expect(await isWritten()).toBe(true);
    });
  });
}
