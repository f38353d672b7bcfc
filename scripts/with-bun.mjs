// The only script that runs under Node.js, because a fresh machine has nothing else. It fetches from npm the version of
// Bun that package.json pins, installs the locked packages, and runs the script with Bun.
//   node scripts/with-bun.mjs scripts/NAME.ts [ARG ...]
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.bun;
const bunHome = join(root, ".bun", version);

/** npm installs Bun in the wrapper package if its install script may run, otherwise in the platform's package. */
function findBun() {
  const { platform, arch } = process;
  const candidates = [
    join(bunHome, "node_modules", "bun", "bin", "bun.exe"),
    ...["", "-musl", "-baseline"].map((kind) =>
      join(
        bunHome,
        "node_modules",
        "@oven",
        `bun-${platform}-${arch === "arm64" ? "aarch64" : arch}${kind}`,
        "bin",
        "bun",
      ),
    ),
  ];
  return candidates.find(
    (file) => existsSync(file) && spawnSync(file, ["--version"]).stdout?.toString().trim() === version,
  );
}

/** If the home folder is not writable, npm and Bun keep their caches in the checkout. */
function caches() {
  try {
    accessSync(homedir(), constants.W_OK);
    return {};
  } catch {
    const [npm_config_cache, BUN_INSTALL_CACHE_DIR] = ["npm", "packages"].map((name) => join(root, ".bun", name));
    return { npm_config_cache, BUN_INSTALL_CACHE_DIR };
  }
}

function run(command, args, { env = {}, ...options } = {}) {
  const all = { ...process.env, ...caches(), ...env };
  const { status, error, signal } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options, env: all });
  if (error) fail(`${command} could not be started: ${error.message}`);
  return signal ? 1 : (status ?? 1);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The npm that belongs to this Node.js. On Windows it is a command script and needs a shell. */
function npm(args) {
  return run("npm", args, { shell: process.platform === "win32", stdio: ["ignore", "ignore", "inherit"] });
}

function installBun() {
  console.error(`Fetching Bun ${version} from npm ...`);
  mkdirSync(bunHome, { recursive: true });
  writeFileSync(join(bunHome, "package.json"), '{ "private": true }\n');
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  if (npm(["install", "--prefix", bunHome, ...quiet, `bun@${version}`]) !== 0) {
    fail(`Bun ${version} could not be installed. Check that npm reaches its registry: npm ping`);
  }
}

/** Packages are installed again when the lock file is newer than the last installation. */
function packagesAreCurrent() {
  const stamp = join(root, "node_modules", ".installed");
  return existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(join(root, "bun.lock")).mtimeMs;
}

function installPackages(bun) {
  if (run(bun, ["install", "--frozen-lockfile"], { stdio: ["ignore", "ignore", "inherit"] }) !== 0) {
    fail("The packages could not be installed. Check that npm reaches its registry: npm ping");
  }
  const stamp = join(root, "node_modules", ".installed");
  writeFileSync(stamp, "");
  const now = new Date();
  utimesSync(stamp, now, now);
}

if (!findBun()) installBun();
const bun = findBun();
if (!bun) fail(`Bun ${version} was installed, but does not run on this machine (${process.platform} ${process.arch}).`);
if (!packagesAreCurrent()) installPackages(bun);

const [script, ...args] = process.argv.slice(2);
process.exit(run(bun, [script, ...args], { env: { PATH: `${dirname(bun)}:${process.env.PATH}` } }));
