import { accessSync, constants, existsSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Finding, ok, problem, warning } from "../../domain/maintenance/finding.ts";
import { diskSpace } from "../../storage/disk-space.ts";

/** Uploads of the usual size still fit, but not for long. */
const LITTLE_BYTES = 2 * 1024 * 1024 * 1024;

/** Looks at the data folder itself: who may read it, and whether we may write it. */
export function examineFolder(root: string): Finding[] {
  if (!existsSync(root)) return [examineNothing(root)];
  if (!statSync(root).isDirectory()) {
    return [problem("data folder", `${root} is not a folder`, "give the folder with --data-dir")];
  }
  const { mode, uid } = statSync(root);
  const own = process.getuid?.() ?? uid;
  if (!mayEnter(root)) {
    return [
      problem(
        "data folder",
        `${root} belongs to uid ${uid} and cannot be read by uid ${own}, who runs this`,
        `run it as its owner: sudo -u '#${uid}' vitrine doctor --data-dir ${root}`,
      ),
    ];
  }
  const findings: Finding[] = [];
  if ((mode & 0o077) !== 0) {
    findings.push(
      problem("data folder", `${root} can be read by others (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${root}`),
    );
  }
  if (own !== 0 && own !== uid) {
    findings.push(
      problem(
        "data folder",
        `${root} belongs to uid ${uid}, but uid ${own} runs this`,
        `run vitrine as its owner, or: chown -R ${own} ${root}`,
      ),
    );
  }
  const stranger = strangerIn(root, uid);
  if (stranger) {
    findings.push(
      problem(
        "data folder",
        `${stranger} does not belong to the folder's owner (uid ${uid})`,
        `chown -R ${uid} ${root}`,
      ),
    );
  }
  if (!allows(root, constants.W_OK | constants.X_OK)) {
    findings.push(
      problem(
        "data folder",
        `${root} cannot be written`,
        "mount its file system for writing, or choose another --data-dir",
      ),
    );
  }
  return findings.length > 0 ? findings : [ok("data folder", `${root} is private and writable`)];
}

/** A folder can be made where nothing is yet, but not through a link. */
function examineNothing(root: string): Finding {
  if (!lstatSync(root, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return warning("data folder", `${root} does not exist yet`, "vitrine serve creates it");
  }
  const target = readlinkSync(root);
  return problem("data folder", `${root} is a link to ${target}, which does not exist`, `mount or create ${target}`);
}

/** Whether what lies in the data folder can be seen at all. */
export function mayEnter(root: string): boolean {
  return allows(root, constants.R_OK | constants.X_OK);
}

export function mayRead(file: string): boolean {
  return allows(file, constants.R_OK);
}

/** Looks at the space that is left for content and database. */
export function examineDisk(root: string): Finding {
  const { total, free, reserve, inodes, freeInodes } = diskSpace(nearestExisting(root));
  const share = `${inGib(free)} of ${inGib(total)} GiB are free`;
  if (free < reserve) {
    return problem(
      "disk",
      `${share}: uploads are refused with 507, sites are still served`,
      "free some space, or delete deployments",
    );
  }
  if (inodes > 0 && freeInodes < inodes * 0.01) {
    return problem("disk", `${freeInodes} of ${inodes} inodes are free`, "remove small files, or move the data folder");
  }
  if (free < LITTLE_BYTES) return warning("disk", share, "free some space before uploads are refused");
  return ok("disk", share);
}

// --- internal ---

/** A folder that is still to be made will lie on the disk of the one that it is made in. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** Commands that were run as root may have left files that the server's own user cannot write. */
function strangerIn(root: string, owner: number): string | null {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    if (statSync(path, { throwIfNoEntry: false })?.uid !== owner) return path;
  }
  return null;
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function inGib(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(1);
}
