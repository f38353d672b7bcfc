import { expect } from "bun:test";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { deploy, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";

const { afterAll, beforeAll, test } = needing("proc");

// Reading fails as on a broken disk (EIO) for /proc/self/mem, which has nothing at its beginning. A socket file cannot
// even be opened (ENXIO).

const UNREADABLE = "/proc/self/mem";
const folder = scratchFolder();
let server: ServingProcess;
let socket: Bun.UnixSocketListener<undefined>;
/** Too large for the memory cache, so it is sent from the file. */
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
  await server?.end("SIGKILL");
  folder[Symbol.dispose]();
});

const visit = (path: string, accept = "text/html") => server.fetch(path, { site: "demo", headers: { accept } });

/** Resolves when the log has a matching line, which may be written after the response. */
async function logged(pattern: RegExp): Promise<void> {
  while (!pattern.test(server.said())) await Bun.sleep(5);
}

/** Replaces content with another file. The returned function restores it. */
function replaceContent(content: string, instead: string): () => void {
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
])("a %s that the disk cannot read gets 503, and is served again once the disk works", async (path, content, bad) => {
  const heal = replaceContent(content, bad);
  const failed = await visit(path);
  expect(failed.status).toBe(503);
  expect(Number(failed.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(failed.headers.get("cache-control") ?? "no-store").toBe("no-store");
  expect((await visit("/about")).status).toBe(200);
  heal();
  const healed = await visit(path);
  expect([healed.status, await healed.text()]).toEqual([200, content]);
  await logged(/a request failed.*E(IO|NXIO)/s);
});

test("missing content gets an error page, and the log names it", async () => {
  const heal = replaceContent("gone", "missing");
  const failed = await visit("/gone");
  heal();
  expect([failed.status, failed.headers.get("cache-control")]).toEqual([500, "no-store"]);
  expect(await failed.text()).toContain("Something went wrong");
  await logged(/a request failed.*ENOENT/s);
});
