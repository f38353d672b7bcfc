import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { ManifestFile } from "../../domain/deployments/manifest.ts";
import { needing } from "../../testing/needing.ts";
import { openWorkbench, texts } from "../testing/unpacking.ts";
import { writeZip } from "./write.ts";

const bench = openWorkbench();
afterAll(() => bench.close());

function store(contents: Record<string, string>): ManifestFile[] {
  return Object.entries(contents).map(([path, bytes]) => {
    const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    bench.content.write(digest, Buffer.from(bytes));
    return { path, digest, size: Buffer.byteLength(bytes) };
  });
}

async function roundTrip(contents: Record<string, string>) {
  const archive = await new Response(writeZip(store(contents), bench.content)).bytes();
  return texts(bench.contents(await bench.unpack(archive)));
}

const page = "<p>hello</p>".repeat(1000);

describe("a downloaded archive deploys again to the same files", () => {
  test.each<[string, Record<string, string>]>([
    ["with files in folders", { "index.html": page, "a/b/c.css": "c", "a/d.js": "" }],
    ["that all lie in one folder", { "docs/index.html": page, "docs/a.css": "a" }],
    ["that all lie in one folder of one folder", { "a/b/index.html": page }],
    ["of which one is like its folder", { "docs/docs/index.html": page, "docs/index.html": "x" }],
    ["with one file", { "index.html": page }],
    ["with names beyond ASCII", { "größe/日本.html": page, "🦊.txt": "fox" }],
    ["with rules and dotfiles", { _redirects: "/a /b", _headers: "", ".well-known/x": "y", ".env": "z" }],
    ["with a content twice", { "a.html": page, "b.html": page }],
    ["with compressed types", { "a.png": page, "b.WOFF2": "b", "c.zip": "c" }],
    ["with a big file", { "big.txt": page.repeat(300), "big.mp4": page.repeat(300) }],
  ])("%s", async (_, contents) => {
    expect(await roundTrip(contents)).toEqual(contents);
  });
});

test("the same files make the same archive", async () => {
  const files = store({ "index.html": page, "a.png": "a" });
  const [one, other] = await Promise.all([1, 2].map(() => new Response(writeZip(files, bench.content)).bytes()));
  expect(one).toEqual(other!);
});

test("types that are compressed already are stored, others deflated", async () => {
  const size = async (name: string) =>
    (await new Response(writeZip(store({ [name]: page }), bench.content)).bytes()).length;
  expect(await size("a.jpg")).toBeGreaterThan(page.length);
  expect(await size("a.html")).toBeLessThan(page.length / 10);
});

test("missing content fails the stream, and nothing else", async () => {
  const files = [{ path: "gone.html", digest: "0".repeat(64), size: 1 }];
  await expect(new Response(writeZip(files, bench.content)).bytes()).rejects.toThrow("ENOENT");
});

// Linux tells which files a process has open, and how far it has read them.
needing("proc").describe("of a download's files", () => {
  test("none stays open when the reader goes away", async () => {
    const files = store({ "big.mp4": page.repeat(1000), "next.mp4": page });
    const reader = await readInto(files);
    expect(openFiles(files[0]!.digest)).toHaveLength(1);
    await reader.cancel();
    // The file is closed on a thread of the runtime's pool; one that stays open ends this test by its time limit.
    while (openFiles(files[0]!.digest).length > 0) await Bun.sleep(5);
  });

  test("no more is read than the reader takes, and a little ahead", async () => {
    const files = store({ "big.mp4": page.repeat(2000) });
    const reader = await readInto(files);
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
    const [fd] = openFiles(files[0]!.digest);
    const position = Number(/pos:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))![1]);
    expect(position).toBeGreaterThan(0);
    expect(position).toBeLessThan(2 * 1024 * 1024);
    await reader.cancel();
  });
});

/** Reads a download up to the middle of its first file. */
async function readInto(files: readonly ManifestFile[]) {
  const reader = writeZip(files, bench.content).getReader();
  while (!((await reader.read()).value!.length > 1000)) {}
  return reader;
}

/** The descriptors of this process that lie on the content. */
function openFiles(digest: string): string[] {
  const target = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  };
  return readdirSync("/proc/self/fd").filter((fd) => target(fd).endsWith(digest));
}
