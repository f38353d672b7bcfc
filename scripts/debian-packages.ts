// What the tests need besides npm's packages: browsers, servers and archivers of other makers.
import { $ } from "bun";

/** Debian package → a program of it. */
type Packages = Readonly<Record<string, string>>;

const FOR_TESTS: Packages = {
  caddy: "caddy",
  chromium: "chromium",
  curl: "curl",
  dnsutils: "dig",
  fish: "fish",
  "libarchive-tools": "bsdtar",
  "nghttp2-client": "h2load",
  "nginx-light": "nginx",
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

/** Installs the packages whose programs are missing; where that cannot be done, says which ones to install by hand. */
export async function installDebianPackages(packages: Packages = FOR_TESTS): Promise<void> {
  const missing = Object.keys(packages).filter((name) => !Bun.which(packages[name] as string));
  if (missing.length === 0) return;
  const byHand = `These Debian packages are needed: ${missing.join(" ")}`;
  if (!Bun.which("apt-get")) throw new Error(byHand);
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  console.error(`Installing ${missing.join(" ")} ...`);
  await $`${asRoot} apt-get update -qq`.env(env).quiet().nothrow();
  const installed = await $`${asRoot} apt-get install -y -qq --no-install-recommends ${missing}`
    .env(env)
    .quiet()
    .nothrow();
  if (installed.exitCode !== 0) throw new Error(`${byHand}\n${installed.stderr.toString().trim()}`);
}
