import { expect } from "bun:test";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { diskSpace } from "../storage/disk/disk-space.ts";
import { createReserveFile } from "../storage/sqlite/reserve-file.ts";
import { mountDisk, unmountDisk, withDisk } from "../testing/disk.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { run, scratchFolder, startProcess } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const { afterAll, beforeAll, test } = needing("disk");

// The data folder has its own small file system, so that it can be filled.

const folder = scratchFolder();
const disk = join(folder.path, "disk");
const filler = join(disk, "filler");
let vitrine: TestServer;
let token: string;

beforeAll(async () => {
  mkdirSync(disk);
  await mountDisk(disk, "size=64m");
  vitrine = await startTestServer({ "data-dir": join(disk, "data") });
  token = (await vitrine.signUp("ada")).token;
  while (!existsSync(join(disk, "data", "ballast"))) await Bun.sleep(5);
});
afterAll(async () => {
  await vitrine?.stop();
  await unmountDisk(disk);
  folder[Symbol.dispose]();
});

/** Fills the disk of a file completely, and again later: the server truncates its log at a checkpoint. */
function fillDisk(file = filler): void {
  const fd = openSync(file, "a");
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) fillBy(fd, Buffer.alloc(size));
  } finally {
    closeSync(fd);
  }
}

function fillBy(fd: number, piece: Uint8Array): void {
  try {
    while (writeSync(fd, piece) === piece.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Runs a command in another process, because one in this process would still have the database open. */
const commandIn = (dataDir: string, ...args: string[]) => run([...args, "--data-dir", dataDir]);

/** Runs a command on the server's data folder. */
const command = (...args: string[]) => commandIn(join(disk, "data"), ...args);

const bytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Starts an upload without a declared length, sends `bytes` of it, and never ends it. */
function stall(bytes: number, responses: string[]): Socket {
  const { port } = vitrine.config.listen;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("data", (data) => responses.push(data.toString("latin1")));
  const type = "Content-Type: multipart/form-data; boundary=b";
  const head = [`Host: localhost:${port}`, `Authorization: Bearer ${token}`, type, "Transfer-Encoding: chunked"];
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
  socket.write(`POST /deploy HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  socket.write(`${form.length.toString(16)}\r\n${form}\r\n${(bytes + 1).toString(16)}\r\n`);
  socket.write(Buffer.alloc(bytes));
  return socket;
}

test("unfinished uploads do not use the reserve of the disk", async () => {
  const spool = join(disk, "data", "spool");
  const sizeOf = (name: string) => statSync(join(spool, name), { throwIfNoEntry: false })?.size ?? 0;
  const spooled = () => readdirSync(spool).reduce((sum, name) => sum + sizeOf(name), 0);
  const KIB = 1024;
  // Together they would fill nearly the whole disk.
  const each = Math.floor((diskSpace(disk).free - 512 * KIB) / 3);
  const responses: string[] = [];
  const sockets = [stall(each, responses), stall(each, responses), stall(each, responses)];
  try {
    while (responses.length === 0 && spooled() < 3 * each - 64 * KIB) await Bun.sleep(5);
    expect(responses[0]).toStartWith("HTTP/1.1 507 ");
    // The database can still be written.
    expect((await vitrine.call("POST", "/auth/device", { json: {} })).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    while (readdirSync(spool).length > 0) await Bun.sleep(5);
  }
});

test("on a full disk a deployment gets 507, its site and others work, and freeing space is enough to recover", async () => {
  const first = await vitrine.deploy(token, await zipOf({ "index.html": "one", "photo.jpg": bytes(65_536) }), {
    site: "demo",
  });
  expect(first.status).toBe(201);
  const next = await zipOf({ "index.html": "two", "photo.jpg": bytes(65_536) });

  for (let attempt = 0; attempt < 3; attempt++) {
    fillDisk();
    const refused = await vitrine.deploy(token, next, { site: "demo" });
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual({ detail: "the disk is full: free some space and try again" });
    expect(await (await vitrine.visit("demo")).text()).toBe("one");
    expect((await vitrine.visit("demo", "/photo.jpg")).status).toBe(200);
  }
  fillDisk();
  expect((await vitrine.call("GET", "/health")).status).toBe(503);
  expect(await (await vitrine.call("GET", "/sites", { token })).json()).toHaveLength(1);

  rmSync(filler);
  expect((await vitrine.deploy(token, next, { site: "demo" })).status).toBe(201);
  expect(await (await vitrine.visit("demo")).text()).toBe("two");
});

test("on a full disk a site can still be deleted", async () => {
  fillDisk();
  expect((await vitrine.call("DELETE", "/sites/demo", { token })).status).toBe(204);
  expect((await vitrine.visit("demo")).status).toBe(404);
  rmSync(filler);
});

test("on a full disk the operator can still remove a user, and the audit log records it", async () => {
  await vitrine.signUp("eve");
  createReserveFile(join(disk, "data", "vitrine.db"));
  fillDisk();
  expect(await command("users", "remove", "eve")).toMatchObject({ status: 0, stderr: "✓ Removed eve.\n" });
  expect((await command("audit", "--limit", "1")).stdout).toContain("users remove eve");
  rmSync(filler);
});

test("a refused start does not release the reserve file of the running server", async () => {
  createReserveFile(join(disk, "data", "vitrine.db"));
  fillDisk();
  const refused = await startTestServer({ "data-dir": join(disk, "data") }).catch(({ message }: Error) => message);
  expect(refused).toContain("another vitrine serves the data folder");
  expect(existsSync(join(disk, "data", "ballast"))).toBe(true);
  rmSync(filler);
});

/** Creates the reserve file, stops the server, and leaves `left` bytes on the disk. */
async function stopOnFullDisk(left: number): Promise<void> {
  createReserveFile(join(disk, "data", "vitrine.db"));
  await vitrine.stop();
  fillDisk();
  truncateSync(filler, statSync(filler).size - left);
}

test.each([0, 8192])(
  "with %i bytes left on the disk the server starts and serves every site by releasing its reserve file",
  async (left) => {
    expect((await vitrine.deploy(token, await zipOf({ "index.html": "three" }), { site: "other" })).status).toBe(201);
    await stopOnFullDisk(left);
    vitrine = await startTestServer({ "data-dir": join(disk, "data") });
    expect(await (await vitrine.visit("other")).text()).toBe("three");
    rmSync(filler);
  },
);

test("on a full disk the operator's commands open the database without a server by releasing the reserve file", async () => {
  // On another disk, because stopped servers of this process close files late, which frees space at any time.
  const commandsDisk = join(folder.path, "commands");
  mkdirSync(commandsDisk);
  await withDisk(commandsDisk, "size=64m", async () => {
    const dataDir = join(commandsDisk, "data");
    const server = await startProcess(dataDir, ["--workers", "1"]);
    expect(await server.end("SIGTERM")).toBe(0);
    expect(await commandIn(dataDir, "users", "add", "ada")).toMatchObject({ status: 0 });
    createReserveFile(join(dataDir, "vitrine.db"));
    // The last command removed the database's log and its index, for which there is no space now.
    fillDisk(join(commandsDisk, "filler"));
    const { status, stdout } = await commandIn(dataDir, "users", "list");
    expect([status, stdout]).toEqual([0, expect.stringContaining("ada")]);
    fillDisk(join(commandsDisk, "filler"));
    const full = `the disk of the data folder ${dataDir} is full`;
    const refused = await commandIn(dataDir, "users", "list");
    expect(refused).toMatchObject({ status: 1, stderr: `error: ${full}\nFree some space.\n` });
    const { findings } = JSON.parse((await commandIn(dataDir, "doctor", "--json")).stdout);
    expect(findings).toContainEqual({ check: "database", verdict: "problem", detail: full, advice: "free some space" });
  });
});
