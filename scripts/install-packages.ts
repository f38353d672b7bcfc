// Packages of the system that tests, benchmarks and other scripts need.
import { $ } from "bun";
import type { PackageManager } from "../src/testing/needs.ts";

/** Installs Debian packages (name → one of its programs) whose programs are missing. Throws if that is impossible. */
export async function installDebianPackages(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.keys(packages).filter((name) => !Bun.which(packages[name] as string));
  if (missing.length === 0) return;
  const failure = Bun.which("apt-get") ? await installPackages("apt", missing) : "there is no apt-get";
  if (failure !== null) throw new Error(`These Debian packages are needed: ${missing.join(" ")}\n${failure}`);
}

/** Installs packages without questions. Returns null, or the reason of a failure. */
export async function installPackages(manager: PackageManager, names: readonly string[]): Promise<string | null> {
  const { update, install, env = {}, needsRoot } = COMMANDS[manager];
  const root = needsRoot ? await asRoot() : [];
  if (root === null) return "only root may install packages";
  console.error(`Installing ${names.join(" ")} ...`);
  const allEnv = { ...process.env, ...env };
  // An update can fail while the existing lists are good enough.
  if (update) await $`${root} ${update}`.env(allEnv).quiet().nothrow();
  const installed = await $`${root} ${install} ${names}`.env(allEnv).quiet().nothrow();
  return installed.exitCode === 0 ? null : installed.stderr.toString().trim();
}

// --- internal ---

interface Commands {
  readonly update?: readonly string[];
  readonly install: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly needsRoot: boolean;
}

const COMMANDS: Record<PackageManager, Commands> = {
  apt: {
    update: ["apt-get", "update", "-qq"],
    install: ["apt-get", "install", "-y", "-qq", "--no-install-recommends"],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    needsRoot: true,
  },
  dnf: { install: ["dnf", "install", "-y", "-q", "--setopt=install_weak_deps=False"], needsRoot: true },
  // Homebrew refuses to run as root.
  brew: { install: ["brew", "install", "-q"], needsRoot: false },
};

/** Returns the prefix of a command that runs as root; null if that is impossible. */
async function asRoot(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  if (!Bun.which("sudo")) return null;
  return (await $`sudo -n true`.quiet().nothrow()).exitCode === 0 ? ["sudo", "-n"] : null;
}
