import { expect } from "bun:test";
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { selfSigned } from "../clients/http/testing/self-signed.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { needing } from "../testing/needing.ts";
import { publicExecutable, run, scratchFolder } from "./testing/executable.ts";

const { afterEach, beforeEach, describe, test } = needing("another user");

// Root runs the operator's commands on a data folder that belongs to the service's user.

const SERVICE = 65534;

let folder: ReturnType<typeof scratchFolder>;
let dataDir: string;

beforeEach(() => {
  folder = scratchFolder();
  chmodSync(folder.path, 0o755);
  dataDir = join(folder.path, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  chownSync(dataDir, SERVICE, SERVICE);
});
afterEach(() => folder[Symbol.dispose]());

const asRoot = (command: string, ...args: string[]) =>
  run([...command.split(" "), ...args, "--data-dir", dataDir], { env: { VITRINE_LISTEN: "127.0.0.1:0" } });

/** Creates the service's data folder. */
async function makeServicesFolder(): Promise<void> {
  await makeDataFolder(dataDir);
  await Bun.$`chown -R ${SERVICE}:${SERVICE} ${dataDir}`;
}

/** Returns the files below a folder that do not belong to the service's user. */
function foreignFiles(path: string): string[] {
  const below = lstatSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => foreignFiles(join(path, name)))
    : [];
  return lstatSync(path).uid === SERVICE ? below : [path, ...below];
}

/** Runs the server as the service's user. Returns its output once it serves or has failed. */
async function serveAsService(): Promise<string> {
  const child = spawn(
    await publicExecutable(),
    ["serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0", "--workers", "1"],
    {
      uid: SERVICE,
      gid: SERVICE,
      cwd: folder.path,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const said = await new Promise<string>((resolve) => child.stderr.once("data", (chunk) => resolve(String(chunk))));
  child.kill("SIGKILL");
  return said;
}

describe("root", () => {
  test("leaves only files that belong to the service's user", async () => {
    const file = join(folder.path, "backup.tar.zst");
    await makeServicesFolder();
    expect((await asRoot("doctor")).stdout).toMatch(/vitrine\.db is intact.*server: is not running/s);
    // To see whether a server runs, no lock file is created.
    expect(readdirSync(dataDir)).not.toContain("vitrine.lock");
    expect((await asRoot("users add eve")).status).toBe(0);
    expect((await asRoot("verify")).status).toBe(0);
    chmodSync(folder.path, 0o777);
    expect((await asRoot("backup", file)).status).toBe(0);
    expect(foreignFiles(dataDir)).toEqual([]);
    expect((await asRoot("restore", file, "--replace")).status).toBe(0);
    expect(foreignFiles(dataDir)).toEqual([]);
    expect(await serveAsService()).toStartWith("Vitrine is running at ");
  });

  test("restores a backup that only root can read", async () => {
    const file = join(folder.path, "backup.tar.zst");
    await makeServicesFolder();
    chmodSync(folder.path, 0o777);
    await asRoot("backup", file);
    chownSync(file, 0, 0);
    expect(await asRoot("restore", file, "--replace")).toMatchObject({ status: 0 });
  });

  test("learns which user cannot read the folder of the backup", async () => {
    const to = join(folder.path, "backup");
    await makeServicesFolder();
    mkdirSync(to);
    chownSync(to, SERVICE, SERVICE);
    expect((await asRoot("backup", to)).status).toBe(0);
    chownSync(to, 0, 0);
    chmodSync(to, 0o700);
    const source = `./${relative(process.cwd(), to)}/`;
    expect((await asRoot("restore", source, "--replace")).stderr).toBe(
      `error: ${source} cannot be read by uid ${SERVICE}, who runs this: it needs the right to all of ${source}\n`,
    );
    chmodSync(to, 0o755);
    chownSync(join(to, "backup.lock"), 0, 0);
    chmodSync(join(to, "backup.lock"), 0o600);
    expect((await asRoot("restore", source, "--replace")).stderr).toContain("backup.lock cannot be read by uid");
    chmodSync(join(to, "backup.lock"), 0o644);
    expect((await asRoot("restore", source, "--replace")).status).toBe(0);
  });

  test("has its own access to settings and certificates", async () => {
    const { cert, key } = await selfSigned("pages.localhost", "*.pages.localhost");
    const [settings, certFile, keyFile] = ["own.toml", "cert.pem", "key.pem"].map((name) =>
      join(folder.path, name),
    ) as [string, string, string];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o640 });
    writeFileSync(
      settings,
      `tls = "manual"\ntls-cert = "${certFile}"\ntls-key = "${keyFile}"\nbase-url = "https://pages.localhost"\n`,
      { mode: 0o640 },
    );
    await makeServicesFolder();
    chmodSync(folder.path, 0o777);
    const made = await asRoot("backup", join(folder.path, "with-settings.tar.zst"), "--config", settings);
    expect(made.stderr).toContain(`settings from ${settings}.`);
    const doctor = (await asRoot("doctor", "--config", settings)).stdout;
    expect(doctor).toContain(`certificate: ${certFile} expires in`);
    expect(doctor).toContain(`${keyFile} cannot be read by uid ${SERVICE}, the owner of the data folder`);
  });

  test("learns which user cannot write a backup to root's folder", async () => {
    await makeServicesFolder();
    const file = join(folder.path, "backup.tar.zst");
    expect((await asRoot("backup", file)).stderr).toBe(
      `error: ${file} cannot be written by uid ${SERVICE}, who runs this (EACCES)\n`,
    );
  });

  test("learns which content cannot be read", async () => {
    await makeServicesFolder();
    const closed = join(dataDir, "content", "ab");
    mkdirSync(closed, { recursive: true });
    await Bun.$`chown -R ${SERVICE}:${SERVICE} ${dataDir}`;
    chmodSync(closed, 0);
    const { status, stderr } = await asRoot("verify");
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: the content store cannot be read or written: check the data folder \(EACCES: /),
    ]);
    expect(stderr).toContain(`'${closed}')\n`);
  });

  test("does not change the owner of a file that the service's user linked to", async () => {
    const secret = join(folder.path, "secret");
    writeFileSync(secret, "of root", { mode: 0o600 });
    mkdirSync(join(folder.path, "private"), { mode: 0o700 });
    writeFileSync(join(folder.path, "private", "key"), "of root");
    await makeServicesFolder();
    symlinkSync(secret, join(dataDir, "link"));
    symlinkSync(join(folder.path, "private"), join(dataDir, "folder"));
    symlinkSync(join(folder.path, "planted.toml"), join(dataDir, "vitrine.toml"));
    expect((await asRoot("restore", join(folder.path, "no-backup"))).status).toBe(1);
    expect((await asRoot("restore", secret, "--replace")).status).toBe(1);
    expect(foreignFiles(join(folder.path, "private"))).toHaveLength(2);
    expect(lstatSync(secret).uid).toBe(0);
    expect(readFileSync(secret, "utf8")).toBe("of root");
  });
});

test("a lock file that the server cannot write stops the start, because it would not lock anything", async () => {
  writeFileSync(join(dataDir, "vitrine.lock"), "", { mode: 0o644 });
  expect(await serveAsService()).toBe(
    `error: ${join(dataDir, "vitrine.lock")} belongs to uid 0, and uid ${SERVICE}, which runs vitrine, cannot lock it: chown -R ${SERVICE} ${dataDir}\n`,
  );
});

test("a data folder of another user is refused with the command that fixes it", async () => {
  chownSync(dataDir, 4242, 4242);
  expect(await serveAsService()).toBe(
    `error: the data folder ${dataDir} cannot be written: it belongs to uid 4242, and vitrine runs as uid ${SERVICE}: run it as that user, or chown -R ${SERVICE} ${dataDir} (for a container, on the host: the folder that is mounted there)\n`,
  );
});
