import { afterAll, describe, expect, test } from "bun:test";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import { openWorkbench, texts } from "../testing/unpacking.ts";
import { writeZip } from "./write.ts";

const bench = openWorkbench();
afterAll(() => bench.close());

function store(contents: Record<string, string>): Promise<ManifestFile[]> {
  const stored = Object.entries(contents).map(async ([path, text]) => {
    const digest = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    await bench.content.put(digest, Buffer.from(text));
    return { path, digest, size: Buffer.byteLength(text) };
  });
  return Promise.all(stored);
}

/** Reports an error that no archive of these tests has. */
function fail(error: unknown): void {
  throw error;
}

async function roundTrip(contents: Record<string, string>) {
  const archive = await new Response(writeZip(await store(contents), bench.content, fail)).bytes();
  return texts(bench.contents(await bench.unpack(archive)));
}

const page = "<p>hello</p>".repeat(1000);

describe("a downloaded archive can be deployed again with the same files", () => {
  test.each<[string, Record<string, string>]>([
    ["with files in folders", { "index.html": page, "a/b/c.css": "c", "a/d.js": "" }],
    ["that are all in one folder", { "docs/index.html": page, "docs/a.css": "a" }],
    ["that are all in one folder of one folder", { "a/b/index.html": page }],
    ["of which one is like its folder", { "docs/docs/index.html": page, "docs/index.html": "x" }],
    ["with one file", { "index.html": page }],
    ["with names beyond ASCII", { "größe/日本.html": page, "🦊.txt": "fox" }],
    ["with rules and dotfiles", { _redirects: "/a /b", _headers: "", ".well-known/x": "y", ".envrc": "z" }],
    ["with a content twice", { "a.html": page, "b.html": page }],
    ["with compressed types", { "a.png": page, "b.WOFF2": "b", "c.zip": "c" }],
    ["with a big file", { "big.txt": page.repeat(300), "big.mp4": page.repeat(300) }],
  ])("%s", async (_, contents) => {
    expect(await roundTrip(contents)).toEqual(contents);
  });
});

test("the same files create the same archive", async () => {
  const files = await store({ "index.html": page, "a.png": "a" });
  const [one, other] = await Promise.all([1, 2].map(() => new Response(writeZip(files, bench.content, fail)).bytes()));
  expect(one).toEqual(other!);
});

test("compressed types are stored, others are deflated", async () => {
  const size = async (name: string) =>
    (await new Response(writeZip(await store({ [name]: page }), bench.content, fail)).bytes()).length;
  expect(await size("a.jpg")).toBeGreaterThan(page.length);
  expect(await size("a.html")).toBeLessThan(page.length / 10);
});

test("missing content fails the stream and nothing else, and is reported", async () => {
  const files = [{ path: "gone.html", digest: "0".repeat(64), size: 1 }];
  const reported: unknown[] = [];
  const stream = writeZip(files, bench.content, (error) => reported.push(error));
  await expect(new Response(stream).bytes()).rejects.toThrow("ENOENT");
  expect(reported).toEqual([expect.objectContaining({ code: "ENOENT" })]);
});

test("reads only a little ahead of its consumer, and stops when the consumer disconnects", async () => {
  const files = await store({ "big.mp4": page.repeat(2000), "next.mp4": page });
  let [ahead, pending] = [0, 0];
  const read: typeof bench.content.read = async (...requested) => {
    pending++;
    const bytes = await bench.content.read(...requested);
    ahead += bytes.length;
    pending--;
    return bytes;
  };
  const reader = writeZip(files, { read }, fail).getReader();
  while (!((await reader.read()).value!.length > 1000)) {}
  const settled = async () => {
    for (let quiet = 0; quiet < 1000; quiet = pending === 0 ? quiet + 1 : 0) await new Promise(setImmediate);
    return ahead;
  };
  const taken = await settled();
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(2 * 1024 * 1024);
  await reader.cancel();
  expect(await settled()).toBe(taken);
});
