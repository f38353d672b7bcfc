// Takes backups while four users each change a site. Restores every backup, and compares it with the responses between
// its beginning and its end.
//   node scripts/with-bun.mjs scripts/reliability/backups.ts [BACKUPS; default 20]
import { type Actor, sameState } from "../../src/acceptance/testing/actor.ts";
import { run, scratchFolder, signUp, startProcess } from "../../src/acceptance/testing/executable.ts";
import { fourActors, markedArchives, observe, verifyComplaints } from "../../src/acceptance/testing/kill.ts";

const backups = Number(process.argv[2] ?? 20);
using folder = scratchFolder();
const dataDir = `${folder.path}/data`;
const actors = fourActors(await signUp(dataDir, "ada"), await markedArchives(12));
const failures: string[] = [];
let [slowest, largest] = [0, 0];
const began = performance.now();

const server = await startProcess(dataDir, ["--log", "off"]);
let stopped = false;
const working = actors.map((actor) => actor.work(server, () => stopped));

for (let backup = 1; backup <= backups; backup++) {
  // Every second backup uses the folder of the one before.
  const destination = `${folder.path}/${backup % 2 ? `backup-${backup}.tar.zst` : "backups/"}`;
  for (const actor of actors) actor.forget();
  const started = performance.now();
  const made = await run(["backup", destination, "--data-dir", dataDir]);
  slowest = Math.max(slowest, performance.now() - started);
  // A change in progress at the end of the backup may be part of it. Its response comes a moment later.
  const after = actors.map((actor) => actor.history.length);
  if (made.status !== 0) failures.push(`backup ${backup}: ${made.stderr}`);
  for (const [index, actor] of actors.entries()) while (actor.history.length <= (after[index] ?? 0)) await Bun.sleep(5);

  const restored = `${folder.path}/restored-${backup}`;
  const put = await run(["restore", destination, "--data-dir", restored]);
  if (put.status !== 0) failures.push(`restore ${backup}: ${put.stderr}`);
  failures.push(...(await verifyComplaints(restored)));
  const other = await startProcess(restored, ["--log", "off"]);
  for (const [index, actor] of actors.entries()) {
    const found = await observe(other, actor.token, actor.site);
    const possible = actor.history.slice(0, (after[index] ?? 0) + 1);
    if (!possible.some((state) => sameState(state, found)))
      failures.push(`backup ${backup}: ${actor.site} is of no moment of it`);
  }
  await other.end("SIGKILL");
  await Bun.$`rm -rf ${restored}`;
  largest = Math.max(largest, process.memoryUsage.rss());
  console.error(`${backup} backups, ${failures.length} failures`);
}
stopped = true;
await Promise.all(working);
await server.end("SIGTERM");
const answered = actors.reduce((total: number, actor: Actor) => total + actor.answered, 0);
const seconds = Math.round((performance.now() - began) / 1000);
const megabytes = Math.round(largest / 1e6);
console.log(JSON.stringify({ backups, answered, slowest: Math.round(slowest), seconds, megabytes, failures }, null, 2));
process.exit(failures.length === 0 ? 0 : 1);
