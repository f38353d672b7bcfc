// Repeats `npm test` where tests tend to break, two runs at a time, so that each has the load of the other:
//   user        a user without sudo, on tmpfs, with another language and time zone, a home that is not writable, and a
//               path with a space and an umlaut
//   overlay     a clone on overlayfs, with home and temporary files there too, every test demanded
//   disk        a clone with an empty home, on the disk of the temporary files, every test demanded
//   container   root without the right to mount, on overlayfs
//   node scripts/with-bun.mjs scripts/reliability/suite.ts [RUNS; default 4, one in each place]
// Needs root, 12 GiB of memory and 15 GB of disk. Two runs take a quarter of an hour on two cores. The container's image
// is docker.io/library/node:22-bookworm-slim.
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { homedir, loadavg } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { installDebianPackages } from "../install-packages.ts";
import { median } from "../statistics.ts";

interface Place {
  readonly name: string;
  /** The command that runs the tests. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const IMAGE = "docker.io/library/node:22-bookworm-slim";
const source = join(import.meta.dir, "..", "..");
const npmrc = join(homedir(), ".npmrc");
const nobody = { uid: 65_534, gid: 65_534 };
const runs = Number(process.argv[2] ?? 4);

await installDebianPackages({ buildah: "buildah" });
using folder = scratchFolder();
// Another user runs tests below it.
chmodSync(folder.path, 0o755);
const mounts: string[] = [];
const counts: string[] = [];
let failures = 0;
const loads: number[] = [];
const container = (await $`buildah from ${IMAGE}`.text()).trim();
try {
  const places = [await asUser(), await onOverlay(), await onDisk(), await inContainer()];
  const sampling = setInterval(() => loads.push(loadavg()[0] as number), 5000);
  for (let run = 0; run < runs; run += 2) {
    const pair = [0, 1].map((next) => places[(run + next) % places.length] as Place);
    await Promise.all(pair.slice(0, runs - run).map(runTests));
  }
  clearInterval(sampling);
} finally {
  for (const mount of mounts) await $`umount --lazy ${mount}`.nothrow().quiet();
  await $`buildah rm ${container}`.nothrow().quiet();
}
console.log(JSON.stringify({ runs, failures, medianLoad: median(loads), counts }, null, 2));
process.exit(failures === 0 ? 0 : 1);

/** Runs the tests in a place. Prints the count, and the whole output if a test failed. */
async function runTests({ name, command, cwd, env }: Place): Promise<void> {
  const started = performance.now();
  const { exitCode, stdout, stderr } = await $`${command}`
    .cwd(cwd)
    .env({ ...process.env, ...env })
    .quiet()
    .nothrow();
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const count = stdout.toString().trim().split("\n").at(-1);
  console.error(`${name}: ${count} in ${minutes} min`);
  counts.push(`${name}: ${count}`);
  if (exitCode === 0) return;
  failures++;
  console.error(stderr.toString());
}

// --- the places ---

async function onDisk(): Promise<Place> {
  const cwd = await cloneTo(join(folder.path, "disk", "checkout"));
  const env = { HOME: newFolder("disk", "home"), TMPDIR: newFolder("disk", "tmp") };
  return { name: "disk", command: ["bash", ".ci/run"], cwd, env };
}

async function onOverlay(): Promise<Place> {
  const [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map((name) => newFolder("overlay", name));
  await cloneTo(join(lower as string, "checkout"));
  await $`mount -t overlay overlay -o lowerdir=${lower},upperdir=${upper},workdir=${work} ${merged}`;
  mounts.push(merged as string);
  const env = { HOME: newFolder("overlay", "merged", "home"), TMPDIR: newFolder("overlay", "merged", "tmp") };
  return { name: "overlay", command: ["bash", ".ci/run"], cwd: join(merged as string, "checkout"), env };
}

async function asUser(): Promise<Place> {
  const disk = newFolder("tmpfs");
  await $`mount -t tmpfs -o size=12g,mode=755 tmpfs ${disk}`;
  mounts.push(disk);
  const cwd = await cloneTo(join(disk, "Ber lin ü", "checkout"));
  const [home, temporary] = [newFolder("home"), newFolder("tmpfs", "temporary files")];
  await $`chown -R ${nobody.uid}:${nobody.gid} ${disk}`;
  chownSync(home, nobody.uid, nobody.gid);
  chmodSync(home, 0o555);
  const user = ["setpriv", `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, "--clear-groups"];
  const locale = { LANG: "C", LC_ALL: undefined, TZ: "Pacific/Kiritimati" };
  const env = { ...locale, HOME: home, TMPDIR: temporary, USER: "nobody", LOGNAME: "nobody", CI: undefined };
  return { name: "user", command: [...user, "npm", "test", "--silent"], cwd, env };
}

/** The container uses this machine's npm registry. */
async function inContainer(): Promise<Place> {
  const checkout = await cloneTo(join(folder.path, "container"));
  await $`buildah copy ${container} ${checkout} /checkout`.quiet();
  const registry = existsSync(npmrc) ? ["--volume", `${npmrc}:/root/.npmrc:ro`] : [];
  const environment = ["--env", "HOME=/root", "--env", "NPM_CONFIG_USERCONFIG=/root/.npmrc"];
  const options = ["--network", "host", ...registry, ...environment, "--workingdir", "/checkout"];
  const command = ["buildah", "run", ...options, container, "--", "npm", "test", "--silent"];
  return { name: "container", command, cwd: folder.path, env: { BUILDAH_ISOLATION: "chroot" } };
}

async function cloneTo(checkout: string): Promise<string> {
  await $`git clone --quiet ${source} ${checkout}`;
  return checkout;
}

function newFolder(...path: readonly string[]): string {
  const created = join(folder.path, ...path);
  mkdirSync(created, { recursive: true });
  return created;
}
