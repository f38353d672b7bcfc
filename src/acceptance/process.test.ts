import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runCli } from "../cli/testing/run-cli.ts";
import { DAY } from "../domain/timestamp.ts";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import {
  publicExecutable,
  run,
  type ServingProcess,
  scratchFolder,
  signUp,
  startProcess,
} from "./testing/executable.ts";
import { halfAnUpload } from "./testing/half-an-upload.ts";

// Tests the compiled program from an operator's view: how it stops, and its messages when it cannot start.

const started: ServingProcess[] = [];
afterEach(async () => {
  for (const { process } of started.splice(0)) {
    process.kill("SIGKILL");
    await process.exited;
  }
});

async function serving(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServingProcess> {
  const server = await startProcess(dataDir, ["--workers", "1"], env);
  started.push(server);
  return server;
}

/** Resolves when the server refuses connections. */
async function untilRefusing(port: number): Promise<void> {
  const connects = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  while (await connects()) await Bun.sleep(5);
}

test("after two SIGTERMs, an upload in progress completes, new connections are refused, and the status is 0", async () => {
  using folder = scratchFolder();
  const token = await signUp(folder.path, "ada");
  const server = await serving(folder.path);
  const archive = await zipOf({ "index.html": "made it", "big.bin": noise() });
  const upload = await halfAnUpload({ port: server.port, dataDir: folder.path, token }, archive);

  server.process.kill("SIGTERM");
  await untilRefusing(server.port);
  server.process.kill("SIGTERM");
  await upload.finish();
  expect(await upload.response).toStartWith("HTTP/1.1 201");
  expect(await server.ended).toBe(0);

  const next = await serving(folder.path);
  expect(await (await next.fetch("/", { site: "drained" })).text()).toBe("made it");
});

function noise(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(60_000));
}

const BEHIND = "the clock stands before the last change; nothing expires for ten minutes";
const AHEAD = "the last change was long ago; nothing expires for ten minutes";

test.each([
  ["ahead of", -400 * DAY, AHEAD, BEHIND],
  ["behind", 400 * DAY, BEHIND, AHEAD],
])("a start with a clock 400 days %s the last change warns and ends no session", async (_, change, words, others) => {
  using folder = scratchFolder();
  await signUp(folder.path, "ada");
  const db = new Database(join(folder.path, "vitrine.db"));
  db.run("UPDATE users SET created_at = created_at + ?", [change]);
  db.run("UPDATE sessions SET last_used_at = last_used_at + ?1, expires_at = expires_at + ?1", [change]);
  const server = await serving(folder.path);
  expect((await server.fetch("/health")).status).toBe(200);
  expect([await server.end("SIGTERM"), server.process.signalCode]).toEqual([0, null]);
  expect([server.said().includes(words), server.said().includes(others)]).toEqual([true, false]);
  expect(db.query("SELECT count(*) AS sessions FROM sessions").get()).toEqual({ sessions: 1 });
  db.close();
});

test("a database of a newer version is refused with one line and not changed", async () => {
  using folder = scratchFolder();
  await signUp(folder.path, "ada");
  const file = join(folder.path, "vitrine.db");
  const db = new Database(file);
  db.run("PRAGMA user_version = 999");
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const before = readFileSync(file);
  const names = readdirSync(folder.path);
  const refused = await run(["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path]);
  for (const command of ["users list", "verify"]) {
    const { status, stderr } = await runCli([...command.split(" "), "--data-dir", folder.path]);
    expect([status, stderr]).toEqual([1, refused.stderr]);
    expect(stderr).toMatch(/^error: .*vitrine\.db was made by a newer Vitrine \(schema 999, this one knows \d+\).*\n$/);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder.path).filter((name) => !names.includes(name) && name !== "vitrine.lock")).toEqual([]);
});

test("if no set-up link can be stored, the server says so, serves, and stops on request", async () => {
  using folder = scratchFolder();
  await makeDataFolder(folder.path);
  using db = new Database(join(folder.path, "vitrine.db"));
  db.run("CREATE TRIGGER full BEFORE INSERT ON setup_links BEGIN SELECT RAISE(ABORT, 'there is no room'); END");
  const server = await serving(folder.path);
  while (!server.said().includes("there is no room")) await Bun.sleep(5);
  expect(server.said()).toContain("Cannot create a set-up link: there is no room\n");
  expect((await server.fetch("/health")).status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
});

test.each(["text", "json"] as const)("a start warns of what is wrong with the settings, with --log %s", async (log) => {
  using folder = scratchFolder();
  chmodSync(folder.path, 0o755);
  const server = await serving(folder.path, {
    VITRINE_LISTNE: ":80",
    VITRINE_PORT: "tcp://10.0.0.1:80",
    VITRINE_BASE_URL: "https://pages.example.org:8443",
    VITRINE_LOG: log,
  });
  const nearest = "VITRINE_LISTNE is not a setting and has no effect; did you mean VITRINE_LISTEN?";
  const none = "VITRINE_PORT is not a setting and has no effect.";
  if (log === "text") expect(server.said()).toStartWith(`warning: ${nearest}\nwarning: ${none}\n`);
  else {
    const events = server
      .said()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.slice(0, 2)).toMatchObject([nearest, none].map((event) => ({ level: "warn", event })));
  }
  expect(server.said()).toContain(
    "sites and dashboard share example.org: cookies of one site can lock its visitors out",
  );
  // A folder that other users could read is private from then on.
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder.path, "vitrine.db")).mode & 0o077).toBe(0);
});

test("a damaged database is reported in one line with the remedy", async () => {
  using folder = scratchFolder();
  writeFileSync(join(folder.path, "vitrine.db"), "this has never been a database".repeat(100));
  const { status, stderr } = await run(["serve", "--data-dir", folder.path, "--listen", "127.0.0.1:0"]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: .*vitrine\.db is damaged .*: restore a backup \(vitrine help restore\)\n$/);
});

needing("no privileges").test("a data folder that cannot be created is reported in one line", async () => {
  using folder = scratchFolder();
  const closed = join(folder.path, "closed");
  const dataDir = join(closed, "data");
  mkdirSync(closed, { mode: 0o555 });
  chmodSync(folder.path, 0o755);
  await expectRefusedUnprivileged(folder.path, dataDir);
});

needing("another user").test(
  "doctor names the owner of a data folder that it cannot read, and checks the rest",
  async () => {
    using folder = scratchFolder();
    const dataDir = join(folder.path, "data");
    await signUp(dataDir, "ada");
    chmodSync(folder.path, 0o755);
    const { status, stdout } = await runUnprivileged(folder.path, "doctor", "--json", "--data-dir", dataDir);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; detail: string; advice: string }[] };
    expect(status).toBe(1);
    expect(findings[0]).toMatchObject({
      detail: `${dataDir} belongs to uid 0 and cannot be read by uid 65534, who runs this`,
      advice: `run it as its owner: sudo -u '#0' vitrine doctor --data-dir ${dataDir}`,
    });
    expect(findings.map(({ check }) => check)).toEqual(["data folder", "disk", "passkeys", "DNS", "DNS"]);
  },
);

async function expectRefusedUnprivileged(folder: string, dataDir: string): Promise<void> {
  const args = ["serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0"];
  const { status, stderr } = await runUnprivileged(folder, ...args);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: the data folder .* cannot be .*\n$/);
}

/** Runs the program as a user without privileges, because root can write everything. */
async function runUnprivileged(folder: string, ...args: readonly string[]) {
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(await publicExecutable(), args, { ...nobody, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { stdout, stderr, status };
}
