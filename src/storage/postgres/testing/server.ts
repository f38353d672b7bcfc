import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../testing/free-port.ts";
import { newTestPostgres, postgresPrograms, TEST_POSTGRES } from "../../../testing/needs.ts";

/** PostgreSQL does not run as root. */
const NOBODY = 65534;

/**
 * The collation of many countries, unless a column has its own, to detect code that depends on it. Nothing here
 * outlives the tests, so nothing waits for the disk.
 */
const MAKE = ["-A", "trust", "-U", "vitrine", "-E", "UTF8", "--locale-provider=icu", "--icu-locale=en-US", "-N"];
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  jit: "off",
  deadlock_timeout: "20ms",
  max_connections: "200",
  shared_buffers: "16MB",
  listen_addresses: "127.0.0.1",
  // The path of a Unix socket may have about a hundred bytes, and macOS alone uses half of them for temporary folders.
  unix_socket_directories: "",
};

/** Needs its password, which it does not have; others log in without one. */
export const USER_WITH_PASSWORD = "guarded";

/** Creating a database and starting its server takes a minute and more on a busy machine. */
const MAX_WAIT_MS = 240_000;

/**
 * Returns the address of a PostgreSQL server for tests, `127.0.0.1:PORT`, on which everybody may log in as `vitrine`.
 * All files of a test run share one; a file that runs alone has its own.
 */
export function testServer(): string {
  process.env[TEST_POSTGRES] ??= newTestPostgres();
  const name = process.env[TEST_POSTGRES];
  const folder = join(tmpdir(), `vitrine-postgres-${name}`);
  const [address, failure] = [join(folder, "address"), join(folder, "failure")];
  if (isFirst(folder)) startForAll(folder, Number.parseInt(name, 10));
  for (let waited = 0; !existsSync(address); waited += 20) {
    if (existsSync(failure)) throw new Error(readFileSync(failure, "utf8"));
    if (waited > MAX_WAIT_MS) throw new Error("another test started PostgreSQL, but it was not ready in time");
    Bun.sleepSync(20);
  }
  return readFileSync(address, "utf8");
}

/** A server of a test's own. */
export interface OwnServer {
  readonly port: number;
  /** Kills the process that starts all others, which end soon after it. */
  kill(): void;
  start(): Promise<void>;
  /** Stops the server. It cannot be started again. */
  remove(): void;
}

/** Starts a standby, which follows nobody, with the databases that the shared server has now. */
export async function startStandby(): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-postgres-standby-"));
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  await copyServer(data);
  writeForServer(join(data, "standby.signal"), "");
  const port = freePort();
  runServer(data, port);
  stopWithOwner(folder, data, process.pid);
  return {
    port,
    kill() {
      const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGKILL");
    },
    async start() {
      for (let attempts = 0; ; attempts++) {
        try {
          return runServer(data, port);
        } catch (error) {
          // Processes of the killed server have not ended.
          if (attempts === 50) throw error;
        }
        await Bun.sleep(100);
      }
    },
    remove() {
      runProgram("pg_ctl", ["stop", "-m", "immediate", "-D", data]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes a file that only the user of the server may read. */
export function writeForServer(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  giveToNobody(path);
}

/** Runs a PostgreSQL program as a user without privileges. Throws its output if it fails. */
export function runProgram(name: string, args: readonly string[]): void {
  const command = join(postgresPrograms() ?? "", name);
  const result: SpawnSyncReturns<string> = spawnSync(command, args, { ...asNobody(), cwd: "/", encoding: "utf8" });
  if (result.status !== 0) throw new Error(`${name}: ${result.stderr || result.stdout || result.error}`);
}

// --- internal ---

/** Returns whether no other test has started the server. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
    return true;
  } catch {
    return false;
  }
}

/** Starts the server, or leaves the reason of the failure for those who wait. */
function startForAll(folder: string, owner: number): void {
  try {
    announce(folder, "address", startServer(folder, owner));
  } catch (error) {
    announce(folder, "failure", String(error));
    throw error;
  }
}

/** Writes a file for others who wait for it. It is renamed, so that they find it complete. */
function announce(folder: string, name: "address" | "failure", text: string): void {
  writeFileSync(join(folder, "starting"), text);
  renameSync(join(folder, "starting"), join(folder, name));
}

/** Returns the address of the new server. */
function startServer(folder: string, owner: number): string {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  giveToNobody(data);
  runProgram("initdb", ["-D", data, ...MAKE]);
  const access = join(data, "pg_hba.conf");
  const rule = `host all ${USER_WITH_PASSWORD} 127.0.0.1/32 scram-sha-256`;
  writeFileSync(access, `${rule}\n${readFileSync(access, "utf8")}`);
  const port = freePort();
  runServer(data, port);
  stopWithOwner(folder, data, owner);
  return `127.0.0.1:${port}`;
}

/** Copies the files of the shared server while it runs. Its client programs may not be installed. */
async function copyServer(to: string): Promise<void> {
  const sql = new SQL(`postgres://vitrine@${testServer()}/postgres`, { max: 1 });
  const [{ folder, version }] = await sql`
    SELECT current_setting('data_directory') AS folder, current_setting('server_version_num')::int AS version`;
  const [start, stop] =
    version < 150_000 ? ["pg_start_backup", "pg_stop_backup"] : ["pg_backup_start", "pg_backup_stop"];
  await sql.unsafe(`SELECT ${start}('test', true${version < 150_000 ? ", false" : ""})`);
  spawnSync("cp", ["-a", folder, to]);
  const [{ label }] = await sql.unsafe(`SELECT labelfile AS label FROM ${stop}(false)`);
  spawnSync("cp", ["-a", join(folder, "pg_wal"), to]);
  await sql.close();
  writeForServer(join(to, "backup_label"), label);
  for (const name of ["postmaster.pid", "log"]) rmSync(join(to, name));
}

function runServer(data: string, port: number): void {
  const settings = Object.entries({ ...SETTINGS, port: String(port) });
  const options = settings.map(([name, value]) => `-c ${name}='${value}'`).join(" ");
  const log = join(data, "log");
  try {
    runProgram("pg_ctl", ["start", "-w", "-t", "240", "-D", data, "-l", log, "-o", options]);
  } catch (error) {
    throw new Error(`${error}\n${existsSync(log) ? readFileSync(log, "utf8") : ""}`);
  }
}

/**
 * A test process may be killed, so a separate process waits for the end of the owner, stops the server and removes its
 * folder. A shell starts it and ends, because Bun kills the child processes of a test file when that ends.
 */
function stopWithOwner(folder: string, data: string, owner: number): void {
  const [server = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  const wait = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -QUIT "$2"; sleep 1; rm -rf "$3"';
  const args = ["-c", `(${wait}) >/dev/null 2>&1 &`, "sh", String(owner), server, folder];
  spawnSync("sh", args, { stdio: "ignore", cwd: "/" });
}

function giveToNobody(path: string): void {
  const { uid, gid } = asNobody();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function asNobody(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}
