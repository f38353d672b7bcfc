// Tests install.sh in a fresh Debian: without systemd, with systemd that does not run (as in an image), and booted in a
// container with the hardened unit. It installs, deploys, upgrades, fails an upgrade, rolls back, crashes, uninstalls
// and purges.
//   node scripts/with-bun.mjs scripts/reliability/install-root.ts [FOLDER of the system; default: a new one]
// Needs root. Fetches about 100 MB from the Debian mirror in this machine's apt settings. A folder from an earlier run
// is used again.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import { executable, scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { installDebianPackages } from "../install-packages.ts";
import { type Boot, boot } from "./boot.ts";

const checkout = join(import.meta.dir, "..", "..");
const failures: string[] = [];
const figures: Record<string, string | number> = {};

await installDebianPackages({ debootstrap: "debootstrap", "systemd-container": "systemd-nspawn", curl: "curl" });
using folder = scratchFolder();
const root = process.argv[2] ?? join(folder.path, "root");
if (!existsSync(join(root, "etc/debian_version"))) await bootstrap();
await bringFiles();

await story("without systemd", withoutSystemd);
await story("with systemd that does not run", offline);
{
  await using machine = await boot(root);
  await story("booted", () => booted(machine));
}
console.log(JSON.stringify({ ...figures, failures }, null, 2));
process.exit(failures.length === 0 ? 0 : 1);

// --- the stories ---

/** Links all programs but systemctl, as on a system without systemd. */
async function withoutSystemd(): Promise<void> {
  const before = await filesOfRoot();
  const hiding = "mkdir /tmp/bin && ln -s /usr/bin/* /usr/sbin/* /tmp/bin && rm /tmp/bin/systemctl";
  const { status, text } = await inChroot(`${hiding} && PATH=/tmp/bin /opt/install.sh --binary /opt/one`);
  await inChroot("rm -r /tmp/bin");
  expect("it is refused", status === 1 && text.includes("there is no systemd here"), text);
  expect("nothing was changed", difference(before, await filesOfRoot()) === "", text);
}

async function offline(): Promise<void> {
  const before = await filesOfRoot();
  const bare = await inChroot("umount /proc && /opt/install.sh --binary /opt/one");
  expect("it says that /proc is missing", bare.status === 1 && bare.text.includes("mount -t proc"), bare.text);
  const installed = await inChroot("/opt/install.sh --binary /opt/one");
  expect("it says that nothing runs", installed.status === 0 && installed.text.includes("next boot"), installed.text);
  const enabled = await inChroot("systemctl is-enabled vitrine && stat -c '%a %U' /var/lib/vitrine");
  expect(
    "the service is enabled, the data the user's own",
    enabled.text.includes("enabled\n700 vitrine"),
    enabled.text,
  );
  for (const args of ["--upgrade --binary /opt/two", "--rollback", "--uninstall", "--uninstall --purge"]) {
    const { status, text } = await inChroot(`/opt/install.sh ${args}`);
    expect(args, status === 0, text);
  }
  const left = difference(before, await filesOfRoot());
  expect("nothing is left", left === "", left);
}

async function booted(machine: Boot): Promise<void> {
  const before = await filesOfRoot();
  await succeeds(machine, "install", "/opt/install.sh --binary /opt/one");
  await expectHealthy(machine, "installed");
  const verdict = await machine.run("systemd-analyze verify /etc/systemd/system/vitrine.service");
  expect("systemd-analyze verify has nothing to say", verdict.status === 0 && verdict.text === "", verdict.text);
  const exposure = await machine.run("systemd-analyze security --no-pager vitrine.service | tail -1");
  figures.exposure = exposure.text.replace(/^\W+/, "").trim();
  expect("the unit is well hardened", Number(/[\d.]+(?= OK)/.exec(exposure.text)) < 2, exposure.text);

  await succeeds(machine, "a user", `echo correct horse | ${operator("users add ada --password-stdin")}`);
  const { stdout: token } = await machine.run(operator("users session ada"));
  const client = `VITRINE_SERVER=http://localhost:8080 VITRINE_TOKEN=${token.trim()} vitrine`;
  await succeeds(machine, "a deployment", `${client} deploy /opt/site.zip --site demo`);
  await expectServed(machine, "deployed");

  const again = await succeeds(machine, "install again", "/opt/install.sh --binary /opt/one");
  expect("nothing changes", again.includes("is this very version already"), again);
  const upgrading = performance.now();
  await succeeds(machine, "upgrade", "/opt/install.sh --upgrade --binary /opt/two");
  figures.upgradeSeconds = Math.round((performance.now() - upgrading) / 100) / 10;
  await expectRunning(machine, "upgraded");
  const broken = await machine.run("/opt/install.sh --upgrade --binary /opt/broken");
  expect("an upgrade that does not get healthy is taken back", broken.status === 1, broken.text);
  await expectRunning(machine, "not upgraded");
  // The failed upgrade set the broken executable aside. The version before it must be given again.
  await succeeds(machine, "upgrade back", "/opt/install.sh --upgrade --binary /opt/one");
  await succeeds(machine, "rollback", "/opt/install.sh --rollback");
  await expectRunning(machine, "rolled back");

  await machine.run("systemctl kill --signal=KILL vitrine");
  await expectRunning(machine, "killed");
  await succeeds(machine, "uninstall", "/opt/install.sh --uninstall");
  const gone = await machine.run("systemctl is-active vitrine; ls /usr/local/bin; ls -A /var/lib/vitrine");
  expect("the data stays", gone.text.includes("inactive") && gone.text.includes("vitrine.db"), gone.text);
  await succeeds(machine, "install over the data", "/opt/install.sh --binary /opt/two");
  await expectRunning(machine, "installed again");
  await succeeds(machine, "purge", "/opt/install.sh --uninstall --purge");
  const left = difference(before, await filesOfRoot());
  expect("nothing is left", left === "", left);
  const user = await machine.run("id vitrine");
  expect("the user is gone", user.status !== 0, user.text);
}

// --- what is looked at ---

async function story(name: string, run: () => Promise<void>): Promise<void> {
  const [started, known] = [performance.now(), failures.length];
  await run();
  figures[`${name}, seconds`] = Math.round((performance.now() - started) / 1000);
  console.error(`${name}: ${failures.slice(known).join("\n") || "as promised"}`);
}

function expect(what: string, kept: boolean, words: string): void {
  if (!kept) failures.push(`${what}: ${words.trim().slice(0, 1000)}`);
}

async function succeeds(machine: Boot, what: string, command: string): Promise<string> {
  const { status, text } = await machine.run(command);
  expect(what, status === 0, text);
  return text;
}

/** The second version is to run. */
async function expectRunning(machine: Boot, when: string): Promise<void> {
  await expectHealthy(machine, when);
  await expectServed(machine, when);
  const { status } = await machine.run("cmp /usr/local/bin/vitrine /opt/two");
  expect(`${when}: it is the right executable`, status === 0, "two");
}

/** Allows ten seconds: the service starts within one, and systemd waits one before it restarts it. */
async function expectHealthy(machine: Boot, when: string): Promise<void> {
  const patience = "--retry 40 --retry-delay 0 --retry-max-time 10 --retry-all-errors --max-time 2";
  const { stdout } = await machine.visit(`-sS ${patience} http://localhost:8080/health`);
  if (stdout.includes('"ok"')) return;
  expect(`${when}: it is healthy`, false, (await machine.run("journalctl -u vitrine -n 20 --no-pager")).text);
}

async function expectServed(machine: Boot, when: string): Promise<void> {
  const { stdout } = await machine.visit("-s http://demo.localhost:8080/");
  expect(`${when}: the site is served`, stdout === "<h1>demo</h1>", stdout);
}

/** Runs the operator's commands as the service's user, as the guide says. */
function operator(command: string): string {
  return `runuser -u vitrine -- vitrine ${command} --data-dir /var/lib/vitrine`;
}

// --- the root ---

async function bootstrap(): Promise<void> {
  const targets =
    await $`apt-get indextargets --format ${"$(REPO_URI) $(CODENAME) $(LABEL)"} ${"Identifier: Packages"}`.text();
  const [, mirror, suite] = /^(\S+) ([a-z]+) Debian$/m.exec(targets) ?? [];
  if (!mirror || !suite) throw new Error(`apt knows no mirror of Debian:\n${targets}`);
  console.error(`Bootstrapping Debian ${suite} ...`);
  const started = performance.now();
  await $`debootstrap --variant=minbase --include=systemd,systemd-sysv ${suite} ${root} ${mirror}`.quiet();
  figures["debootstrap, seconds"] = Math.round((performance.now() - started) / 1000);
}

/** Copies two different executables, one that does not serve, the installer and a site into the system. */
async function bringFiles(): Promise<void> {
  const to = join(root, "opt");
  await $`cp ${await executable()} ${to}/one && cp ${join(checkout, "install.sh")} ${to}/install.sh`;
  await $`${process.execPath} scripts/build.ts --commit=next --outfile=${to}/two`.cwd(checkout).quiet();
  await Bun.write(`${to}/broken`, "#!/bin/sh\n[ $1 = version ] && echo 9.9.9 || exit 1\n");
  await $`chmod 755 ${to}/broken`;
  await Bun.write(`${to}/site.zip`, await zipOf({ "index.html": "<h1>demo</h1>" }));
}

async function inChroot(command: string): Promise<{ status: number; text: string }> {
  const mounts = ["unshare", "--mount", "--pid", "--fork", `--mount-proc=${root}/proc`];
  const { exitCode, stdout, stderr } = await $`${mounts} chroot ${root} sh -c ${command}`.nothrow().quiet();
  return { status: exitCode, text: `${stdout}${stderr}` };
}

/** Lists the files of the system, without those that the system itself changes while it runs. */
async function filesOfRoot(): Promise<readonly string[]> {
  const listed = await $`find etc usr home srv`.cwd(root).text();
  const data = existsSync(join(root, "var/lib/vitrine")) ? ["var/lib/vitrine"] : [];
  const own = (name: string) =>
    !/^etc\/(\.pwd\.lock|(passwd|group|shadow|gshadow|subuid|subgid)-?|machine-id|\.updated|hostname)$/.test(name);
  return [...listed.split("\n").filter(own), ...data].sort();
}

function difference(before: readonly string[], after: readonly string[]): string {
  const more = after.filter((name) => !before.includes(name)).map((name) => `+${name}`);
  const less = before.filter((name) => !after.includes(name)).map((name) => `-${name}`);
  return [...more, ...less].join(" ");
}
