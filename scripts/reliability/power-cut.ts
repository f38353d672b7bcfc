// Cuts the disk's power at random instants during deployments, activations and deletions. The data folder is on an ext4
// image, and only what has reached the image at that instant remains. Data in the file system's memory is lost, as in a
// real power cut.
//   node scripts/with-bun.mjs scripts/reliability/power-cut.ts [INSTANTS; default 100]
// Needs root for the mount, and 400 MB in /dev/shm.
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
const UNMOUNT_ATTEMPTS = 100;
const UNMOUNT_INTERVAL_MS = 50;

using folder = scratchFolder();
const mountPoint = `${folder.path}/disk`;
const dataDir = `${mountPoint}/data`;
mkdirSync(mountPoint);
let disk = newImage();
await $`truncate -s ${SIZE} ${disk} && mkfs.ext4 -q -F ${disk} && mount -o loop ${disk} ${mountPoint}`;

const failures: string[] = [];
let [interrupted, slowestStart] = [0, 0];
// The account was created by a command that has finished, so it must survive like every change that was confirmed.
const actors = fourActors(await signUp(dataDir, "ada"), await markedArchives(12));
try {
  let server = await startProcess(dataDir, ["--log", "off"]);
  for (let instant = 1; instant <= instants; instant++) {
    const cut = newImage();
    failures.push(
      ...(await killWhileWorking(server, actors, Math.random() * LONGEST, () =>
        copyOfInstant(server.process.pid, cut),
      )),
    );
    await changeDisk(cut);
    server = await startProcess(dataDir, ["--log", "off"]);
    slowestStart = Math.max(slowestStart, server.startedIn);
    for (const actor of actors) {
      if (actor.pending) interrupted++;
      const failure = actor.settle(await observe(server, actor.token, actor.site));
      if (failure) failures.push(`instant ${instant}: ${failure}`);
    }
    if (instant % 10 === 0) {
      failures.push(...(await verifyComplaints(dataDir)));
      console.error(`${instant} instants, ${failures.length} failures`);
    }
  }
  await server.end("SIGKILL");
} finally {
  await $`umount --lazy ${mountPoint}`.nothrow().quiet();
  rmSync(disk, { force: true });
}
const answered = actors.reduce((total, actor) => total + actor.answered, 0);
console.log(
  JSON.stringify({ instants, answered, interrupted, slowestStart: Math.round(slowestStart), failures }, null, 2),
);
process.exit(failures.length === 0 ? 0 : 1);

function newImage(): string {
  return `/dev/shm/vitrine-disk-${crypto.randomUUID()}`;
}

/** What the killed process has started may keep files open for a moment. */
async function unmount(): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    const { exitCode, stderr } = await $`umount ${mountPoint}`.nothrow().quiet();
    if (exitCode === 0) return;
    if (attempts === UNMOUNT_ATTEMPTS) throw new Error(stderr.toString());
    await Bun.sleep(UNMOUNT_INTERVAL_MS);
  }
}

/**
 * Copies what has reached the disk. The process is stopped meanwhile. A copy counts only if a second one is the same:
 * then the file system wrote nothing in between, and the copy is the state of one instant.
 */
async function copyOfInstant(pid: number, to: string): Promise<void> {
  process.kill(pid, "SIGSTOP");
  for (;;) {
    await $`cp --sparse=always ${disk} ${to}`;
    if ((await $`cmp -s ${disk} ${to}`.nothrow()).exitCode === 0) return;
  }
}

async function changeDisk(next: string): Promise<void> {
  await unmount();
  if (existsSync(disk)) rmSync(disk);
  disk = next;
  await $`mount -o loop ${disk} ${mountPoint}`;
}
