// Debian packages that tests, benchmarks and other scripts need besides npm's.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
  writeLaunchers(folder);
  return null;
}

/** Lets this process and its children find what was unpacked into a folder. */
export function useUnpacked(folder: string): void {
  const places = [...(process.env.PATH ?? "").split(":"), join(folder, "bin")];
  process.env.PATH = [...new Set(places)].join(":");
}

// --- internal ---

/** Where programs are in packages; those of the later folders go before scripts of the same name that call them. */
const PROGRAM_FOLDERS = ["usr/sbin", "usr/bin", "usr/lib/p7zip", "usr/lib/chromium"];

/** Writes a script for every program, which lets it find the libraries and settings that were unpacked with it. */
function writeLaunchers(folder: string): void {
  const triplet = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
  const places = [`usr/lib/${triplet}`, `usr/lib/${triplet}/pulseaudio`, `lib/${triplet}`];
  const libraries = places.map((path) => join(folder, path)).join(":");
  const fonts = join(folder, "fonts.conf");
  writeFileSync(fonts, `<fontconfig><dir>${folder}/usr/share/fonts</dir></fontconfig>\n`);
  const settings = join(folder, "etc/ssl/openssl.cnf");
  const variables = [
    `LD_LIBRARY_PATH='${libraries}' FONTCONFIG_FILE='${fonts}'`,
    ...(existsSync(settings) ? [`OPENSSL_CONF='${settings}'`] : []),
  ];
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const place of PROGRAM_FOLDERS.filter((path) => existsSync(join(folder, path)))) {
    for (const name of readdirSync(join(folder, place))) {
      const launcher = `#!/bin/sh\n${variables.join(" ")} exec '${join(folder, place, name)}' "$@"\n`;
      writeFileSync(join(folder, "bin", name), launcher, { mode: 0o755 });
    }
  }
}

/** What goes before a command that root runs; null where nobody becomes root. */
async function asRoot(): Promise<readonly string[] | null> {
  if (process.getuid?.() === 0) return [];
  if (!Bun.which("sudo")) return null;
  return (await $`sudo -n true`.quiet().nothrow()).exitCode === 0 ? ["sudo", "-n"] : null;
}
