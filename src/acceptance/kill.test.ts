import { expect, test } from "bun:test";
import { killAtRandomInstants } from "./testing/kill.ts";

test("after kills at 5 random instants, no confirmed change is lost and no change is partial", async () => {
  const report = await killAtRandomInstants(5);
  expect(report.failures).toEqual([]);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.answered).toBeGreaterThan(0);
  expect(report.claimed).toBeGreaterThan(0);
});
