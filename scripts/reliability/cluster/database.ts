import { appendFileSync, chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { runProgram } from "../../../src/storage/postgres/testing/server.ts";
import { postgresPrograms } from "../../../src/testing/needs.ts";
import { signalAll, withChildren } from "./processes.ts";

/** A PostgreSQL server with its standard settings: a commit that was answered is on the disk. */
export interface Database {
  readonly port: number;
  readonly url: string;
  /** Ends all its processes at once. */
  kill(): void;
  start(): Promise<void>;
  /** Stops all its processes, as a machine that hangs does. */
  suspend(): void;
  resume(): void;
}

/** PostgreSQL does not run as root. */
const NOBODY = 65534;

/** Makes a server in a folder, which everybody must be able to enter, and starts it at this address. */
export async function startDatabase(folder: string, hostname: string, port: number): Promise<Database> {
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, NOBODY, NOBODY);
  runProgram("initdb", ["-D", data, "-A", "trust", "-U", "vitrine", "-E", "UTF8", "--locale=C"]);
  appendFileSync(join(data, "pg_hba.conf"), "host all all 10.77.0.0/24 trust\n");
  const options = { listen_addresses: hostname, port, unix_socket_directories: data, max_connections: 200 };
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`);
  const program = join(postgresPrograms() ?? "", "pg_ctl");
  let pid = 0;
  const start = async () => {
    const user = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
    const command = [program, "start", "-w", "-D", data, "-l", join(data, "log"), "-o", flags.join(" ")];
    const child = Bun.spawn([...user, ...command], { cwd: "/", stdio: ["ignore", "ignore", "inherit"] });
    if ((await child.exited) !== 0)
      throw new Error(`PostgreSQL did not start: ${readFileSync(join(data, "log"), "utf8")}`);
    pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  };
  const processes = () => withChildren(pid);
  await start();
  const server = new SQL(`postgres://vitrine@${hostname}:${port}/postgres`);
  await server`CREATE DATABASE vitrine`;
  await server.close();
  return {
    port,
    url: `postgres://vitrine@${hostname}:${port}/vitrine`,
    start,
    kill() {
      // Stop the main process first, so that it starts no other while they are killed.
      signalAll([pid], "SIGSTOP");
      signalAll(processes(), "SIGKILL");
    },
    suspend: () => signalAll(processes(), "SIGSTOP"),
    resume: () => signalAll(processes(), "SIGCONT"),
  };
}
