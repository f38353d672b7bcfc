import { expect, test } from "bun:test";
import type { StepFigures, StepLength } from "../../domain/model/metric-step.ts";
import type { Store } from "../../domain/ports/store.ts";
import { DAY, MINUTE } from "../../domain/timestamp.ts";
import { addPerson, addSite } from "./people.ts";

const NOW = Date.UTC(2026, 10, 22, 22, 0, 30);

/** The contract of metrics. `current` returns the store of the running test, which is empty at first. */
export function metricContract(current: () => Store): void {
  const figures = (requests: number): StepFigures => ({
    counts: {
      requests,
      errors5xx: 0,
      bytesSent: 0,
      deployments: 0,
      cacheHits: 0,
      cacheMisses: 0,
      jobsFailed: 0,
    },
    latency: [requests],
    gauges: { diskUsed: 1, diskFree: 2, contentBytes: 3, memoryRss: 4, certificates: 5, claimsConnected: 6 },
    starts: [],
  });
  const requestsOf = async (length: StepLength, from = 0, to = Number.MAX_SAFE_INTEGER) => {
    const steps = await current().metrics.list(length, from, to);
    return [...steps].map(([at, { counts }]) => [at, counts.requests]);
  };

  test("steps are added up within their minute and their hour, in order", async () => {
    const { metrics } = current();
    await metrics.add(NOW + MINUTE, figures(1));
    await metrics.add(NOW, figures(2));
    await metrics.add(NOW + 1000, figures(3));
    const minute = NOW - 30_000;
    expect(await requestsOf("minute")).toEqual([
      [minute, 5],
      [minute + MINUTE, 1],
    ]);
    expect(await requestsOf("minute", minute + 1, minute + 2 * MINUTE)).toEqual([[minute + MINUTE, 1]]);
    expect(await requestsOf("hour")).toEqual([[minute, 6]]);
    expect((await metrics.list("minute", minute, minute + 1)).get(minute)).toEqual({ ...figures(5) });
  });

  test("minutes are kept for a day and an hour, hours for 30 days, and none from a clock that was ahead", async () => {
    const { metrics } = current();
    await metrics.add(NOW + 365 * DAY, figures(1));
    await metrics.add(NOW - 31 * DAY, figures(1));
    await metrics.add(NOW - 2 * DAY, figures(2));
    await metrics.add(NOW - DAY, figures(3));
    await metrics.add(NOW, figures(4));
    expect((await requestsOf("minute")).map(([, requests]) => requests)).toEqual([3, 4]);
    expect((await requestsOf("hour")).map(([, requests]) => requests)).toEqual([2, 3, 4]);
  });

  test("each deployment is counted once, even after it was deleted", async () => {
    const { metrics, sites } = current();
    await metrics.countNewDeployments();
    const { id } = await addPerson(current(), "ada");
    const site = await addSite(current(), "notes", id, false);
    await addSite(current(), "notes", id, false);
    await sites.delete(site.id, 0, 0);
    expect([await metrics.countNewDeployments(), await metrics.countNewDeployments()]).toEqual([2, 0]);
  });
}
