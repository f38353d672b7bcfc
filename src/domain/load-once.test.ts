import { expect, test } from "bun:test";
import { loadOnce } from "./load-once.ts";

test("a value is loaded once, and again only after a failure", async () => {
  let calls = 0;
  let isAway = true;
  const load = loadOnce(async () => {
    calls += 1;
    if (isAway) throw new Error("away");
    return calls;
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow("away");
  expect(calls).toBe(1);
  isAway = false;
  expect(await Promise.all([load(), load(), load()])).toEqual([2, 2, 2]);
  expect(await load()).toBe(2);
});
