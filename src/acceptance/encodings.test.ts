import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const page = (n: number) => `<p>page ${n}</p>`.repeat(200);

/** Requests the page until it has the encoding, and returns that response. */
async function encoded(vitrine: TestServer, path: string, coding: string): Promise<Response> {
  for (;;) {
    const raw: BunFetchRequestInit = { headers: { "Accept-Encoding": coding }, decompress: false };
    const response = await vitrine.visit("demo", path, raw);
    if (response.headers.get("content-encoding") === coding) return response;
    expect(response.status).toBe(200);
    await response.body?.cancel();
    await Bun.sleep(100);
  }
}

test("pages are compressed soon after a deployment, also after a restart in between", async () => {
  using folder = scratchFolder();
  // More than are compressed at once, the last ones first. The thread gets little of a busy machine.
  const files = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`${n}.html`, page(n)]));
  {
    await using vitrine = await startTestServer({ "data-dir": folder.path });
    const { token } = await vitrine.signUp("ada");
    expect((await vitrine.deploy(token, await zipOf(files), { site: "demo" })).status).toBe(201);
    const first = await encoded(vitrine, "/69", "br");
    expect(brotliDecompressSync(await first.arrayBuffer()).toString()).toBe(page(69));
  }
  await using again = await startTestServer({ "data-dir": folder.path });
  for (const coding of ["zstd", "br", "gzip"]) await encoded(again, "/0", coding);
  expect(await again.store.encodings.isPending({ holder: "another", now: 0 })).toBe(false);
});

/** Returns the ids of this process's threads with a nice value of 19 (proc(5)). */
function lowestThreads(): Set<string> {
  const [fieldsBefore, nice] = [3, 19];
  const isLowest = (thread: string) => {
    try {
      const [, fields = ""] = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ");
      return fields.split(" ")[nice - fieldsBefore] === "19";
    } catch {
      return false; // The thread has ended meanwhile.
    }
  };
  return new Set(readdirSync("/proc/self/task").filter(isLowest));
}

needing("proc").test("compression runs at the lowest priority", async () => {
  await using vitrine = await startTestServer();
  const { token } = await vitrine.signUp("ada");
  // A thread of an earlier test file may still be ending.
  const earlier = lowestThreads();
  const text = Array.from({ length: 40_000 }, (_, n) => `<p>${Bun.hash(`${n}`)} of many</p>`).join("");
  const archive = await zipOf({ "index.html": text });
  expect((await vitrine.deploy(token, archive, { site: "demo" })).status).toBe(201);
  while (lowestThreads().isSubsetOf(earlier)) await Bun.sleep(5);
});
