import { expect, test } from "bun:test";
import { leaseIn, newLeaseCell } from "./lease.ts";

test("a node with a current lease is not isolated, even if a thread notes it just after the renewal", () => {
  let now = 0;
  const lease = leaseIn(newLeaseCell(), () => now);
  lease.noteIsolation();
  expect(lease.isIsolated()).toBe(true);
  lease.extend(3000);
  lease.noteIsolation();
  expect([lease.isCurrent(), lease.isIsolated()]).toEqual([true, false]);
  now = 3000;
  lease.noteIsolation();
  expect(lease.isIsolated()).toBe(true);
});
