import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Hosted, startHosted } from "../../serving/testing/hosted.ts";
import { systemCodec } from "../../workers/encode/encoding-thread.ts";
import type { Encoding } from "../ports/content.ts";
import { encodePending } from "./encode.ts";

let hosted: Hosted;
beforeEach(async () => {
  hosted = await startHosted();
});
afterEach(() => hosted[Symbol.dispose]());

const digestOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };

function encode(pause: () => Promise<boolean> = async () => true): Promise<number> {
  const { store, content } = hosted;
  return encodePending({ store, content, codec: systemCodec, pause });
}

async function encodingsOf(bytes: string | Uint8Array, site = "demo"): Promise<Record<string, number>> {
  const found = (await hosted.store.sites.findRoute(site))!;
  const manifest = await hosted.store.deployments.manifest(found.activeDeploymentId!);
  const { path } = manifest!.files.find(({ digest }) => digest === digestOf(bytes))!;
  return { ...hosted.store.files.find(found.activeDeploymentId!, path)!.encodings };
}

describe("encoding what waits", () => {
  test("makes zstd, br and gzip of text, each smaller, and each the same bytes once decoded", async () => {
    const text = "<p>compressible text</p>\n".repeat(200);
    await hosted.publish("demo", { "index.html": text });
    expect(await encode()).toBe(1);
    const sizes = await encodingsOf(text);
    expect(Object.keys(sizes).sort()).toEqual(["br", "gzip", "zstd"]);
    for (const coding of ["br", "gzip", "zstd"] as const) {
      const stored = readFileSync(hosted.contentPath(digestOf(text), coding));
      expect(stored.length).toBe(sizes[coding]!);
      expect(stored.length).toBeLessThan(text.length * 0.95);
      expect(DECODE[coding](stored).toString()).toBe(text);
    }
  });

  test.each<[string, Uint8Array]>([
    ["media", randomBytes(100_000)],
    ["tiny files", new TextEncoder().encode("a".repeat(255))],
    ["what gains less than five percent", Buffer.concat([randomBytes(9_700), Buffer.alloc(300)])],
  ])("leaves %s alone, and does not try again", async (_, bytes) => {
    await hosted.publish("demo", { file: bytes });
    expect(await encode()).toBe(1);
    expect(await encodingsOf(bytes)).toEqual({});
    expect(existsSync(hosted.contentPath(digestOf(bytes), "br" as Encoding))).toBe(false);
    expect(await encode()).toBe(0);
  });

  test("stops when it is told to, records what is done, and goes on later", async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.txt`, `${i} text `.repeat(100)]));
    await hosted.publish("demo", files);
    let left = 10;
    expect(await encode(async () => --left > 0)).toBe(10);
    expect((await hosted.store.encodings.pending(1000)).length).toBe(90);
    expect(await encode()).toBe(90);
    expect(await hosted.store.encodings.pending(1000)).toEqual([]);
  });

  test("encodes what several sites share once", async () => {
    const text = "shared text ".repeat(100);
    await hosted.publish("one", { a: text });
    await hosted.publish("two", { b: text });
    expect(await encode()).toBe(1);
    expect(Object.keys(await encodingsOf(text, "two"))).toHaveLength(3);
  });

  test("passes over content that is gone", async () => {
    const text = "gone text ".repeat(100);
    await hosted.publish("demo", { a: text });
    rmSync(hosted.contentPath(digestOf(text)));
    expect(await encode()).toBe(1);
    expect(await encodingsOf(text)).toEqual({});
  });
});
