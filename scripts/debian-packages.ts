// What the tests need besides npm's packages: browsers, servers and archivers of other makers.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";

/** Debian package → a program of it. */
type Packages = Readonly<Record<string, string>>;

const FOR_TESTS: Packages = {
  chromium: "chromium",
  curl: "curl",
  dnsutils: "dig",
  fish: "fish",
  "libarchive-tools": "bsdtar",
  "nghttp2-client": "h2load",
  openssl: "openssl",
  "p7zip-full": "7z",
  pebble: "pebble",
  python3: "python3",
  shellcheck: "shellcheck",
  sslscan: "sslscan",
  strace: "strace",
  unzip: "unzip",
  zip: "zip",
  zsh: "zsh",
};

/** Installed, these would be started at once and with every boot: the tests need the programs alone. */
const WEB_SERVERS: Packages = { caddy: "caddy", nginx: "nginx" };

/** Installs the packages whose programs are missing; where that cannot be done, says which ones to install by hand. */
export async function installDebianPackages(packages: Packages = FOR_TESTS): Promise<void> {
  const missing = Object.keys(packages).filter((name) => !Bun.which(packages[name] as string));
  if (missing.length === 0) return;
  const byHand = `These Debian packages are needed: ${missing.join(" ")}`;
  if (!Bun.which("apt-get")) throw new Error(byHand);
  console.error(`Installing ${missing.join(" ")} ...`);
  await updateLists();
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const installed = await $`${asRoot()} apt-get install -y -qq --no-install-recommends ${missing}`
    .env(env)
    .quiet()
    .nothrow();
  if (installed.exitCode !== 0) throw new Error(`${byHand}\n${installed.stderr.toString().trim()}`);
}

/**
 * Unpacks the packages whose programs are missing into a folder, and lets this process and its children find them there.
 * Nothing is installed, and no rights are needed where apt's lists are there.
 */
export async function unpackDebianPackages(folder: string, packages: Packages = WEB_SERVERS): Promise<void> {
  const PATH = [process.env.PATH, join(folder, "usr/bin"), join(folder, "usr/sbin")].join(":");
  process.env.PATH = PATH;
  const missing = Object.keys(packages).filter((name) => !Bun.which(packages[name] as string, { PATH }));
  if (missing.length === 0) return;
  mkdirSync(folder, { recursive: true });
  console.error(`Unpacking ${missing.join(" ")} ...`);
  await updateLists();
  for (const name of missing) {
    const unpacked = await $`apt-get download ${name} && dpkg -x ${name}_*.deb . && rm ${name}_*.deb`
      .cwd(folder)
      .quiet()
      .nothrow();
    if (unpacked.exitCode !== 0) {
      throw new Error(`This Debian package is needed: ${name}\n${unpacked.stderr.toString().trim()}`);
    }
  }
}

// --- internal ---

/** Lists that cannot be renewed may do as they are. */
async function updateLists(): Promise<void> {
  await $`${asRoot()} apt-get update -qq`.quiet().nothrow();
}

function asRoot(): readonly string[] {
  return process.getuid?.() === 0 ? [] : ["sudo", "-n"];
}
