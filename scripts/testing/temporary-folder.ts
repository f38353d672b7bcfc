import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** More than twice what the tests use at a time. */
const ENOUGH_BYTES = 6 * 1024 ** 3;

/** Where Linux keeps a file system in memory. */
const MEMORY = "/dev/shm";

/**
 * Makes a folder for everything that the tests of one run write, in memory if there is room. Tests create and delete
 * tens of thousands of small files, and on ext4 that took an eighth of their CPU time: it searches the recently deleted
 * files for each new one. If TMPDIR is set, it is made there.
 */
export function makeTemporaryFolder(): string {
  const parent = process.env.TMPDIR === undefined && isFastAndLarge(MEMORY) ? MEMORY : tmpdir();
  const path = mkdtempSync(join(parent, "vitrine-tests-"));
  // Some tests run as other users.
  chmodSync(path, 0o1777);
  removeAfterRun(path);
  return path;
}

// --- internal ---

/** A separate process does it, so that a killed run leaves nothing in memory. Servers of tests need time to end. */
function removeAfterRun(path: string): void {
  const wait = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; sleep 4; rm -rf "$2"';
  spawnSync("sh", ["-c", `(${wait}) >/dev/null 2>&1 &`, "sh", String(process.pid), path], {
    stdio: "ignore",
    cwd: "/",
  });
}

/** Tests also run programs from there, which some systems forbid. */
function isFastAndLarge(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const [, , type, options = ""] = mountOf(folder);
    return type === "tmpfs" && !options.split(",").includes("noexec") && bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Returns the fields of the mount in fstab's order: device, folder, type, options. */
function mountOf(folder: string): readonly string[] {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  return mounts.map((line) => line.split(" ")).findLast(([, at]) => at === folder) ?? [];
}
