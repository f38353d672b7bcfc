// Measures requests per second of the two API routes with the most traffic. One worker has one core, wrk the other.
//   node scripts/with-bun.mjs scripts/bench/api.ts [--seconds 5] [--runs 3]
import { parseArgs } from "node:util";
import { median } from "../statistics.ts";
import { wrk } from "./load.ts";
import { startExecutable } from "./test-server.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, runs: { type: "string", default: "3" } },
});

const vitrine = await startExecutable(["--workers", "1"], "0");

const seconds = Number(values.seconds);
const headers = [`Authorization: Bearer ${vitrine.token}`];

for (const path of ["/auth/me", "/sites"]) {
  const target = { port: vitrine.port, tls: false, path, host: `localhost:${vitrine.port}`, headers };
  await wrk(target, "1", 2);
  const before = vitrine.processorTime();
  const rates: number[] = [];
  for (let run = 0; run < Number(values.runs); run++) rates.push((await wrk(target, "1", seconds)).requestsPerSecond);
  const [slowest, fastest] = [Math.min(...rates), Math.max(...rates)];
  const requests = rates.reduce((total, rate) => total + rate * seconds, 0);
  const microseconds = ((vitrine.processorTime() - before) / requests) * 1e6;
  console.log(
    `GET ${path}: ${median(rates).toFixed(0)} requests a second (median of ${rates.length}; ${slowest.toFixed(0)} to ${fastest.toFixed(0)}), ${microseconds.toFixed(1)} µs of processor time each`,
  );
}
await vitrine.stop();
