// Slow clients in a process of their own, so that measurements of the server do not include them, and the visits of
// others meanwhile.
import { quantile } from "../statistics.ts";

/** Milliseconds that a visitor pauses between two requests: enough samples, and hardly any load. */
const PAUSE_MS = 5;

interface SlowClients {
  /** Ends the clients, and returns what they saw. */
  end(): Promise<string>;
}

/** Runs a script as the process of the slow clients. Resolves when `holdUntilEnd` says that they are connected. */
export async function startSlowClients(script: string, args: readonly string[]): Promise<SlowClients> {
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const output = child.stdout.getReader();
  await output.read();
  return {
    async end() {
      child.kill("SIGTERM");
      const { value } = await output.read();
      await child.exited;
      return new TextDecoder().decode(value);
    },
  };
}

/** Holds the connections of this process until it is ended, and prints the result then. */
export function holdUntilEnd(result: () => string): void {
  process.on("SIGTERM", () => {
    console.log(result());
    process.exit(0);
  });
  console.log("connected");
}

/**
 * Makes requests one after the other for some seconds. `note` gets the milliseconds and the bytes of each complete
 * response. Returns how many requests failed.
 */
export async function visitFor(
  seconds: number,
  request: (turn: number) => Promise<Response>,
  note: (milliseconds: number, bytes: number) => void,
): Promise<number> {
  let failed = 0;
  const until = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < until; turn++) {
    const start = performance.now();
    const bytes = await bytesOf(request(turn)).catch(() => null);
    if (bytes === null) failed++;
    else note(performance.now() - start, bytes);
    await Bun.sleep(PAUSE_MS);
  }
  return failed;
}

/** Returns quantiles of durations, in milliseconds with two digits. */
export function summaryOf(times: readonly number[]) {
  const at = (share: number) => Math.round(quantile(times, share) * 100) / 100;
  return { requests: times.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

// --- internal ---

async function bytesOf(request: Promise<Response>): Promise<number> {
  const response = await request;
  const { byteLength } = await response.arrayBuffer();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return byteLength;
}
