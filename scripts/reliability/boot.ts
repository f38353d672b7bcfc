import { readFileSync } from "node:fs";
import { $ } from "bun";

/** A Debian system that runs with its own systemd and network. */
export interface Boot extends AsyncDisposable {
  /** Runs a shell command in it as root. */
  run(command: string): Promise<{ readonly status: number; readonly stdout: string; readonly text: string }>;
  /** Runs this machine's curl with these arguments in the system's network. */
  visit(args: string): Promise<{ readonly stdout: string }>;
}

const START_TIMEOUT_MS = 60_000;

/** Boots the system. Resolves when its systemd has finished starting. Needs root and systemd-nspawn. */
export async function boot(root: string): Promise<Boot> {
  const container = Bun.spawn(
    [
      "systemd-nspawn",
      "--quiet",
      "--register=no",
      "--keep-unit",
      "--private-network",
      "--console=pipe",
      `--directory=${root}`,
      "--boot",
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  const inside = () => [
    "nsenter",
    "--all",
    `--root=/proc/${leaderOf(container.pid)}/root`,
    "--wdns=/",
    `--target=${leaderOf(container.pid)}`,
  ];
  const run = async (command: string) => {
    const { exitCode, stdout, stderr } = await $`${inside()} /bin/bash -lc ${command}`.nothrow().quiet();
    return { status: exitCode, stdout: stdout.toString(), text: `${stdout}${stderr}` };
  };
  await untilStarted(run);
  return {
    run,
    async visit(args) {
      const network = ["nsenter", "--net", `--target=${leaderOf(container.pid)}`];
      const { stdout } = await $`${network} curl ${args.split(" ")}`.nothrow().quiet();
      return { stdout: stdout.toString() };
    },
    async [Symbol.asyncDispose]() {
      container.kill("SIGTERM");
      await container.exited;
    },
  };
}

/** Returns the PID of the container's first process on the host. */
function leaderOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}

async function untilStarted(run: Boot["run"]): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const { text } = await run("systemctl is-system-running").catch(() => ({ text: "" }));
    if (/^(running|degraded)/.test(text)) return;
    if (performance.now() > until) throw new Error(`the container does not start: ${text}`);
    await Bun.sleep(200);
  }
}
