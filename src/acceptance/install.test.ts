import { expect } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { localhostCertificate } from "../clients/x509/testing/localhost-certificate.ts";
import { needing } from "../testing/needing.ts";
import { scratchFolder } from "./testing/executable.ts";
import { machineIn, pathWithout, runInstaller, writeProgram } from "./testing/installing.ts";

// The installer works below a temporary root, without creating a user or starting a service, or on a simulated machine
// (testing/installing.ts). It installs a small script that responds like the program.

const { afterAll, beforeAll, test } = needing("linux");

const INSTALLER = join(import.meta.dir, "..", "..", "install.sh");
const folder = scratchFolder();
afterAll(() => folder[Symbol.dispose]());

const root = join(folder.path, "root");
const installed = join(root, "usr/local/bin/vitrine");
const settings = join(root, "etc/vitrine/vitrine.toml");
const unitFile = join(root, "etc/systemd/system/vitrine.service");
const dataDir = join(root, "var/lib/vitrine");

function install(...args: string[]) {
  return runInstaller(["--root", root, ...args]);
}

/** The name of a release's executable for this machine. */
async function releaseName(): Promise<string> {
  const musl = (await Bun.$`ldd --version 2>&1`.nothrow().text()).includes("musl") ? "-musl" : "";
  return `vitrine-linux-${process.arch === "arm64" ? "arm64" : "x64"}${musl}`;
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
  one = writeProgram(join(folder.path, "vitrine-1.0.0"), "1.0.0");
  two = writeProgram(join(folder.path, "vitrine-2.0.0"), "2.0.0");
});

test("a dry run prints the actions and changes nothing", async () => {
  const { status, stderr } = await install("--binary", one, "--dry-run");
  expect(status).toBe(0);
  expect(stderr).toContain("would write");
  expect(stderr).toEndWith("A dry run: nothing was changed.\n");
  expect(snapshot()).toEqual({});
});

test("a dry run of a build says that it would build", async () => {
  const { status, stderr } = await install("--build", "--dry-run");
  expect([status, stderr]).toEqual([0, expect.stringContaining("would run: npm run build\n")]);
  expect(snapshot()).toEqual({});
});

test("an executable with another checksum is refused, and nothing is installed", async () => {
  const { status, stderr } = await install("--binary", one, "--sha256", "0".repeat(64));
  expect([status, stderr]).toEqual([1, expect.stringContaining(`instead of ${"0".repeat(64)}`)]);
  writeFileSync(`${one}.sha256`, `${"1".repeat(64)}  vitrine\n`);
  expect((await install("--binary", one)).status).toBe(1);
  expect(snapshot()).toEqual({});
});

test("it installs program, settings, unit, kernel settings, and a private data folder", async () => {
  writeFileSync(`${one}.sha256`, `${sha256(one)}  vitrine\n`);
  expect((await install("--binary", one)).status).toBe(0);
  expect(readFileSync(installed)).toEqual(readFileSync(one));
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(settings).mode & 0o777).toBe(0o640);
  const unit = readFileSync(unitFile, "utf8");
  for (const line of ["Type=notify", "WatchdogSec=60", "NoNewPrivileges=yes"]) expect(unit).toContain(`\n${line}\n`);
  expect(readFileSync(join(root, "etc/sysctl.d/60-vitrine.conf"), "utf8")).toContain("net.ipv4.tcp_migrate_req = 1");
});

test("a second run changes nothing, and edited settings stay", async () => {
  writeFileSync(settings, 'data-dir = "/var/lib/vitrine"\nworkers = 2\n');
  const before = snapshot();
  const { status, stderr } = await install("--binary", one);
  expect([status, stderr]).toEqual([0, expect.stringContaining("is this very version already")]);
  expect(snapshot()).toEqual(before);
  expect(readFileSync(settings, "utf8")).toContain("workers = 2");
});

test("an upgrade keeps the previous version, and a rollback restores it with its unit", async () => {
  const unit = readFileSync(unitFile, "utf8");
  writeFileSync(unitFile, "the unit of version one\n");
  expect((await install("--upgrade", "--binary", two)).stderr).toContain("Upgraded to 2.0.0.");
  expect([readFileSync(installed), readFileSync(unitFile, "utf8")]).toEqual([readFileSync(two), unit]);
  expect((await install("--rollback")).stderr).toContain("Back at 1.0.0.");
  expect(readFileSync(installed)).toEqual(readFileSync(one));
  expect(readFileSync(unitFile, "utf8")).toBe("the unit of version one\n");
});

test("a release is downloaded for this machine and checked against its checksums", async () => {
  const release = join(folder.path, "release");
  mkdirSync(release);
  const name = await releaseName();
  await Bun.$`cp ${two} ${join(release, name)}`;
  writeFileSync(join(release, "SHA256SUMS"), `${"0".repeat(64)}  ${name}\n`);
  await using servers = await serveRelease((path) => new Response(Bun.file(join(release, path))));
  const upgrade = (...flags: string[]) => runInstaller(["--root", root, "--upgrade", ...flags], { env: servers.env });
  const from = ["--from", servers.https];
  expect(await upgrade(...from)).toEqual({ status: 1, stderr: expect.stringContaining("it is damaged") });
  writeFileSync(join(release, "SHA256SUMS"), `${sha256(two).toUpperCase()}  ${name}\n`);
  expect((await upgrade(...from)).status).toBe(0);
  expect(readFileSync(installed)).toEqual(readFileSync(two));
});

/** Serves a release over HTTP and HTTPS. With `env`, the installer trusts the certificate. */
async function serveRelease(respond: (path: string) => Response) {
  const { cert, key, rootFile } = await localhostCertificate(folder.path);
  const fetch = (request: Request) => respond(new URL(request.url).pathname);
  const http = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const https = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, tls: { cert, key } });
  const wgetrc = join(folder.path, "wgetrc");
  writeFileSync(wgetrc, `ca_certificate = ${rootFile}\n`);
  const env = { ...process.env, CURL_CA_BUNDLE: rootFile, WGETRC: wgetrc };
  return {
    http: `http://127.0.0.1:${http.port}/`,
    https: `https://localhost:${https.port}/`,
    env,
    async [Symbol.asyncDispose]() {
      await Promise.all([http.stop(true), https.stop(true)]);
    },
  };
}

needing("linux", "curl", "wget").test(
  "a release over plain HTTP needs --sha256, also after a redirect, with curl and wget",
  async () => {
    const name = await releaseName();
    const digest = sha256(two);
    const parts: Record<string, () => Response> = {
      [`/${name}`]: () => new Response(Bun.file(two)),
      "/SHA256SUMS": () => new Response(`${digest}  ${name}\n`),
    };
    await using servers = await serveRelease((path) => {
      const part = path.replace("/away/", "/");
      return path === part
        ? (parts[part]?.() ?? new Response("", { status: 404 }))
        : Response.redirect(servers.http + part.slice(1));
    });
    for (const [program, other] of [
      ["curl", "wget"],
      ["wget", "curl"],
    ] as const) {
      const env = { ...servers.env, PATH: pathWithout(other, join(folder.path, `without-${other}`)) };
      const from = (url: string, ...more: string[]) =>
        runInstaller(["--root", root, "--upgrade", "--dry-run", "--from", url, ...more], { env });
      const unsafe = { status: 2, stderr: expect.stringContaining("give an https: URL, or also --sha256 HEX") };
      const redirected = { status: 1, stderr: expect.stringContaining(`cannot download ${servers.https}away/`) };
      expect([program, await from(servers.http)]).toEqual([program, unsafe]);
      expect([program, await from(`${servers.https}away`)]).toEqual([program, redirected]);
      for (const url of [servers.http, `${servers.https}away`]) {
        expect([program, await from(url, "--sha256", digest)]).toMatchObject([program, { status: 0 }]);
      }
    }
  },
);

test.each(["077", "000"])("under umask %s all modes are the same", async (umask) => {
  const other = join(folder.path, `root-${umask}`);
  mkdirSync(other);
  expect((await runInstaller(["--root", other, "--binary", one], { umask })).status).toBe(0);
  expect((await runInstaller(["--root", other, "--upgrade", "--binary", two], { umask })).status).toBe(0);
  const names = readdirSync(other, { recursive: true, encoding: "utf8" }).sort();
  const mode = (name: string) => (statSync(join(other, name)).mode & 0o777).toString(8);
  expect(Object.fromEntries(names.map((name) => [name, mode(name)]))).toEqual({
    etc: "755",
    "etc/sysctl.d": "755",
    "etc/sysctl.d/60-vitrine.conf": "644",
    "etc/systemd": "755",
    "etc/systemd/system": "755",
    "etc/systemd/system/vitrine.service": "644",
    "etc/systemd/system/vitrine.service.previous": "644",
    "etc/vitrine": "755",
    "etc/vitrine/vitrine.toml": "640",
    usr: "755",
    "usr/local": "755",
    "usr/local/bin": "755",
    "usr/local/bin/vitrine": "755",
    "usr/local/bin/vitrine.previous": "755",
    var: "755",
    "var/lib": "755",
    "var/lib/vitrine": "700",
  });
});

test("a settings folder that only root could enter is opened, and its file stays private", async () => {
  chmodSync(join(root, "etc/vitrine"), 0o700);
  expect((await install("--binary", two)).stderr).toContain("chown root:vitrine");
  expect(statSync(join(root, "etc/vitrine")).mode & 0o777).toBe(0o755);
  expect(statSync(settings).mode & 0o777).toBe(0o640);
});

test.each([
  ["a sum that is wrong", 1, "0".repeat(64), []],
  ["an executable that does not run", 1, "", []],
  ["a dry run", 0, "", ["--dry-run"]],
  ["an installation", 0, "", []],
])("no downloaded file stays after %s", async (why, status, sum, flags) => {
  const release = join(folder.path, `release: ${why}`);
  const temporary = join(folder.path, `temporary: ${why}`);
  for (const made of [release, temporary]) mkdirSync(made);
  const name = await releaseName();
  const file = writeProgram(join(release, name), why.includes("does not run") ? "; exit 1" : "2.0.0");
  writeFileSync(join(release, "SHA256SUMS"), `${sum || sha256(file)}  ${name}\n`);
  const from = ["--root", root, "--upgrade", "--from", `file://${encodeURI(release)}`, ...flags];
  const ended = await runInstaller(from, { env: { ...process.env, TMPDIR: temporary } });
  expect([ended.status, readdirSync(temporary)]).toEqual([status, []]);
});

test("no downloaded file stays after a signal", async () => {
  const temporary = join(folder.path, "temporary: ended");
  mkdirSync(temporary);
  const requested = Promise.withResolvers<void>();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      requested.resolve();
      return new Promise<Response>(() => {});
    },
  });
  // As a terminal does: the signal goes to the whole foreground process group.
  const from = ["--from", server.url.href, "--sha256", sha256(two)];
  const command = ["setsid", "sh", INSTALLER, "--root", root, "--upgrade", ...from];
  const child = Bun.spawn(command, { stderr: "ignore", env: { ...process.env, TMPDIR: temporary } });
  await requested.promise;
  expect(readdirSync(temporary)).toHaveLength(1);
  process.kill(-child.pid, "SIGTERM");
  expect([await child.exited, readdirSync(temporary)]).toEqual([143, []]);
});

test("uninstall keeps data and settings, unless they are purged", async () => {
  writeFileSync(join(dataDir, "vitrine.db"), "precious");
  expect((await install("--uninstall")).stderr).toContain("Kept:");
  expect(existsSync(installed)).toBe(false);
  expect(readFileSync(join(dataDir, "vitrine.db"), "utf8")).toBe("precious");
  expect((await install("--uninstall", "--purge")).status).toBe(0);
  expect([existsSync(dataDir), existsSync(settings)]).toEqual([false, false]);
});

// --- with a service that runs ---

const machine = machineIn(join(folder.path, "machine"));
const running = () => readFileSync(machine.at("usr/local/bin/vitrine"));
const aside = machine.at("var/lib/vitrine/vitrine.db.before-5");
/** Sets a database aside when it starts, as an upgrade does, and does not become healthy. */
const migrating = { serve: `echo old >'${aside}'`, healthy: "false" };
/** Refuses a database that was changed. */
const refusing = { healthy: `[ ! -e '${aside}' ]` };

function program(name: string, version: string, habits = {}): string {
  return writeProgram(join(folder.path, name), version, habits);
}

test("a first installation starts the service, and a second one does not restart it", async () => {
  machine.renew();
  for (const _ of ["first", "again"]) expect((await machine.install("--binary", one)).status).toBe(0);
  expect(machine.systemctlCalls()).toContain("enable --now vitrine.service");
  expect(machine.systemctlCalls()).not.toContain("restart vitrine.service");
});

test("the installation of another version restarts the service and says so", async () => {
  machine.renew();
  await machine.install("--binary", one);
  const dry = await machine.install("--binary", two, "--dry-run");
  expect(dry.stderr).toContain("would run: systemctl restart vitrine.service");
  expect(machine.systemctlCalls()).not.toContain("restart vitrine.service");
  const { status, stderr } = await machine.install("--binary", two);
  expect([status, stderr]).toEqual([0, expect.stringContaining("The service was restarted, and it is healthy.")]);
  expect(stderr).toContain("Installed 2.0.0.");
  expect(machine.systemctlCalls()).toContain("restart vitrine.service");
});

test("another version that does not become healthy is rolled back", async () => {
  machine.renew();
  await machine.install("--binary", one);
  const { status, stderr } = await machine.install("--binary", program("ill", "3.0.0", { healthy: "false" }));
  expect([status, stderr]).toEqual([1, expect.stringContaining("Restoring the old one")]);
  expect(running()).toEqual(readFileSync(one));
});

test.each([["--upgrade"], []])("a service that is not enabled keeps running, with a message: %p", async (...flags) => {
  machine.renew();
  await machine.install("--binary", one);
  const { stderr } = await machine.install(...flags, "--binary", two, "--no-start");
  expect(stderr).toContain("A running service keeps the previous version until: systemctl restart vitrine");
  expect(machine.systemctlCalls()).not.toContain("restart vitrine.service");
});

test("an upgrade that does not become healthy is rolled back", async () => {
  machine.renew();
  await machine.install("--binary", one);
  const { status, stderr } = await machine.install(
    "--upgrade",
    "--binary",
    program("ill", "3.0.0", { healthy: "false" }),
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining("Restoring the old one")]);
  expect(stderr).not.toContain("vitrine.db");
  expect(running()).toEqual(readFileSync(one));
});

test("an upgrade to the same version rolls nothing back, even if it is unhealthy", async () => {
  machine.renew();
  const ill = program("ill-already", "3.0.0", { healthy: `[ ! -e '${machine.at("ill")}' ]` });
  await machine.install("--binary", ill);
  writeFileSync(machine.at("ill"), "");
  const words = [1, expect.stringMatching(/version was already installed.*\n.*journalctl -u vitrine/)];
  const without = await machine.install("--upgrade", "--binary", ill);
  expect([without.status, without.stderr]).toEqual(words);
  writeProgram(machine.at("usr/local/bin/vitrine.previous"), "1.0.0");
  const withPrevious = await machine.install("--upgrade", "--binary", ill);
  expect([withPrevious.status, withPrevious.stderr]).toEqual(words);
  expect(running()).toEqual(readFileSync(ill));
});

test("if the old version refuses the changed database, the message names the copy that was set aside", async () => {
  machine.renew();
  const old = program("refusing", "1.0.0", refusing);
  await machine.install("--binary", old);
  writeFileSync(machine.at("var/lib/vitrine/vitrine.db.before-3"), "of an upgrade long ago");
  utimesSync(machine.at("var/lib/vitrine/vitrine.db.before-3"), 1, 1);
  const { status, stderr } = await machine.install("--upgrade", "--binary", program("migrating", "2.0.0", migrating));
  expect([status, stderr]).toEqual([1, expect.stringContaining("the old version is not healthy either")]);
  expect(stderr).toContain(`copy ${aside} to vitrine.db`);
  expect(stderr).not.toContain("before-3");
  expect(running()).toEqual(readFileSync(old));
});

test("a rollback with a changed database names the copy that was set aside", async () => {
  machine.renew();
  await machine.install("--binary", program("refusing", "1.0.0", refusing));
  const changing = program("changing", "2.0.0", { serve: migrating.serve });
  expect((await machine.install("--upgrade", "--binary", changing)).status).toBe(0);
  const { status, stderr } = await machine.install("--rollback");
  expect([status, stderr]).toEqual([1, expect.stringContaining(`copy ${aside} to vitrine.db`)]);
});

test.each([
  [["--nonsense"], 2, "unknown option: --nonsense"],
  [[], 2, "give one of --build, --binary and --from"],
  [["--binary"], 2, "--binary needs a value"],
  [["--binary", "/nowhere/vitrine"], 1, "there is no /nowhere/vitrine"],
  [["--binary", INSTALLER.replace("install.sh", "README.md")], 1, "is not executable"],
  [["--upgrade", "--build"], 1, "install it first"],
  [["--rollback"], 1, "nothing was upgraded"],
  [["--purge", "--build"], 2, "--purge needs --uninstall"],
  [["--build", "--binary", "vitrine"], 2, "give one of --build, --binary and --from"],
  [["--from", "https://pages.example.org", "--build"], 2, "give one of --build, --binary and --from"],
  [["--upgrade", "--rollback"], 2, "give one of --upgrade, --rollback and --uninstall"],
  [["--uninstall", "--upgrade", "--build"], 2, "give one of --upgrade, --rollback and --uninstall"],
  [["--binary", ""], 2, "--binary needs a value"],
  [["--from", ""], 2, "--from needs a value"],
  [["--build", "--sha256", ""], 2, "--sha256 needs a value"],
  [["--from", "ftp://pages.example.org"], 2, "give an https: URL, or also --sha256 HEX of the executable"],
  [["--from", "pages.example.org/https://x"], 2, "give an https: URL, or also --sha256 HEX of the executable"],
])("%p exits with %d and prints %s", async (args, status, words) => {
  const ended = await install(...args);
  expect(ended.status).toBe(status);
  expect(ended.stderr).toContain(words);
});

// On the simulated machine, so that these cases never touch the real one.
test.each([
  ["", "--root needs a value"],
  ["/", "--root / is this machine itself: omit --root, or name another folder"],
  ["//", "--root // is this machine itself"],
  ["/usr/..", "--root /usr/.. is this machine itself"],
])("--root '%s' is a usage error, and nothing is removed", async (where, words) => {
  machine.renew();
  await machine.install("--binary", one);
  const { status, stderr } = await machine.install("--root", where, "--uninstall", "--purge");
  expect([status, stderr]).toEqual([2, expect.stringContaining(`install.sh: ${words}`)]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect([existsSync(machine.at("var/lib/vitrine")), running()]).toEqual([true, readFileSync(one)]);
});

test("a file in the current folder is used, not a program of the same name on PATH", async () => {
  machine.renew();
  writeProgram(join(folder.path, "vit"), "4.0.1");
  expect((await machine.installIn(folder.path, "--binary", "vit")).stderr).toContain("Installed 4.0.1");
  writeProgram(join(folder.path, "true"), "5.0.0; exit 1");
  const broken = await machine.installIn(folder.path, "--upgrade", "--binary", "true");
  expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining("./true does not run on this machine")]);
});

test("a checksum may be upper-case, on the command line and beside the executable", async () => {
  machine.renew();
  const file = program("summed", "1.0.0");
  const sum = sha256(file).toUpperCase();
  writeFileSync(`${file}.sha256`, `${sum}  summed\n`);
  expect(await machine.install("--binary", file, "--sha256", sum)).toMatchObject({ status: 0 });
});

needing("shellcheck").test("ShellCheck finds no problems in the script", async () => {
  const { exitCode, stdout } = await Bun.$`shellcheck -s sh ${INSTALLER}`.nothrow().quiet();
  expect([exitCode, stdout.toString()]).toEqual([0, ""]);
});
