import { expect } from "bun:test";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { deploy, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";

const { afterAll, beforeAll, test } = needing("proc");

// A file whose reading fails as on a dying disk (EIO): the memory of a process has nothing at its beginning. What cannot
// even be opened is a socket's file (ENXIO).

const UNREADABLE = "/proc/self/mem";
const folder = scratchFolder();
let server: ServingProcess;
let socket: Bun.UnixSocketListener<undefined>;
/** Too big to be held in memory: it goes to the socket by itself. */
const video = "v".repeat(600_000);

beforeAll(async () => {
  const token = await signUp(folder.path, "ada");
  server = await startProcess(folder.path);
  const archive = await zipOf({
    "index.html": "<h1>home</h1>",
    "about.html": "about",
    "gone.html": "gone",
    "video.mp4": video,
  });
  expect((await deploy(server, token, "demo", archive)).status).toBe(201);
  socket = Bun.listen({ unix: join(folder.path, "socket"), socket: { data() {} } });
});
afterAll(async () => {
  socket?.stop(true);
  server?.process.kill("SIGKILL");
  await server?.process.exited;
  folder[Symbol.dispose]();
});

const visit = (path: string, accept = "text/html") => server.fetch(path, { site: "demo", headers: { accept } });

/** Resolves when the log has it: it arrives beside the answer. */
async function said(pattern: RegExp): Promise<void> {
  while (!pattern.test(server.said())) await Bun.sleep(5);
}

/** Puts something else in the place of some content; the returned function puts the content back. */
function spoil(content: string, instead: string): () => void {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  const file = join(folder.path, "content", digest.slice(0, 2), digest);
  renameSync(file, `${file}.good`);
  symlinkSync(instead, file);
  return () => {
    rmSync(file);
    renameSync(`${file}.good`, file);
  };
}

test.each([
  ["/", "<h1>home</h1>", UNREADABLE],
  ["/video.mp4", video, join(folder.path, "socket")],
])("while the disk cannot read %s it is answered 503, and is there again with the disk", async (path, content, bad) => {
  const heal = spoil(content, bad);
  const failed = await visit(path);
  expect(failed.status).toBe(503);
  expect(Number(failed.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(failed.headers.get("cache-control") ?? "no-store").toBe("no-store");
  expect((await visit("/about")).status).toBe(200);
  heal();
  const healed = await visit(path);
  expect([healed.status, await healed.text()]).toEqual([200, content]);
  await said(/a request failed.*E(IO|NXIO)/s);
});

test("content that is gone is answered with a page of our own, and the log says which", async () => {
  const heal = spoil("gone", "/nowhere");
  const failed = await visit("/gone");
  heal();
  expect([failed.status, failed.headers.get("cache-control")]).toEqual([500, "no-store"]);
  expect(await failed.text()).toContain("Something went wrong");
  await said(/a request failed.*ENOENT/s);
});
