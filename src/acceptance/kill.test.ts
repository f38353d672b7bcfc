import { expect, test } from "bun:test";
import { killAtRandomInstants } from "./testing/kill.ts";

test("killed at 10 random instants, nothing that was answered is lost and nothing is half there", async () => {
  const report = await killAtRandomInstants(10);
  expect(report.complaints).toEqual([]);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.answered).toBeGreaterThan(0);
  expect(report.claimed).toBeGreaterThan(0);
});
