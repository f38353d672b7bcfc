import { afterAll } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { CPU_TIMES } from "./needs.ts";

// Loaded before the test files (bunfig.toml); its hook runs after each. `npm test` lists the files that took the most CPU time.

/** Clock ticks of Linux's process times. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of this process and of its ended children (proc_pid_stat(5)). */
function cpuSeconds(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const ticks = fields.split(" ").slice(11, 15).map(Number);
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

const times = process.env[CPU_TIMES];
if (times && process.platform === "linux") {
  afterAll(() => appendFileSync(times, `${process.pid} ${cpuSeconds()} ${Bun.main}\n`));
}
