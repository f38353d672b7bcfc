// Debian packages that tests, benchmarks and other scripts need besides npm's.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";

/** Installs the packages (name → a program of it) whose programs are missing; throws where that cannot be done. */
export async function installDebianPackages(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.keys(packages).filter((name) => !Bun.which(packages[name] as string));
  if (missing.length === 0) return;
  const failure = await aptInstall(missing);
  if (failure !== null) throw new Error(`These Debian packages are needed: ${missing.join(" ")}\n${failure}`);
}

/** Installs packages as root or with sudo. Returns null, or why it could not. */
export async function aptInstall(names: readonly string[]): Promise<string | null> {
  if (!Bun.which("apt-get")) return "there is no apt-get";
  const root = await asRoot();
  if (root === null) return "only root may install packages";
  console.error(`Installing ${names.join(" ")} ...`);
  // Lists that cannot be renewed may do as they are.
  await $`${root} apt-get update -qq`.quiet().nothrow();
  const installed = await $`${root} apt-get install -y -qq --no-install-recommends ${names}`
    .env({ ...process.env, DEBIAN_FRONTEND: "noninteractive" })
    .quiet()
    .nothrow();
  return installed.exitCode === 0 ? null : installed.stderr.toString().trim();
}

/**
 * Unpacks packages, and those they depend on that are not installed, into a folder; needs no rights, as apt keeps its
 * lists there as well. Returns null, or why it could not.
 */
export async function aptUnpack(folder: string, names: readonly string[]): Promise<string | null> {
  if (!Bun.which("apt-get") || !Bun.which("dpkg")) return "there is no apt-get";
  console.error(`Unpacking ${names.join(" ")} ...`);
  const state = join(folder, ".apt");
  const archives = join(state, "cache", "archives");
  for (const place of [join(state, "lists", "partial"), join(archives, "partial")])
    mkdirSync(place, { recursive: true });
  const options = [
    ["Dir::State", state],
    ["Dir::State::status", "/var/lib/dpkg/status"],
    ["Dir::Cache", join(state, "cache")],
    ["Debug::NoLocking", "true"],
    ["APT::Sandbox::User", ""],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  await $`apt-get ${options} update -qq`.quiet().nothrow();
  const install = [...options, "install", "--download-only", "-y", "-qq", "--no-install-recommends", ...names];
  const fetched = await $`apt-get ${install}`.quiet().nothrow();
  if (fetched.exitCode !== 0) return fetched.stderr.toString().trim();
  for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
    const unpacked = await $`dpkg -x ${join(archives, file)} ${folder}`.quiet().nothrow();
    if (unpacked.exitCode !== 0) return unpacked.stderr.toString().trim();
  }
  rmSync(state, { recursive: true });
  return null;
}

/** Lets this process and its children find what was unpacked into a folder. */
export function useUnpacked(folder: string): void {
  const triplet = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
  const inFolder = (...paths: string[]) => paths.map((path) => join(folder, path)).filter((path) => existsSync(path));
  // The programs themselves go before the scripts that call them in the place where they would be installed.
  const programs = inFolder("usr/lib/chromium", "usr/lib/p7zip", "usr/bin", "usr/sbin");
  process.env.PATH = joined(process.env.PATH, programs);
  const libraries = inFolder(`usr/lib/${triplet}`, `lib/${triplet}`);
  if (libraries.length > 0) process.env.LD_LIBRARY_PATH = joined(process.env.LD_LIBRARY_PATH, libraries);
  const [settings] = inFolder("etc/ssl/openssl.cnf");
  if (settings) process.env.OPENSSL_CONF = settings;
}

// --- internal ---

/** A list of folders with more at its end, each of them once. */
function joined(list = "", more: readonly string[]): string {
  return [...new Set([...list.split(":").filter(Boolean), ...more])].join(":");
}

/** What goes before a command that root runs; null where nobody becomes root. */
async function asRoot(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  if (!Bun.which("sudo")) return null;
  return (await $`sudo -n true`.quiet().nothrow()).exitCode === 0 ? ["sudo", "-n"] : null;
}
