// Makes each system call of a deployment fail in turn, or kills the process at it (strace injection). Compares the
// state afterwards with the responses.
//   node scripts/with-bun.mjs scripts/reliability/inject.ts [kill|EIO|ENOSPC; default all]
// Needs strace and the right to trace.
import { Actor } from "../../src/acceptance/testing/actor.ts";
import {
  run,
  type ServingProcess,
  scratchFolder,
  signUp,
  startProcess,
} from "../../src/acceptance/testing/executable.ts";
import { markedArchives, observe } from "../../src/acceptance/testing/kill.ts";

/** The system calls of a deployment: files, the database with its log, and syncing both. */
const CALLS = ["openat", "write", "pwrite64", "fsync", "fdatasync", "syncfs", "rename", "unlink", "ftruncate"];

/** Milliseconds for one deployment under strace. */
const START_TIMEOUT_MS = 10_000;

const FAULTS: Readonly<Record<string, string>> = { kill: "signal=KILL", EIO: "error=EIO", ENOSPC: "error=ENOSPC" };
const wanted = process.argv[2] ? [process.argv[2]] : Object.keys(FAULTS);

using folder = scratchFolder();
const token = await signUp(folder.path, "ada");
const actor = new Actor("demo", token, await markedArchives(40), { activates: false, keeps: Infinity });
const failures: string[] = [];
let turnedAway = 0;
const figures: Record<string, { instants: number; responses: Record<string, number> }> = {};

for (const fault of wanted) {
  const responses: Record<string, number> = {};
  let instants = 0;
  for (const call of CALLS) {
    for (let when = 1; ; when++) {
      const { injected, status } = await deployWith(call, `${FAULTS[fault]}:when=${when}`);
      if (!injected) break;
      instants++;
      responses[String(status)] = (responses[String(status)] ?? 0) + 1;
    }
    console.error(`${fault} at ${call}: ${instants} instants so far`);
  }
  figures[fault] = { instants, responses };
}
console.log(JSON.stringify({ ...figures, answered: actor.answered, turnedAway, failures }, null, 2));
process.exit(failures.length === 0 ? 0 : 1);

/**
 * Deploys once to a server whose n-th call of this kind fails in each thread. Then checks the data folder with a server
 * without faults.
 */
async function deployWith(call: string, fault: string): Promise<{ injected: boolean; status: number | null }> {
  const server = await startProcess(folder.path, ["--workers", "1"]);
  const trace = await attach(server, call, fault);
  // A thread that strace still stops while the others are killed would keep the connection open forever.
  const patience = setTimeout(() => trace.letGo(), START_TIMEOUT_MS);
  const status = await actor.change(server);
  clearTimeout(patience);
  if (status !== null) await expectServed(server, `${call} ${fault}`);
  const injected = await trace.stop();
  if (status === 500) console.error(`${call} ${fault} was answered 500: ${server.said()}`);
  await server.end("SIGKILL");

  const well = await startProcess(folder.path, ["--log", "off", "--workers", "1"]);
  const failure = actor.settle(await observe(well, token, actor.site));
  if (failure) failures.push(`${call} ${fault}: ${failure}`);
  await well.end("SIGKILL");
  const { status: verified, stdout } = await run(["verify", "--json", "--data-dir", folder.path]);
  if (verified !== 0) failures.push(`${call} ${fault}: verify: ${stdout}`);
  return { injected, status };
}

async function attach(server: ServingProcess, call: string, fault: string) {
  const log = `${folder.path}.strace`;
  const strace = Bun.spawn(
    [
      "strace",
      "-f",
      "-qq",
      "-o",
      log,
      "-e",
      `trace=${call}`,
      "-e",
      `inject=${call}:${fault}`,
      "-p",
      String(server.process.pid),
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  const statusFile = Bun.file(`/proc/${server.process.pid}/status`);
  const traced = async () => /^TracerPid:\t[1-9]/m.test(await statusFile.text());
  // Another thread may make the killing call as soon as strace is attached. The file no longer exists then.
  while (!(await traced().catch(() => true))) await Bun.sleep(5);
  return {
    letGo: () => strace.kill("SIGKILL"),
    async stop(): Promise<boolean> {
      strace.kill("SIGKILL");
      await strace.exited;
      const text = await Bun.file(log).text();
      await Bun.file(log).delete();
      return /INJECTED|killed by SIGKILL/.test(text);
    },
  };
}

/** A visit may hit the failing call itself. Then the response asks the client to retry, and the retry succeeds. */
async function expectServed(server: ServingProcess, what: string): Promise<void> {
  if (actor.state.active === null) return;
  const visit = () => server.fetch("/0.html", { site: actor.site }).catch(() => null);
  let response = await visit();
  if (response?.status === 503 && response.headers.has("retry-after")) {
    turnedAway++;
    response = await visit();
  }
  if (response && response.status !== 200) failures.push(`${what}: the site answered ${response.status} meanwhile`);
}
