import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// Needs of tests. Each need is tried, because user and operating system say little about it.

/** The names of the packages with a program, separated by spaces, by package manager. */
interface Packages {
  /** Debian and Ubuntu. The others are given if they differ, and are null if there is no package. */
  readonly apt: string;
  readonly dnf?: string | null;
  readonly brew?: string | null;
}

export type PackageManager = keyof Packages;

interface Need {
  /** A description of what is missing, for people. */
  readonly what: string;
  /** Returns whether it exists and works. */
  readonly works: () => boolean;
  readonly packages?: Packages;
  /** The package is only unpacked, because installing it would start a server now and at every boot. */
  readonly unpackOnly?: boolean;
  /** The package works only if it is installed, because it does not find its parts elsewhere. */
  readonly installOnly?: boolean;
  /** How to get it if there is no package. */
  readonly advice?: string;
}

/** The program of each package manager, by which it is found. */
const PROGRAMS = { apt: "apt-get", dnf: "dnf", brew: "brew" } as const satisfies Record<PackageManager, string>;

/** The folder where `npm test` puts the result of the Dockerfile's stage `system`. */
export const IMAGE_SYSTEM = join(import.meta.dir, "..", "..", ".bun", "image", "system", "out");

/** Includes openssl's settings, which it does not find if it was only unpacked. */
const MAKE_CERTIFICATE = [
  ...(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"] as const),
  ...["-subj", "/CN=localhost", "-keyout", "/dev/null", "-out", "/dev/null"],
] as const;

const LINUX = "run the tests on Linux";
/** The user that root becomes in tests; any except root would do. */
const NOBODY = 65534;

const NEEDS = {
  "7z": program(["7z", "i"], { apt: "p7zip-full", dnf: "p7zip-plugins", brew: "p7zip" }),
  bash: program(["bash", "-c", "true"], { apt: "bash" }),
  bsdtar: program(["bsdtar", "--version"], { apt: "libarchive-tools", dnf: "bsdtar", brew: "libarchive" }),
  browser: {
    what: "Chromium",
    works: () => findBrowser() !== null,
    packages: { apt: "chromium-headless-shell", dnf: "chromium", brew: "--cask chromium" },
  },
  buildah: program(["buildah", "--version"], { apt: "buildah" }),
  caddy: { ...program(["caddy", "version"], { apt: "caddy" }), unpackOnly: true },
  ceph: {
    what: "Ceph's S3 server",
    works: () => ["radosgw", "ceph-mon", "ceph-osd", "ceph"].every((name) => which(name)?.startsWith("/usr/")),
    packages: {
      apt: "radosgw ceph-mon ceph-osd ceph-common",
      dnf: "ceph-radosgw ceph-mon ceph-osd ceph-common",
      brew: null,
    },
    advice: "run the tests on Debian, Ubuntu or Fedora",
    installOnly: true,
  },
  curl: program(["curl", "--version"], { apt: "curl" }),
  wget: program(["wget", "--version"], { apt: "wget" }),
  dig: program(["dig", "-v"], { apt: "dnsutils", dnf: "bind-utils", brew: "bind" }),
  fish: program(["fish", "--no-config", "-c", "true"], { apt: "fish" }),
  git: program(["git", "--version"], { apt: "git" }),
  haproxy: { ...program(["haproxy", "-v"], { apt: "haproxy" }), unpackOnly: true },
  jq: program(["jq", "--version"], { apt: "jq" }),
  nginx: { ...program(["nginx", "-v"], { apt: "nginx" }), unpackOnly: true },
  openssl: program(MAKE_CERTIFICATE, { apt: "openssl", brew: "openssl@3" }),
  pebble: {
    ...program(["pebble", "-version"], { apt: "pebble", dnf: null, brew: null }),
    works: () => which("pebble") !== null,
    advice: "go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest",
  },
  postgres: {
    what: "PostgreSQL's server",
    works: () => postgresPrograms() !== null,
    packages: { apt: "postgresql", dnf: "postgresql-server", brew: "postgresql@15" },
    unpackOnly: true,
  },
  python: program(["python3", "-c", "import zipfile"], { apt: "python3" }),
  shellcheck: program(["shellcheck", "--version"], { apt: "shellcheck", dnf: "ShellCheck" }),
  sslscan: program(["sslscan", "--version"], { apt: "sslscan" }),
  // Other programs of the name do not know this format.
  tar: program(["tar", "-c", "--format=gnu", "-f", "/dev/null", "/dev/null"], { apt: "tar", brew: "gnu-tar" }),
  unzip: program(["unzip", "-v"], { apt: "unzip" }),
  zip: program(["zip", "-v"], { apt: "zip" }),
  zsh: program(["zsh", "-fc", "autoload -U compinit && zmodload zsh/complist && zmodload zsh/zutil"], { apt: "zsh" }),
  "image system": {
    what: "the C library, certificates and time zones of the container image",
    works: () => existsSync(join(IMAGE_SYSTEM, "etc", "passwd")),
    advice: Bun.which("apt-get")
      ? `sh scripts/image/system.sh ${process.arch === "arm64" ? "arm64" : "amd64"} .bun/image/system/out`
      : "run the tests on Debian or Ubuntu",
  },
  "another user": {
    what: "the right to become another user",
    works: canBecomeAnother,
    advice: "run the tests as root",
  },
  "no privileges": {
    what: "the right to run a program without privileges",
    works: () => process.getuid?.() !== 0 || canBecomeAnother(),
    advice: "run the tests as a user without privileges, or as a root that may become one",
  },
  disk: {
    what: "the right to mount a disk",
    works: canMount,
    advice: "run the tests as root of a machine or of a privileged container, or allow user namespaces",
  },
  loopback: {
    what: "the whole range 127.0.0.0/8",
    works: () => canListen("127.0.0.2") && canListen("127.0.0.9"),
    advice: LINUX,
  },
  "/dev/full": { what: "/dev/full", works: () => existsSync("/dev/full"), advice: LINUX },
  "/dev/shm": { what: "/dev/shm", works: () => existsSync("/dev/shm"), advice: LINUX },
  linux: { what: "Linux, which has install.sh and systemd", works: () => process.platform === "linux", advice: LINUX },
  proc: { what: "Linux's /proc", works: () => isReadable("/proc/thread-self/stat"), advice: LINUX },
} satisfies Record<string, Need>;

export type NeedName = keyof typeof NEEDS;

export const NEED_NAMES = Object.keys(NEEDS) as readonly NeedName[];

export function needOf(name: NeedName): Need {
  return NEEDS[name];
}

/** PostgreSQL refuses to run as root, which includes a user who is root in a namespace only. */
export function withImplied(names: readonly NeedName[]): readonly NeedName[] {
  return names.includes("postgres") ? [...new Set<NeedName>([...names, "no privileges"])] : names;
}

/** Milliseconds after which a test or hook fails. It ends what hangs and measures no speed: other tests may slow the machine. */
export const TIME_LIMIT_MS = 300_000;

/** The names of needs that `npm test` found missing, separated by commas. Unset outside `npm test`. */
export const LACKING = "TESTS_LACK";

/** The range of ports of tests that run beside those of the workers. */
export const PORT_RANGE = "TESTS_PORT_RANGE";

/** The file to which each test file appends a line: process, CPU seconds since its start, test file. */
export const CPU_TIMES = "TESTS_CPU_TIMES";

const tried = new Map<NeedName, boolean>();

/** Returns whether a need is met. Each need is tried once. */
export function isAvailable(name: NeedName): boolean {
  const lacking = process.env[LACKING];
  if (lacking !== undefined) return !lacking.split(",").includes(name);
  const known = tried.get(name);
  if (known !== undefined) return known;
  const works = needOf(name).works();
  tried.set(name, works);
  return works;
}

/** The browser that was found, so that a run of all tests tries it only once. */
const BROWSER = "TESTS_BROWSER";

/**
 * Returns the program of a working Chromium, or null. The headless one is preferred, because it takes half of the CPU
 * time.
 */
export function findBrowser(): string | null {
  if (process.env[BROWSER]) return process.env[BROWSER];
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const onMac = ["Chromium", "Google Chrome"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  const flags = ["--headless", "--no-sandbox", "--disable-gpu"];
  // Chromium's default folder is below the home folder, which may not be writable.
  const starts = (file: string) =>
    inScratchFolder((folder) => runs([file, ...flags, `--user-data-dir=${folder}`, "--dump-dom", "about:blank"]));
  const found = [...names.map(which), ...onMac].find((file) => file && starts(file));
  if (found) process.env[BROWSER] = found;
  return found ?? null;
}

/** The name of the PostgreSQL that all files of a test run share. If unset, a file starts its own. */
export const TEST_POSTGRES = "TESTS_POSTGRES";

/** Returns the name of a PostgreSQL that the first test with this need starts, and that ends with this process. */
export function newTestPostgres(): string {
  return `${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Returns the folder with the newest PostgreSQL programs, or null. Debian does not put them on PATH. */
export function postgresPrograms(): string | null {
  const unpacked = join(import.meta.dir, "..", "..", ".bun", "debian");
  const folders = ["/usr/lib/postgresql", join(unpacked, "usr/lib/postgresql")].flatMap((versions) =>
    existsSync(versions)
      ? readdirSync(versions)
          .sort()
          .map((version) => join(versions, version, "bin"))
      : [],
  );
  const onPath = which("initdb");
  const found = [...(onPath ? [dirname(onPath)] : []), ...folders].filter((folder) =>
    // initdb also needs the client library, which the server does not.
    ["postgres", "initdb"].every((name) => runs([join(folder, name), "-V"])),
  );
  return found.find((folder) => existsSync(join(folder, "pg_ctl"))) ?? null;
}

/** Returns the package manager of this machine, or null if it is not one of these. */
export function packageManager(): PackageManager | null {
  const programs = Object.entries(PROGRAMS) as [PackageManager, string][];
  return programs.find(([, program]) => Bun.which(program))?.[0] ?? null;
}

/** Returns the packages of a need, and options of the installation; none if this package manager does not have it. */
export function packagesOf({ packages }: Need, manager: PackageManager): readonly string[] {
  const names = packages?.[manager] === undefined ? packages?.apt : packages[manager];
  return names?.split(" ") ?? [];
}

/** Returns what provides a need: the command of the package manager, or advice. */
export function adviceOf(need: Need, manager = packageManager(), isRoot = process.getuid?.() === 0): string {
  const packages = manager ? packagesOf(need, manager) : [];
  if (!manager || packages.length === 0)
    return need.advice ?? `install ${need.packages?.apt} with the system's package manager`;
  const sudo = isRoot || manager === "brew" ? "" : "sudo ";
  return `${sudo}${PROGRAMS[manager]} install ${packages.join(" ")}`;
}

/** The mark after the name of a test that is skipped for these needs. */
export function markOf(missing: readonly NeedName[]): string {
  return ` [needs ${missing.join(", ")}]`;
}

/** Returns the needs in the name of a skipped test. */
export function needsIn(testName: string): readonly string[] {
  const marks = [...testName.matchAll(/ \[needs ([^\]]+)\]/g)];
  return [...new Set(marks.flatMap(([, names = ""]) => names.split(", ")))];
}

// --- internal ---

function program(command: readonly [string, ...string[]], packages: Packages): Need {
  return { what: command[0], works: () => which(command[0]) !== null && runs(command), packages };
}

/** Searches the current PATH. `Bun.which` and child processes use the one from the start of the process. */
function which(name: string): string | null {
  return Bun.which(name, { PATH: process.env.PATH ?? "" });
}

function runs(command: readonly string[]): boolean {
  try {
    return Bun.spawnSync([...command], { env: process.env, stdio: ["ignore", "ignore", "ignore"], timeout: 60_000 })
      .success;
  } catch {
    return false;
  }
}

/** Tries two users, because the tests may run as one of them. */
function canBecomeAnother(): boolean {
  return [NOBODY, NOBODY - 1].every(canBecome);
}

/** Gives a folder to the user, runs a program as that user, and reads the folder again. */
function canBecome(user: number): boolean {
  return inScratchFolder((folder) => {
    mkdirSync(join(folder, "theirs"), { mode: 0o700 });
    chownSync(join(folder, "theirs"), user, user);
    readdirSync(join(folder, "theirs"));
    return spawnSync("true", { uid: user, gid: user }).status === 0;
  });
}

function canMount(): boolean {
  return inScratchFolder((folder) => {
    const mounted = runs(["mount", "-t", "tmpfs", "-o", "size=64k", "vitrine-test", folder]);
    return mounted && runs(["umount", folder]);
  });
}

function inScratchFolder(attempt: (folder: string) => boolean): boolean {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-needs-"));
  try {
    return attempt(folder);
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function canListen(hostname: string): boolean {
  try {
    Bun.listen({ hostname, port: 0, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

function isReadable(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}
