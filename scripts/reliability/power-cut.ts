// Cuts the power of the disk at random instants under deployments, activations and deletions: the data folder lies on an
// ext4 in a file, and what has reached that file at an instant is all that is left. What the file system still holds in
// memory is lost, as with a real cut.
//   node scripts/with-bun.mjs scripts/reliability/power-cut.ts [INSTANTS, 100 unless told]
// Needs root (it mounts) and 400 MB in /dev/shm.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { $ } from "bun";
import { scratchFolder, signUp, startProcess } from "../../src/acceptance/testing/executable.ts";
import {
  fourActors,
  killWhileWorking,
  markedArchives,
  observe,
  verifyComplaints,
} from "../../src/acceptance/testing/kill.ts";

const instants = Number(process.argv[2] ?? 100);
const LONGEST = 400;
const SIZE = "160M";

using folder = scratchFolder();
const mountPoint = `${folder.path}/disk`;
const dataDir = `${mountPoint}/data`;
mkdirSync(mountPoint);
let disk = newImage();
await $`truncate -s ${SIZE} ${disk} && mkfs.ext4 -q -F ${disk} && mount -o loop ${disk} ${mountPoint}`;

const complaints: string[] = [];
let [interrupted, slowestStart] = [0, 0];
const actors = fourActors(await signUpDurably(), await markedArchives(12));
try {
  let server = await startProcess(dataDir, ["--log", "off"]);
  for (let instant = 1; instant <= instants; instant++) {
    const cut = newImage();
    complaints.push(
      ...(await killWhileWorking(server, actors, Math.random() * LONGEST, () =>
        copyOfInstant(server.process.pid, cut),
      )),
    );
    await changeDisk(cut);
    server = await startProcess(dataDir, ["--log", "off"]);
    slowestStart = Math.max(slowestStart, server.startedIn);
    for (const actor of actors) {
      if (actor.pending) interrupted++;
      const complaint = actor.settle(await observe(server, actor.token, actor.site));
      if (complaint) complaints.push(`instant ${instant}: ${complaint}`);
    }
    if (instant % 10 === 0) {
      complaints.push(...(await verifyComplaints(dataDir)));
      console.error(`${instant} instants, ${complaints.length} complaints`);
    }
  }
  server.process.kill("SIGKILL");
  await server.process.exited;
} finally {
  await $`umount --lazy ${mountPoint}`.nothrow().quiet();
  rmSync(disk, { force: true });
}
const answered = actors.reduce((total, actor) => total + actor.answered, 0);
console.log(
  JSON.stringify({ instants, answered, interrupted, slowestStart: Math.round(slowestStart), complaints }, null, 2),
);
process.exit(complaints.length === 0 ? 0 : 1);

function newImage(): string {
  return `/dev/shm/vitrine-disk-${crypto.randomUUID()}`;
}

/** The account was made by a command that has ended: it must survive like everything that was answered. */
async function signUpDurably(): Promise<string> {
  return signUp(dataDir, "ada");
}

/**
 * Copies what has reached the disk. The process is held meanwhile, and a copy counts only if a second one is the same:
 * then the file system wrote nothing in between, and the copy is the state of an instant.
 */
async function copyOfInstant(pid: number, to: string): Promise<void> {
  process.kill(pid, "SIGSTOP");
  for (;;) {
    await $`cp --sparse=always ${disk} ${to}`;
    if ((await $`cmp -s ${disk} ${to}`.nothrow()).exitCode === 0) return;
  }
}

async function changeDisk(next: string): Promise<void> {
  await $`umount ${mountPoint}`;
  if (existsSync(disk)) rmSync(disk);
  disk = next;
  await $`mount -o loop ${disk} ${mountPoint}`;
}
