import { join } from "node:path";

/** The target of a run of load. */
export interface Target {
  readonly port: number;
  readonly tls: boolean;
  readonly path: string;
  readonly host: string;
  readonly headers?: readonly string[];
}

/** The results of a run. */
export interface Measured {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** NaN if the tool does not measure it. */
  readonly megabytesPerSecond: number;
  /** Milliseconds. NaN if the tool does not measure it. */
  readonly p99: number;
}

/** Runs wrk: HTTP/1.1 with keep-alive, from one thread. Throws if a response had another status than 2xx and 3xx. */
export async function wrk(target: Target, cpu: string, seconds: number, connections = 32): Promise<Measured> {
  const command = [
    "wrk",
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--latency",
    "--timeout",
    "60s",
    "-H",
    `Host: ${target.host}`,
  ];
  for (const header of target.headers ?? []) command.push("-H", header);
  command.push(`${target.tls ? "https" : "http"}://127.0.0.1:${target.port}${target.path}`);
  return readWrk(await run(cpu, command));
}

/** Runs wrk with a script that requests files of many sites by Zipf's law. `sites` and `files` are their numbers. */
export async function wrkZipf(
  port: number,
  cpu: string,
  seconds: number,
  sites: number,
  files: number,
): Promise<Measured> {
  const script = join(import.meta.dir, "zipf.lua");
  const command = ["wrk", "-t1", "-c32", `-d${seconds}s`, "--latency", "-s", script, `http://127.0.0.1:${port}/`];
  return readWrk(await run(cpu, [...command, "--", `${sites}`, `${files}`, `${port}`]));
}

/** Runs h2load: HTTP/2 over TLS, four connections with 32 streams each. */
export async function h2load(target: Target, cpu: string, seconds: number): Promise<Measured> {
  const uri = `https://${target.host}:${target.port}${target.path}`;
  const command = [
    "h2load",
    "-t1",
    "-c4",
    "-m32",
    `-D${seconds}`,
    "--warm-up-time=0",
    `--connect-to=127.0.0.1:${target.port}`,
    uri,
  ];
  const output = await run(cpu, command);
  const rate = /finished in [\d.]+\w+, ([\d.]+) req\/s/.exec(output)?.[1];
  const requests = /requests: \d+ total, \d+ started, (\d+) done/.exec(output)?.[1];
  if (!rate || !requests || !/ 0 failed, 0 errored, 0 timeout/.test(output)) throw new Error(output);
  return {
    requests: Number(requests),
    requestsPerSecond: Number(rate),
    p99: Number.NaN,
    megabytesPerSecond: Number.NaN,
  };
}

// --- internal ---

async function run(cpu: string, command: string[]): Promise<string> {
  const process = Bun.spawn(["taskset", "-c", cpu, ...command], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([process.stdout.text(), process.stderr.text()]);
  if ((await process.exited) !== 0) throw new Error(`${command.join(" ")}: ${errors}${output}`);
  return output;
}

const MEGABYTES = { KB: 0.001, MB: 1, GB: 1000 } as const;
const MILLISECONDS = { us: 0.001, ms: 1, s: 1000 } as const;

function readWrk(output: string): Measured {
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  const requests = /(\d+) requests in /.exec(output)?.[1];
  if (rate === undefined || requests === undefined) throw new Error(output);
  const [, transfer, scale] = /Transfer\/sec:\s+([\d.]+)(KB|MB|GB)/.exec(output) ?? [];
  return {
    requests: Number(requests),
    requestsPerSecond: Number(rate),
    megabytesPerSecond: Number(transfer) * MEGABYTES[scale as keyof typeof MEGABYTES],
    p99: Number(p99) * MILLISECONDS[unit as keyof typeof MILLISECONDS],
  };
}
