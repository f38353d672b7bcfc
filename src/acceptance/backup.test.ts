import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type CliResult, runCli } from "../cli/testing/run-cli.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { acquireLock } from "../storage/sqlite/lock.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { executable, run, scratchFolder } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;
let token: string;
let folder: ReturnType<typeof scratchFolder>;

const noise = crypto.getRandomValues(new Uint8Array(1_200_000));

beforeAll(async () => {
  folder = scratchFolder();
  vitrine = await startTestServer();
  token = (await vitrine.signUp("ada")).token;
  await vitrine.deploy(token, await zipOf({ "index.html": "one", "shared.txt": "shared" }), { site: "demo" });
  await vitrine.deploy(token, await zipOf({ "index.html": "two", "shared.txt": "shared", "big.bin": noise }), {
    site: "demo",
  });
});
afterAll(async () => {
  await vitrine?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

// Only the first story starts the program for its commands, because that takes most of a command's CPU time.
const backup = (to: string, ...options: string[]) =>
  runCli(["backup", to, "--data-dir", vitrine.config.dataDir, ...options]);
const restore = (from: string, dataDir: string, ...options: string[]) =>
  runCli(["restore", from, "--data-dir", dataDir, ...options]);
const verify = (dataDir: string, ...options: string[]) => look(dataDir, "verify", ...options);

/**
 * Runs a command that reads a data folder. The end of its process would close the database with all its statements;
 * here the garbage collection does, and the next command may want to replace it.
 */
async function look(dataDir: string, ...words: string[]): Promise<CliResult> {
  const result = await runCli([...words, "--data-dir", dataDir]);
  for (Bun.gc(true); isOpen(join(dataDir, "vitrine.db")); Bun.gc(true)) await Bun.sleep(1);
  return result;
}

/** Returns whether this process has a file open, where the system tells. */
function isOpen(file: string): boolean {
  const descriptors = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : [];
  return descriptors.some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      return false;
    }
  });
}

/** Every file of the deployments in a data folder, and which deployments are live. */
function filesIn(dataDir: string): unknown[] {
  using db = new Database(join(dataDir, "vitrine.db"), { readonly: true });
  return db
    .query(
      `SELECT s.name, d.number, d.id = s.active_deployment_id, f.path, c.digest FROM deployment_files f
        JOIN deployments d ON d.id = f.deployment_id JOIN sites s ON s.id = d.site_id
        JOIN contents c ON c.id = f.content_id ORDER BY 1, 2, 4`,
    )
    .values();
}

/** Verifies that a restored data folder has the files of the backup, with their content. */
async function expectRestored(dataDir: string): Promise<void> {
  expect((await verify(dataDir)).status).toBe(0);
  const files = filesIn(dataDir);
  expect(files).toHaveLength(5);
  expect(files).toEqual(filesIn(vitrine.config.dataDir));
}

/** Starts a server on a restored data folder: it serves the content of the backup, and continues its numbers. */
async function expectServed(dataDir: string): Promise<void> {
  await using restored = await startTestServer({ "data-dir": dataDir });
  expect(await (await restored.visit("demo")).text()).toBe("two");
  expect(await (await restored.visit("1--demo")).text()).toBe("one");
  expect(Buffer.from(await (await restored.visit("demo", "/big.bin")).bytes()).equals(noise)).toBe(true);
  const deployed = await restored.deploy(token, await zipOf({ "index.html": "three" }), { site: "demo" });
  expect(((await deployed.json()) as { deployment_number: number }).deployment_number).toBe(3);
}

test("a single-file backup of a running server can be restored and served", async () => {
  const file = join(folder.path, "backup.tar.zst");
  const made = await run(["backup", file, "--data-dir", vitrine.config.dataDir, "--json"]);
  expect(made.status).toBe(0);
  expect(JSON.parse(made.stdout)).toMatchObject({
    sites: 1,
    deployments: 2,
    contents: 4,
    copied: 4,
    missing: [],
    damaged: [],
  });
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readdirSync(folder.path)).toEqual(["backup.tar.zst"]);

  const dataDir = join(folder.path, "restored");
  const restored = await run(["restore", file, "--data-dir", dataDir]);
  expect([restored.status, restored.stdout]).toEqual([0, ""]);
  await expectRestored(dataDir);
  await expectServed(dataDir);
});

test("the settings file is backed up from wherever it is, and restore prints its original path", async () => {
  const settings = join(folder.path, "etc.toml");
  const toml = `data-dir = "${vitrine.config.dataDir}"\nproxy-ranges = "ranges.txt"\n`;
  writeFileSync(join(folder.path, "ranges.txt"), "192.0.2.0/24");
  writeFileSync(settings, toml, { mode: 0o640 });
  const file = join(folder.path, "settings.tar.zst");
  const to = join(folder.path, "settings/");
  for (const [destination, options, env] of [
    [file, ["--config", settings], {}],
    [to, [], { VITRINE_CONFIG: settings }],
  ] as const) {
    const made = await runCli(["backup", destination, ...options], env);
    expect(made.stderr).toContain(`settings from ${settings}.`);
    const dataDir = `${destination.replace(/\W$/, "")}-restored`;
    const { stderr } = await restore(destination, dataDir);
    const restored = join(dataDir, "vitrine.toml");
    expect(stderr).toContain(`Settings: ${restored}. The server read them from ${settings}; copy them there`);
    expect([readFileSync(restored, "utf8"), statSync(restored).mode & 0o777]).toEqual([toml, 0o600]);
    writeFileSync(restored, 'log = "json"');
    expect((await restore(destination, dataDir, "--replace")).stderr).toContain(`Kept ${restored} as it is`);
  }
  const restoredBefore = `${file}-restored`;
  writeFileSync(join(restoredBefore, "vitrine.toml"), toml);
  for (const words of [["verify"], ["users", "list"]]) {
    expect((await look(restoredBefore, ...words)).status).toBe(0);
  }
  const { status, stderr: why } = await look(restoredBefore, "doctor");
  expect([status, why]).toEqual([2, expect.stringContaining("proxy-ranges")]);
  expect(statSync(join(to, "vitrine.toml")).mode & 0o777).toBe(0o600);
  expect((await verify(to)).status).toBe(0);
  expect((await backup(to)).stderr).toContain("no settings file (--config names one).");
  expect(existsSync(join(to, "vitrine.toml"))).toBe(false);
});

needing("tar").test("tar can open a backup on a machine without vitrine", async () => {
  const file = join(folder.path, "plain.tar.zst");
  await backup(file);
  const plain = join(folder.path, "plain.tar");
  writeFileSync(plain, Bun.zstdDecompressSync(readFileSync(file)));
  const listing = await Bun.$`tar -tf ${plain}`.text();
  expect(listing).toContain("vitrine.db\n");
  expect(listing.match(/^content\//gm)).toHaveLength(4);
});

test("a backup into a folder copies only new files, removes old ones, and can be restored", async () => {
  const to = join(folder.path, "folder/");
  expect(JSON.parse((await backup(to, "--json")).stdout)).toMatchObject({ contents: 4, copied: 4 });
  const stray = join(to, "content", "ab", "ab".repeat(32));
  await Bun.write(stray, "of a site that is gone");
  expect(JSON.parse((await backup(to, "--json")).stdout)).toMatchObject({ contents: 4, copied: 0 });
  expect(existsSync(stray)).toBe(false);
  expect((await verify(to)).status).toBe(0);
  const dataDir = join(folder.path, "from-folder");
  expect((await restore(to, dataDir)).status).toBe(0);
  expect(readdirSync(dataDir).sort()).toEqual(["content", "vitrine.db", "vitrine.lock"]);
  await expectRestored(dataDir);
});

test("an existing file is replaced only with --force, and an existing folder is updated", async () => {
  const file = join(folder.path, "twice.tar.zst");
  expect((await backup(file)).status).toBe(0);
  const before = readFileSync(file);
  expect(await backup(file)).toEqual({
    status: 1,
    stdout: "",
    stderr: `error: ${file} exists already: replace it with --force, or name another file\n`,
  });
  expect(readFileSync(file)).toEqual(before);
  expect((await backup(file, "--force")).status).toBe(0);
  const to = join(folder.path, "up-to-date/");
  for (const _ of [1, 2]) expect((await backup(to)).status).toBe(0);
});

test("a damaged backup folder says how to repair it, and the next backup repairs it", async () => {
  const to = join(folder.path, "decayed");
  await backup(`${to}/`);
  const digest = new Bun.CryptoHasher("sha256").update("two").digest("hex");
  const path = join(to, "content", digest.slice(0, 2), digest);
  writeFileSync(path, "owt");
  const decayed = await verify(to);
  expect([decayed.status, decayed.stderr]).toEqual([1, expect.stringContaining(`vitrine backup ${to} again`)]);
  expect(JSON.parse((await backup(to, "--json")).stdout)).toMatchObject({ copied: 1, damaged: [] });
  expect((await verify(to)).status).toBe(0);

  writeFileSync(join(to, "vitrine.db"), "no database at all");
  expect((await verify(to)).stderr).toEndWith(`\nThis is a backup: run vitrine backup ${to} again.\n`);
  expect((await backup(to)).status).toBe(0);
  expect((await verify(to)).status).toBe(0);
});

test("a data folder with data is not overwritten: it must be empty, or its database is set aside on request", async () => {
  const file = join(folder.path, "again.tar.zst");
  await backup(file);
  const served = await restore(file, vitrine.config.dataDir);
  expect([served.status, served.stderr]).toEqual([
    1,
    expect.stringContaining("is being served: stop the server first"),
  ]);

  const dataDir = join(folder.path, "used");
  await restore(file, dataDir);
  const used = await restore(file, dataDir);
  expect([used.status, used.stderr]).toEqual([
    1,
    expect.stringContaining("restore into an empty one, or give --replace"),
  ]);
  expect((await restore(file, dataDir, "--replace")).status).toBe(0);
  // As a killed restore leaves it.
  const unfinished = join(dataDir, "restoring");
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, "vitrine.db"), "half");
  await (await startTestServer({ "data-dir": dataDir })).stop();
  expect(existsSync(unfinished)).toBe(false);
});

test("a database that was set aside is complete, survives the sweep of its content, and can be restored", async () => {
  const dataDir = join(folder.path, "regretted");
  await backup(join(folder.path, "before.tar.zst"));
  await restore(join(folder.path, "before.tar.zst"), dataDir);
  const empty = join(folder.path, "empty");
  await makeDataFolder(empty);
  const other = join(folder.path, "other.tar.zst");
  await runCli(["backup", other, "--data-dir", empty]);
  expect((await restore(other, dataDir, "--replace")).stderr).toContain("The former data was moved to");
  const [name] = readdirSync(dataDir).filter((entry) => entry.startsWith("replaced-"));
  const aside = join(dataDir, name as string);
  // As the sweep does once the content is old enough.
  rmSync(join(dataDir, "content"), { recursive: true });
  expect((await verify(aside)).stderr).not.toContain("leftover");
  expect((await restore(aside, dataDir, "--replace")).status).toBe(0);
  await expectRestored(dataDir);
});

test("the write-ahead log of an old database is never applied to the restored one", async () => {
  const file = join(folder.path, "log.tar.zst");
  await backup(file);
  const dataDir = join(folder.path, "log");
  mkdirSync(dataDir);
  // A log with changes, because the server runs in this process. Reading its files here would release the locks that
  // SQLite holds on them, and the next command would truncate them under the server.
  const [wal, shm] = ["-wal", "-shm"].map((suffix) => join(vitrine.config.dataDir, `vitrine.db${suffix}`)) as [
    string,
    string,
  ];
  expect(Bun.spawnSync(["cp", wal, shm, dataDir]).exitCode).toBe(0);
  expect((await restore(file, dataDir)).stderr).toContain("restore into an empty one, or give --replace");
  expect((await restore(file, dataDir, "--replace")).status).toBe(0);
  await expectRestored(dataDir);
});

test("a truncated or changed backup is refused, and nothing is replaced", async () => {
  const file = join(folder.path, "cut.tar.zst");
  await backup(file);
  const whole = readFileSync(file);
  for (const [damaged, complaint] of [
    [whole.subarray(0, whole.length / 2), "is damaged, or not a backup"],
    [Buffer.from(whole).fill(7, 8, 16), "is damaged, or not a backup"],
    [Buffer.from("no backup at all".repeat(100)), "is damaged, or not a backup"],
  ] as const) {
    writeFileSync(file, damaged);
    const dataDir = join(folder.path, "untouched");
    const { status, stderr } = await restore(file, dataDir);
    expect([status, stderr]).toEqual([1, expect.stringContaining(complaint)]);
    expect(existsSync(dataDir)).toBe(false);
    mkdirSync(dataDir);
    expect((await restore(file, dataDir)).status).toBe(1);
    expect(existsSync(dataDir)).toBe(true);
    expect(readdirSync(dataDir).sort()).toEqual(["content", "vitrine.lock"]);
    rmSync(dataDir, { recursive: true });
  }
});

test("a database that changed by a few bytes since the backup is not restored", async () => {
  const flipped = (bytes: Buffer) => bytes.fill(7, bytes.indexOf("CREATE TABLE"), bytes.indexOf("CREATE TABLE") + 8);
  const file = join(folder.path, "flipped.tar");
  await backup(file);
  writeFileSync(file, flipped(Buffer.from(Bun.zstdDecompressSync(readFileSync(file)))));
  const dataDir = join(folder.path, "flipped");
  const archived = await restore(file, dataDir);
  expect([archived.status, archived.stderr]).toEqual([
    1,
    `error: the database in ${file} is not what was backed up: damaged, or used since\n`,
  ]);

  const to = join(folder.path, "flipped-folder/");
  await backup(to);
  const description = join(to, "vitrine-backup.json");
  writeFileSync(join(to, "vitrine.db"), flipped(readFileSync(join(to, "vitrine.db"))));
  expect((await restore(to, dataDir)).stderr).toContain(`to restore it all the same, remove ${description}`);

  // As in backups of versions that did not write digests.
  await backup(to);
  const { database_sha256: _, ...older } = JSON.parse(readFileSync(description, "utf8"));
  writeFileSync(description, JSON.stringify(older));
  expect((await restore(to, dataDir)).status).toBe(0);
});

describe("while a backup runs", () => {
  /** Content that takes long to copy. It consists of zeros, for which a file system stores nothing. */
  const LARGE = 128 * 1024 * 1024;
  let dataDir: string;
  let to: string;
  let digest: string;

  beforeAll(async () => {
    dataDir = join(folder.path, "slow");
    to = join(folder.path, "places");
    mkdirSync(to);
    const file = join(folder.path, "slow.tar.zst");
    await backup(file);
    await restore(file, dataDir);
    digest = new Bun.CryptoHasher("sha256").update(new Uint8Array(LARGE)).digest("hex");
    const large = join(dataDir, "content", digest.slice(0, 2), digest);
    await Bun.write(large, "");
    truncateSync(large, LARGE);
  });

  const partial = () => readdirSync(to).filter((name) => name.includes(".partial-"));

  const archives = () => partial().filter((name) => existsSync(join(to, name, "archive")));

  /** Returns whether content is being copied to a folder, or an archive has been started. */
  const isBegun = (place: string, before: number) => {
    if (!place.endsWith("/")) return archives().length > before;
    const staging = join(place, "content", "staging");
    return existsSync(staging) && readdirSync(staging).length > 0;
  };

  /** Starts a backup and stops it during the copy. Only this database refers to the large content. */
  async function unfinished(place: string) {
    using db = new Database(join(dataDir, "vitrine.db"));
    // A thread of the previous server may still hold a lock.
    db.run("PRAGMA busy_timeout = 10000");
    db.run("INSERT INTO contents (digest, size, published_at) VALUES (?, ?, 0)", [digest, LARGE]);
    const before = archives().length;
    const start = async () =>
      Bun.spawn([await executable(), "backup", place, "--data-dir", dataDir], { stderr: "ignore" });
    let child = await start();
    while (!isBegun(place, before)) {
      // On a busy machine the copy may end unseen.
      if (child.exitCode !== null) {
        rmSync(place, { recursive: true, force: true });
        child = await start();
      }
      await Bun.sleep(1);
    }
    child.kill("SIGSTOP");
    db.run("DELETE FROM contents WHERE digest = ?", [digest]);
    /** A stopped process receives a signal when it continues. */
    const end = (signal: NodeJS.Signals) => {
      child.kill(signal);
      child.kill("SIGCONT");
      return child.exited;
    };
    return { end };
  }

  test("another one to the same file is complete, and does not affect the first", async () => {
    const file = join(to, "both.tar.zst");
    const first = await unfinished(file);
    expect((await runCli(["backup", file, "--data-dir", dataDir])).status).toBe(0);
    expect(partial()).toHaveLength(1);
    expect((await restore(file, join(folder.path, "of-both"))).status).toBe(0);
    await first.end("SIGKILL");
  });

  test("the next backup removes the files of a killed one", async () => {
    expect(partial()).toHaveLength(1);
    expect((await runCli(["backup", join(to, "next.tar.zst"), "--data-dir", dataDir])).status).toBe(0);
    expect(partial()).toEqual([]);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("%s stops it without leaving files", async (signal, status) => {
    const child = await unfinished(join(to, "ended.tar.zst"));
    const [work = ""] = partial();
    // Other users cannot read any part of it.
    expect(statSync(join(to, work)).mode & 0o077).toBe(0);
    expect(await child.end(signal)).toBe(status);
    expect(partial()).toEqual([]);
    expect(existsSync(join(to, "ended.tar.zst"))).toBe(false);
  });

  test("a backup cannot be restored from the folder that it would be restored to", async () => {
    const place = join(to, "in-use");
    const child = await unfinished(`${place}/`);
    expect((await restore(place, join(folder.path, "of-in-use"))).stderr).toBe(
      `error: ${place} is used by another command: wait until it has ended\n`,
    );
    expect(await child.end("SIGTERM")).toBe(143);
  });
});

test("a backup that would replace served files, or has no folder, is refused", async () => {
  const own = vitrine.config.dataDir;
  const link = join(folder.path, "link-to-own");
  symlinkSync(own, link);
  for (const [destination, why] of [
    [own, "is in the data folder itself"],
    [`${own}/`, "is in the data folder itself"],
    [link, "is in the data folder itself"],
    [join(own, "new", "er"), "is in the data folder itself"],
    [join(own, "content", "x.tar.zst"), "is in the data folder itself"],
    [join(folder.path, "no", "where", "x.tar.zst"), "there is no folder"],
  ] as const) {
    const { status, stderr } = await runCli(["backup", destination, "--data-dir", own]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
    expect(stderr.trimEnd()).not.toContain("\n");
  }
  expect((await vitrine.deploy(token, await zipOf({ "index.html": "two" }), { site: "spared" })).status).toBe(201);
  expect(await (await vitrine.visit("spared")).text()).toBe("two");
  await vitrine.call("DELETE", "/sites/spared", { token });
});

test("a backup replaces only files: link targets, devices, pipes and descriptors stay", async () => {
  const at = (name: string) => join(folder.path, `place-${name}`);
  symlinkSync("place-meant", at("link"));
  for (const _ of ["is made", "is replaced"]) {
    expect((await backup(at("link"), "--force")).status).toBe(0);
    expect([readlinkSync(at("link")), statSync(at("meant")).isFile()]).toEqual(["place-meant", true]);
  }

  symlinkSync("place-circle", at("circle"));
  symlinkSync("/dev/stdout", at("stdout"));
  symlinkSync("/dev/null", at("null"));
  await Bun.$`mkfifo ${at("pipe")}`;
  writeFileSync(at("all"), "precious");
  for (const [destination, why] of [
    [at("pipe"), "not a regular file"],
    [at("null"), "not a regular file"],
    [at("circle"), "cannot be written"],
    [`${at("all")}/`, "is not a folder"],
  ] as const) {
    const { status, stderr } = await backup(destination);
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  }
  for (const destination of [at("stdout"), "/dev/fd/1"]) {
    const command = ["sh", "-c", '"$@" >> "$0"', at("all"), await executable(), "backup", destination];
    const child = Bun.spawn([...command, "--data-dir", vitrine.config.dataDir], { stderr: "pipe" });
    const stderr = await new Response(child.stderr).text();
    expect([await child.exited, stderr]).toEqual([1, expect.stringContaining("not a regular file")]);
  }
  expect(readFileSync(at("all"), "utf8")).toBe("precious");
  expect([lstatSync(at("pipe")).isFIFO(), readlinkSync(at("stdout"))]).toEqual([true, "/dev/stdout"]);
});

test.each(["", "-"])("%j is neither a file nor a folder", async (place) => {
  const { status, stderr } = await runCli(["backup", place, "--data-dir", vitrine.config.dataDir]);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(`${JSON.stringify(place)} is neither a file nor a folder`),
  ]);
});

test("a backup uses no data folder, only its own, even if that was used meanwhile", async () => {
  const to = join(folder.path, "of-ours");
  await backup(`${to}/`);
  // As finished commands and servers leave it.
  acquireLock(join(to, "vitrine.lock"))?.();
  expect((await backup(to)).status).toBe(0);
  expect((await verify(to)).status).toBe(0);
  expect((await backup(to)).status).toBe(0);

  const other = join(folder.path, "of-others");
  mkdirSync(other);
  expect((await restore(join(to, "vitrine.db"), other)).status).toBe(1);
  expect(readdirSync(other)).toContain("vitrine.lock");
  expect((await backup(other)).status).toBe(0);

  const used = join(folder.path, "of-others-used");
  await restore(to, used);
  const database = readFileSync(join(used, "vitrine.db"));
  for (const destination of [used, join(used, "vitrine.db")]) {
    expect((await backup(destination)).stderr).toBe(
      `error: ${destination} is in a data folder, which is no backup: name another place\n`,
    );
  }
  expect(readFileSync(join(used, "vitrine.db"))).toEqual(database);

  const served = await startTestServer({ "data-dir": to });
  expect((await backup(to)).stderr).toContain("is in a data folder that a server uses: name another place");
  await served.stop();
  expect((await backup(to)).stderr).toContain("is in a data folder, which is no backup");
});

test("verify and backup reject a foreign folder and create nothing there", async () => {
  const nowhere = join(folder.path, "nowhere");
  for (const words of [["verify"], ["backup", join(folder.path, "nothing.tar.zst")]]) {
    const { status, stderr } = await runCli([...words, "--data-dir", nowhere]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`error: there is no database in ${nowhere} (named by --data-dir)\n`),
    ]);
  }
  expect(existsSync(nowhere)).toBe(false);
});

test("verify lists missing and damaged content with the files that need it, and a backup reports what it lacks", async () => {
  const file = join(folder.path, "good.tar.zst");
  await backup(file);
  const dataDir = join(folder.path, "rotten");
  await restore(file, dataDir);
  const digest = new Bun.CryptoHasher("sha256").update("one").digest("hex");
  const path = join(dataDir, "content", digest.slice(0, 2), digest);
  writeFileSync(path, "eno");
  const damaged = await verify(dataDir, "--json");
  expect(damaged.status).toBe(1);
  expect(JSON.parse(damaged.stdout)).toMatchObject({
    ok: false,
    problems: [{ kind: "content_damaged", subject: digest, files: ["demo#1: /index.html"], needed: 1 }],
  });
  rmSync(path);
  expect((await verify(dataDir)).stdout).toBe(`there is no content ${digest}\n  demo#1: /index.html\n`);
  const lacking = await look(dataDir, "backup", join(folder.path, "lacking.tar.zst"), "--json");
  expect(lacking.status).toBe(1);
  expect(JSON.parse(lacking.stdout)).toMatchObject({ missing: [digest] });

  expect((await restore(file, dataDir, "--replace")).status).toBe(0);
  expect((await verify(dataDir)).status).toBe(0);
});

describe("a backup whose database has paths in place of digests", () => {
  /** Changes a copy of the backup and removes the digests of its description. */
  async function tampered(change: (db: Database) => void): Promise<string> {
    const place = `${folder.path}/tampered-${crypto.randomUUID()}`;
    expect((await backup(`${place}/`)).status).toBe(0);
    rmSync(join(place, "vitrine-backup.json"));
    const db = new Database(join(place, "vitrine.db"));
    change(db);
    db.close();
    return place;
  }
  const LEADS_TO_DATABASE = "/../vitrine.db";

  test("is refused, and its folder is removed again", async () => {
    const from = await tampered((db) => db.run("UPDATE contents SET digest = ? WHERE id = 1", [LEADS_TO_DATABASE]));
    const target = `${folder.path}/refused`;
    const { status, stderr } = await restore(from, target);
    expect(status).toBe(1);
    expect(stderr).toContain(`the database in ${from} names content "/../vitrine.db", which is no SHA-256 digest`);
    expect(existsSync(target)).toBe(false);
  });

  test("in a list of files that refers to missing content is found by verify", async () => {
    const from = await tampered((db) =>
      db.run("UPDATE deployment_files SET content_id = 1000 WHERE deployment_id = 2 AND path = 'index.html'"),
    );
    const target = `${folder.path}/with-a-list`;
    expect((await restore(from, target)).status).toBe(0);
    const verified = await verify(target);
    expect([verified.status, verified.stdout]).toEqual([
      1,
      expect.stringContaining("demo#2 has another number of files than were deployed"),
    ]);
  });
});
