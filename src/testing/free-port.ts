import { availableParallelism } from "node:os";
import { PORT_RANGE } from "./needs.ts";

/** Below the ephemeral ports, which start at 32768 on Linux, so that no outgoing connection takes the port. */
const LOWEST = 10_240;
const COUNT = 20_000;

/** One for each worker of `npm test`, and one for the tests that run beside them. */
const RANGES = 2 * availableParallelism() + 1;
const RANGE_SIZE = Math.floor(COUNT / RANGES);

/** Each worker of a run has its own range, because others choose a port before this one is in use. Bun counts from 1. */
const range = Number(process.env[PORT_RANGE] ?? process.env.BUN_TEST_WORKER_ID ?? 0) % RANGES;

const given = new Set<number>();

/** Returns a loopback port that is free now, for a program whose address others need before it starts. */
export function freePort(): number {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + range * RANGE_SIZE + Math.floor(Math.random() * RANGE_SIZE);
    if (given.has(port) || isTaken(port)) continue;
    given.add(port);
    return port;
  }
  throw new Error("no port is free");
}

function isTaken(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, exclusive: true, socket: { data() {} } }).stop(true);
    return false;
  } catch {
    return true;
  }
}
