// Runs the executable under a real systemd with the installed unit and a watchdog of three seconds. The process hangs,
// a serving thread hangs, it is killed, it is stopped. Each time measures how long it takes until it serves again.
//   node scripts/with-bun.mjs scripts/reliability/watchdog.ts
// Needs root, because it creates namespaces for its own systemd. The machine's systemd is not affected.
import { dlopen } from "bun:ffi";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { executable, scratchFolder } from "../../src/acceptance/testing/executable.ts";

const INSIDE = "--inside";
const WATCHDOG = 3;
const PTRACE_SEIZE = 0x4206;
const PTRACE_INTERRUPT = 0x4207;
const WNOHANG = 1;
const WALL = 0x40000000;

if (process.argv[2] === INSIDE) await inside(process.argv[3] ?? "");
else {
  using folder = scratchFolder();
  await executable();
  const before = await controlGroups();
  try {
    await $`unshare --mount --pid --fork --kill-child --mount-proc ${process.execPath} ${import.meta.path} ${INSIDE} ${folder.path}`;
  } finally {
    for (const group of await controlGroups()) if (!before.includes(group)) await $`rmdir ${group}`.nothrow().quiet();
  }
}

/** The control groups that a user's systemd creates for itself and its services, the deepest first. */
async function controlGroups(): Promise<string[]> {
  const found =
    await $`find /sys/fs/cgroup -depth -regextype posix-extended -type d -regex ${".*/(init.scope|app.slice(/.*)?)"}`.quiet();
  return found.text().trim().split("\n");
}

async function inside(folder: string): Promise<void> {
  await $`mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/user && chmod 700 /run/user`;
  const env = { ...process.env, XDG_RUNTIME_DIR: "/run/user", HOME: folder };
  const units = join(folder, ".config", "systemd", "user");
  mkdirSync(units, { recursive: true });
  writeFileSync(join(units, "vitrine.service"), await unit(folder));
  Bun.spawn(["/lib/systemd/systemd", "--user"], { env, stdio: ["ignore", "ignore", "ignore"] });
  const control = $.env(env);
  const show = async (property: string) =>
    (await control`systemctl --user show --property=${property} --value vitrine.service`.text()).trim();
  const mainPid = async () => Number(await show("MainPID"));
  while ((await control`systemctl --user is-system-running`.nothrow().quiet()).stdout.length === 0) await Bun.sleep(20);

  const begun = performance.now();
  await control`systemctl --user start vitrine.service`;
  report("started, and notified systemd", performance.now() - begun);

  await Bun.sleep(4 * WATCHDOG * 1000);
  const restarts = await show("NRestarts");
  console.log(`restarts in ${4 * WATCHDOG} quiet seconds: ${restarts}`);

  const untilAnother = async (pid: number) => {
    const since = performance.now();
    while ([pid, 0].includes(await mainPid()) || !(await isHealthy())) await Bun.sleep(20);
    return performance.now() - since;
  };
  for (const [what, fault] of [
    ["the process hangs", (pid: number) => process.kill(pid, "SIGSTOP")],
    ["one serving thread hangs", hangServingThread],
    ["the process is killed", (pid: number) => process.kill(pid, "SIGKILL")],
  ] as const) {
    const pid = await mainPid();
    fault(pid);
    report(`${what}; serves again`, await untilAnother(pid));
  }
  await control`systemctl --user stop vitrine.service`;
  console.log(`stopped: ${await show("Result")}, exit status ${await show("ExecMainStatus")}`);
  // This process is the first of its PID namespace, so all others end with it.
  process.exit(0);
}

/** The installed unit without the options that a user's systemd does not support. */
async function unit(folder: string): Promise<string> {
  const root = join(folder, "root");
  await $`sh install.sh --root ${root} --binary ${await executable()}`.cwd(join(import.meta.dir, "..", "..")).quiet();
  const installed = readFileSync(join(root, "etc/systemd/system/vitrine.service"), "utf8");
  const kept = installed.split("\n").filter((line) => /^\[|^(Type|NotifyAccess|Watchdog|Restart|Timeout)/.test(line));
  const serve = `${await executable()} serve --data-dir ${folder}/data --listen 127.0.0.1:18080 --workers 2 --log off`;
  return kept
    .join("\n")
    .replace(/WatchdogSec=.*/, `WatchdogSec=${WATCHDOG}`)
    .replace("[Service]", `[Service]\nExecStart=${serve}`);
}

async function isHealthy(): Promise<boolean> {
  const response = await fetch("http://127.0.0.1:18080/health", { signal: AbortSignal.timeout(500) }).catch(() => null);
  return response?.status === 200;
}

/** Stops one thread permanently, as an infinite loop would. The others continue. */
function hangServingThread(pid: number): void {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  const serving = threads.find((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/comm`, "utf8").startsWith("Worker"),
  );
  if (serving === undefined) throw new Error(`no serving thread among ${threads}`);
  const { ptrace, waitpid } = dlopen("libc.so.6", {
    ptrace: { args: ["i64", "i64", "i64", "i64"], returns: "i64" },
    waitpid: { args: ["int", "ptr", "int"], returns: "int" },
  }).symbols;
  ptrace(PTRACE_SEIZE, serving, 0, 0);
  ptrace(PTRACE_INTERRUPT, serving, 0, 0);
  // A killed thread remains until its tracer has waited for it.
  const note = setInterval(() => waitpid(serving, null, WALL | WNOHANG) === -1 && clearInterval(note), 10);
}

function report(what: string, milliseconds: number): void {
  console.log(`${what}: ${(milliseconds / 1000).toFixed(2)} s`);
}
