// Measures requests per second of the two API routes with the most traffic. One worker has one core, wrk the other.
//   node scripts/with-bun.mjs scripts/bench/api.ts [--seconds 5] [--runs 3]
import { parseArgs } from "node:util";
import { median } from "../statistics.ts";
import { startExecutable } from "./test-server.ts";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { seconds: { type: "string", default: "5" }, runs: { type: "string", default: "3" } },
});

const vitrine = await startExecutable(["--workers", "1"], "0");

function load(path: string, seconds: string): number {
  const wrk = [
    "taskset",
    "-c",
    "1",
    "wrk",
    "-t1",
    "-c32",
    `-d${seconds}s`,
    "-H",
    `Authorization: Bearer ${vitrine.token}`,
  ];
  const { stdout, exitCode } = Bun.spawnSync([...wrk, `http://127.0.0.1:${vitrine.port}${path}`]);
  const report = stdout.toString();
  if (exitCode !== 0 || report.includes("Non-2xx")) throw new Error(report);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
}

for (const path of ["/auth/me", "/sites"]) {
  load(path, "2");
  const before = vitrine.processorTime();
  const rates = Array.from({ length: Number(values.runs) }, () => load(path, values.seconds));
  const [slowest, fastest] = [Math.min(...rates), Math.max(...rates)];
  const requests = rates.reduce((total, rate) => total + rate * Number(values.seconds), 0);
  const microseconds = ((vitrine.processorTime() - before) / requests) * 1e6;
  console.log(
    `GET ${path}: ${median(rates).toFixed(0)} requests a second (median of ${rates.length}; ${slowest.toFixed(0)} to ${fastest.toFixed(0)}), ${microseconds.toFixed(1)} µs of processor time each`,
  );
}
await vitrine.stop();
