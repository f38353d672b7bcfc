import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.ts";
import { ENGINE_ENVIRONMENT } from "../engine-environment.ts";

const root = join(import.meta.dir, "..", "..");
const executable = join(root, "dist", "vitrine");

/** The executable, running with its own data folder. */
export interface BenchServer {
  readonly baseUrl: string;
  readonly port: number;
  readonly token: string;
  readonly dataDir: string;
  /** Resident memory of the process in MiB. `anonymous` excludes the pages of the executable itself. */
  memory(): { resident: number; anonymous: number; peak: number };
  /** CPU seconds used so far. */
  processorTime(): number;
  /** The curl arguments that deploy an archive to a site. */
  deployCommand(archive: string, site: string): string[];
  stop(): Promise<void>;
}

/** The command that serves a data folder on a port. It has no access log unless the flags have `--log`. */
export function serveCommand(
  dataDir: string,
  port: number,
  flags: readonly string[],
  program: string = executable,
): string[] {
  const listen = `127.0.0.1:${port}`;
  return [program, "serve", "--data-dir", dataDir, "--listen", listen, "--log", "off", ...flags];
}

interface ExecutableOptions {
  /** A data folder that is kept. By default there is a new one, which is removed in the end. */
  readonly dataDir?: string;
  readonly program?: string;
}

/** Starts `dist/vitrine` with a user. It has no access log unless `--log` is given. `cpus` is a taskset list. */
export async function startExecutable(
  flags: string[] = [],
  cpus?: string,
  { dataDir: kept, program = executable }: ExecutableOptions = {},
): Promise<BenchServer> {
  if (!existsSync(program)) throw new Error("dist/vitrine is missing: run npm run build first");
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const port = freePort();
  const scheme = flags.includes("--tls") ? "https" : "http";
  const baseUrl = `${scheme}://localhost:${port}`;
  const command = serveCommand(dataDir, port, flags, program);
  const server = Bun.spawn(cpus ? ["taskset", "-c", cpus, ...command] : command, {
    env: { ...ENGINE_ENVIRONMENT, ...process.env },
    stdio: ["ignore", "ignore", flags.includes("--log") ? Bun.file(join(dataDir, "access.log")) : "inherit"],
  });
  await responds(`${scheme}://127.0.0.1:${port}/health`);
  const token = newToken(dataDir, program, databaseIn(flags));
  return {
    baseUrl,
    port,
    token,
    dataDir,
    memory: () => memoryOf(server.pid),
    processorTime: () => processorTimeOf(server.pid),
    deployCommand: (archive, site) => [
      ...["curl", "-sSk", "--fail-with-body", "-o", "/dev/null"],
      ...["-H", `Authorization: Bearer ${token}`, "-H", `X-Service-Site: ${site}`],
      ...["-F", `file=@${archive}`, `${scheme}://127.0.0.1:${port}/deploy`],
    ],
    async stop() {
      server.kill("SIGTERM");
      await server.exited;
      if (!kept) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the user `bench` if necessary, and returns a session token. `database` is that of a node. */
function newToken(dataDir: string, program: string, database: string | null): string {
  const env = {
    ...process.env,
    VITRINE_DATA_DIR: dataDir,
    ...(database === null ? {} : { VITRINE_DATABASE: database }),
  };
  Bun.spawnSync([program, "users", "add", "bench", "--password-stdin"], {
    env,
    stdin: Buffer.from("correct horse battery"),
  });
  return Bun.spawnSync([program, "users", "session", "bench"], { env }).stdout.toString().trim();
}

function databaseIn(flags: readonly string[]): string | null {
  const at = flags.indexOf("--database");
  return at < 0 ? null : (flags[at + 1] ?? null);
}

export async function responds(url: string): Promise<void> {
  while (
    !(await fetch(url, { tls: { rejectUnauthorized: false } }).then(
      (response) => response.ok,
      () => false,
    ))
  )
    await Bun.sleep(1);
}

function memoryOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024;
  return { resident: mebibytes("VmRSS"), anonymous: mebibytes("RssAnon"), peak: mebibytes("VmHWM") };
}

/** Returns the CPU seconds that a process and its running children have used. A clock tick of the kernel is 10 ms. */
export function processorTimeOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children
    .map(processorTimeOf)
    .reduce((sum, time) => sum + time, (Number(fields[11]) + Number(fields[12])) / 100);
}

/** Runs a command and returns its duration in seconds. */
export function timed(command: string[], options: { cwd?: string } = {}): number {
  const started = performance.now();
  const { exitCode, stderr } = Bun.spawnSync(command, { ...options, stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  return (performance.now() - started) / 1000;
}

/** Visits the site `bench` every few milliseconds for a while. Returns the milliseconds of each visit. */
export async function visitFor(port: number, milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    times.push(await visitTime(port, "bench"));
    await Bun.sleep(3);
  }
  return times;
}

/** Visits the front page of a site and returns the duration in milliseconds. */
export async function visitTime(port: number, site: string): Promise<number> {
  const started = performance.now();
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { Host: `${site}.localhost:${port}` } });
  await page.text();
  return performance.now() - started;
}
