// Debian packages that tests use without installing them.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $, Glob } from "bun";

/**
 * Unpacks packages, and their dependencies that are not installed, into a folder. It needs no privileges, because apt
 * keeps its lists in the folder as well. Returns null, or the reason of a failure.
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

/** Adds the programs in a folder to the PATH of this process and its children. */
export function useUnpacked(folder: string): void {
  const places = [...(process.env.PATH ?? "").split(":"), join(folder, "bin")];
  process.env.PATH = [...new Set(places)].join(":");
}

// --- internal ---

/**
 * The folders of programs in packages. Later ones take precedence: their programs are what the scripts of the same name
 * in earlier folders call.
 */
const PROGRAM_FOLDERS = ["usr/sbin", "usr/bin", "usr/lib/p7zip", "usr/lib/chromium"];

/** Writes a script for each program that sets the paths of the unpacked libraries and settings. */
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
  const postgres = [...new Glob("usr/lib/postgresql/*/bin").scanSync({ cwd: folder, onlyFiles: false })].sort();
  for (const place of [...PROGRAM_FOLDERS, ...postgres].filter((path) => existsSync(join(folder, path)))) {
    for (const name of readdirSync(join(folder, place))) {
      const launcher = `#!/bin/sh\n${variables.join(" ")} exec '${join(folder, place, name)}' "$@"\n`;
      writeFileSync(join(folder, "bin", name), launcher, { mode: 0o755 });
    }
  }
}
