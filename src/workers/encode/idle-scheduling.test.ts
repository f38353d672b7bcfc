import { expect, test } from "bun:test";
import { join } from "node:path";

/** In /proc/[pid]/stat, counted from 1; the first two are cut off. */
const POLICY_FIELD = 41;
const SCRIPT = `
  import { readFileSync } from "node:fs";
  import { runOnlyWhenIdle } from ${JSON.stringify(join(import.meta.dir, "idle-scheduling.ts"))};
  const policy = () => Number(readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1].split(" ")[${POLICY_FIELD - 3}]);
  console.log(JSON.stringify([policy(), runOnlyWhenIdle(), policy()]));
`;

// In a process of its own: a thread keeps the policy.
test.if(process.platform === "linux")("a thread that runs only when idle has the kernel's idle policy", () => {
  const { stdout } = Bun.spawnSync([process.execPath, "-e", SCRIPT]);
  const [usual, idle] = [0, 5];
  expect(JSON.parse(stdout.toString())).toEqual([usual, true, idle]);
});
