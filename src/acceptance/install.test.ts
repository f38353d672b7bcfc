import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./testing/executable.ts";

// The installer works below a root of its own here: no user is made, no service is started, and what it would install
// is a small script that answers as the program does.

setDefaultTimeout(60_000);

const INSTALLER = join(import.meta.dir, "..", "..", "install.sh");
const folder = scratchFolder();
afterAll(() => folder[Symbol.dispose]());

const root = join(folder.path, "root");
const installed = join(root, "usr/local/bin/vitrine");
const settings = join(root, "etc/vitrine/vitrine.toml");
const unitFile = join(root, "etc/systemd/system/vitrine.service");
const dataDir = join(root, "var/lib/vitrine");

/** Writes an executable that says it is of this version. */
function programOf(version: string): string {
  const file = join(folder.path, `vitrine-${version}`);
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function install(...args: string[]) {
  const child = Bun.spawn(["sh", INSTALLER, "--root", root, ...args], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect(stdout).toBe("");
  return { stderr, status };
}

function sha256(file: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex");
}

/** Every file below the root with its content and mode. */
function snapshot(): Record<string, string> {
  if (!existsSync(root)) return {};
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const { mode, mtimeMs } = statSync(join(root, name));
      return [name, `${mode.toString(8)} ${mtimeMs}`];
    }),
  );
}

let one: string;
let two: string;
beforeAll(() => {
  mkdirSync(root);
  one = programOf("1.0.0");
  two = programOf("2.0.0");
});

test("a dry run says what it would do, and does nothing", async () => {
  const { status, stderr } = await install("--binary", one, "--dry-run");
  expect(status).toBe(0);
  expect(stderr).toContain("would write");
  expect(stderr).toEndWith("A dry run: nothing was changed.\n");
  expect(snapshot()).toEqual({});
});

test("an executable with another sum is refused, and nothing is installed", async () => {
  const { status, stderr } = await install("--binary", one, "--sha256", "0".repeat(64));
  expect([status, stderr]).toEqual([1, expect.stringContaining(`instead of ${"0".repeat(64)}`)]);
  writeFileSync(`${one}.sha256`, `${"1".repeat(64)}  vitrine\n`);
  expect((await install("--binary", one)).status).toBe(1);
  expect(snapshot()).toEqual({});
});

test("it installs program, settings, unit and kernel settings, the data folder for its owner alone", async () => {
  writeFileSync(`${one}.sha256`, `${sha256(one)}  vitrine\n`);
  expect((await install("--binary", one)).status).toBe(0);
  expect(readFileSync(installed)).toEqual(readFileSync(one));
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(settings).mode & 0o777).toBe(0o640);
  const unit = readFileSync(unitFile, "utf8");
  for (const line of ["Type=notify", "WatchdogSec=60", "NoNewPrivileges=yes"]) expect(unit).toContain(`\n${line}\n`);
  expect(readFileSync(join(root, "etc/sysctl.d/60-vitrine.conf"), "utf8")).toContain("net.ipv4.tcp_migrate_req = 1");
});

test("a second time nothing changes, and settings that were edited stay", async () => {
  writeFileSync(settings, 'data-dir = "/var/lib/vitrine"\nworkers = 2\n');
  const before = snapshot();
  const { status, stderr } = await install("--binary", one);
  expect([status, stderr]).toEqual([0, expect.stringContaining("is this very version already")]);
  expect(snapshot()).toEqual(before);
  expect(readFileSync(settings, "utf8")).toContain("workers = 2");
});

test("an upgrade keeps the version before, and a rollback brings it back with its unit", async () => {
  const unit = readFileSync(unitFile, "utf8");
  writeFileSync(unitFile, "the unit of version one\n");
  expect((await install("--upgrade", "--binary", two)).stderr).toContain("Upgraded to 2.0.0.");
  expect([readFileSync(installed), readFileSync(unitFile, "utf8")]).toEqual([readFileSync(two), unit]);
  expect((await install("--rollback")).stderr).toContain("Back at 1.0.0.");
  expect(readFileSync(installed)).toEqual(readFileSync(one));
  expect(readFileSync(unitFile, "utf8")).toBe("the unit of version one\n");
});

test("a release is downloaded for this machine and checked against its sums", async () => {
  const release = join(folder.path, "release");
  mkdirSync(release);
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const musl = (await Bun.$`ldd --version 2>&1`.nothrow().text()).includes("musl") ? "-musl" : "";
  const name = `vitrine-linux-${arch}${musl}`;
  await Bun.$`cp ${two} ${join(release, name)}`;
  writeFileSync(join(release, "SHA256SUMS"), `${"0".repeat(64)}  ${name}\n`);
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => new Response(Bun.file(join(release, new URL(request.url).pathname))),
  });
  const from = ["--upgrade", "--from", server.url.href];
  expect(await install(...from)).toEqual({ status: 1, stderr: expect.stringContaining("it is damaged") });
  writeFileSync(join(release, "SHA256SUMS"), `${sha256(two)}  ${name}\n`);
  expect((await install(...from)).status).toBe(0);
  expect(readFileSync(installed)).toEqual(readFileSync(two));
});

test("it goes and leaves data and settings, unless they are to go too", async () => {
  writeFileSync(join(dataDir, "vitrine.db"), "precious");
  expect((await install("--uninstall")).stderr).toContain("Kept:");
  expect(existsSync(installed)).toBe(false);
  expect(readFileSync(join(dataDir, "vitrine.db"), "utf8")).toBe("precious");
  expect((await install("--uninstall", "--purge")).status).toBe(0);
  expect([existsSync(dataDir), existsSync(settings)]).toEqual([false, false]);
});

test.each([
  [["--nonsense"], 2, "unknown option: --nonsense"],
  [[], 2, "say where the executable comes from"],
  [["--binary"], 2, "--binary needs a value"],
  [["--binary", "/nowhere/vitrine"], 1, "there is no /nowhere/vitrine"],
  [["--binary", INSTALLER.replace("install.sh", "README.md")], 1, "is not executable"],
  [["--upgrade", "--build"], 1, "install it first"],
  [["--rollback"], 1, "nothing was upgraded"],
  [["--purge", "--build"], 2, "--purge goes with --uninstall"],
])("%p ends with %d and says %s", async (args, status, words) => {
  const ended = await install(...args);
  expect(ended.status).toBe(status);
  expect(ended.stderr).toContain(words);
});

test("the script is free of what ShellCheck finds", async () => {
  const { exitCode, stdout } = await Bun.$`shellcheck -s sh ${INSTALLER}`.nothrow().quiet();
  expect([exitCode, stdout.toString()]).toEqual([0, ""]);
});
