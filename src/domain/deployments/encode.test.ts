import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Hosted, startHosted } from "../../serving/testing/hosted.ts";
import { systemCodec } from "../../workers/encode/encoding-thread.ts";
import type { Encodings } from "../ports/store/encodings.ts";
import type { Store } from "../ports/store.ts";
import { MINUTE } from "../timestamp.ts";
import { encodePending } from "./encode.ts";

let hosted: Hosted;
beforeEach(async () => {
  hosted = await startHosted();
});
afterEach(() => hosted[Symbol.dispose]());

const digestOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };

function encode(pause: () => Promise<boolean> = async () => true): Promise<number> {
  return encodePending({ ...ports(), pause });
}

const ports = () => {
  const { store, content } = hosted;
  return { store, openContent: () => content, codec: systemCodec, clock: { now: () => hosted.now }, node: "node" };
};

async function encodingsOf(bytes: string | Uint8Array, site = "demo"): Promise<Encodings> {
  const found = (await hosted.store.sites.findRoute(site))!;
  const manifest = await hosted.store.deployments.manifest(found.activeDeploymentId!);
  const { path } = manifest!.files.find(({ digest }) => digest === digestOf(bytes))!;
  return hosted.store.files.find(found.activeDeploymentId!, path)!.encodings;
}

describe("encoding of pending content", () => {
  test("creates zstd, br and gzip of text, which are smaller and decode to the same bytes", async () => {
    const text = "<p>compressible text</p>\n".repeat(200);
    await hosted.publish("demo", { "index.html": text });
    expect(await encode()).toBe(1);
    const encodings = await encodingsOf(text);
    expect(Object.keys(encodings).sort()).toEqual(["br", "gzip", "zstd"]);
    for (const coding of ["br", "gzip", "zstd"] as const) {
      const { digest, size } = encodings[coding]!;
      const stored = readFileSync(hosted.contentPath(digest));
      expect([digestOf(stored), stored.length]).toEqual([digest, size]);
      expect(stored.length).toBeLessThan(text.length * 0.95);
      expect(DECODE[coding](stored).toString()).toBe(text);
    }
  });

  test.each<[string, Uint8Array]>([
    ["media", randomBytes(100_000)],
    ["tiny files", new TextEncoder().encode("a".repeat(255))],
    ["what gains less than five percent", Buffer.concat([randomBytes(9_700), Buffer.alloc(300)])],
  ])("skips %s and does not try again", async (_, bytes) => {
    await hosted.publish("demo", { file: bytes });
    expect(await encode()).toBe(1);
    expect(await encodingsOf(bytes)).toEqual({});
    expect(await encode()).toBe(0);
  });

  test("stops when it is aborted, records what is done, and continues later", async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.txt`, `${i} text `.repeat(100)]));
    await hosted.publish("demo", files);
    let left = 10;
    expect(await encode(async () => --left > 0)).toBe(10);
    expect(await encode()).toBe(90);
    expect(await encode()).toBe(0);
  });

  test("extends the claim on the rest of a slow batch, and records every result", async () => {
    const files = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${i}.txt`, `${i} text `.repeat(100)]));
    await hosted.publish("demo", files);
    const batches: number[] = [];
    const { record } = hosted.store.encodings;
    const counted: Store["encodings"] = {
      ...hosted.store.encodings,
      record(outcomes, now) {
        batches.push(outcomes.length);
        return record(outcomes, now);
      },
    };
    const passes = async () => {
      hosted.now += 4 * MINUTE;
      return true;
    };
    const store = { ...hosted.store, encodings: counted };
    expect(await encodePending({ ...ports(), store, pause: passes })).toBe(5);
    expect(batches).toEqual([3, 2]);
  });

  test("encodes content that several sites share once", async () => {
    const text = "shared text ".repeat(100);
    await hosted.publish("one", { a: text });
    await hosted.publish("two", { b: text });
    expect(await encode()).toBe(1);
    expect(Object.keys(await encodingsOf(text, "two"))).toHaveLength(3);
  });

  test("skips missing content", async () => {
    const text = "gone text ".repeat(100);
    await hosted.publish("demo", { a: text });
    rmSync(hosted.contentPath(digestOf(text)));
    expect(await encode()).toBe(1);
    expect(await encodingsOf(text)).toEqual({});
  });
});
