import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "./testing/appliance.ts";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";

// A small file system of its own is the data folder's disk, so that it can be filled. Mounting needs root.

setDefaultTimeout(60_000);

const folder = scratchFolder();
const disk = join(folder.path, "disk");
const filler = join(disk, "filler");
let vitrine: TestAppliance;
let token: string;

beforeAll(async () => {
  mkdirSync(disk);
  await Bun.$`mount -t tmpfs -o size=64m vitrine-test ${disk}`;
  vitrine = await startAppliance({ "data-dir": join(disk, "data") });
  token = (await vitrine.signUp("ada")).token;
  while (!existsSync(join(disk, "data", "ballast"))) await Bun.sleep(5);
}, 60_000);
afterAll(async () => {
  await vitrine?.stop();
  await Bun.$`umount --lazy ${disk}`.nothrow().quiet();
  folder[Symbol.dispose]();
});

/** Fills the disk to its last byte. */
function fillDisk(): void {
  const fd = openSync(filler, "w");
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

const bytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

test("on a full disk a deployment is answered 507, its site and others go on, and space is all it needs", async () => {
  const first = await vitrine.deploy(token, await zipOf({ "index.html": "one", "photo.jpg": bytes(65_536) }), {
    site: "demo",
  });
  expect(first.status).toBe(201);
  const next = await zipOf({ "index.html": "two", "photo.jpg": bytes(65_536) });

  fillDisk();
  for (let attempt = 0; attempt < 3; attempt++) {
    const refused = await vitrine.deploy(token, next, { site: "demo" });
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual({ detail: "the disk is full: free some space and try again" });
    expect(await (await vitrine.visit("demo")).text()).toBe("one");
    expect((await vitrine.visit("demo", "/photo.jpg")).status).toBe(200);
  }
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
