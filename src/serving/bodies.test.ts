import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { makeBodies } from "./bodies.ts";
import { Cache } from "./cache.ts";
import type { Representation } from "./prepared-file.ts";
import { digestOf, type Hosted, startHosted, VISITOR } from "./testing/hosted.ts";

const big = new Uint8Array(700_000).map((_, i) => (i * 7) % 251);
const middle = big.subarray(0, 200_000);
const VIDEO = "big.sites.test";

let hosted: Hosted;
/** The memory that responses requested, in bytes, and their share of the total. */
let wanted: [bytes: number, share: number | undefined][] = [];
/** How many of them get it. */
let granted: number;

beforeAll(async () => {
  hosted = await startHosted();
  await hosted.publish("big", { "video.mp4": big, "small.txt": "small", "404.html": "x".repeat(300_000) });
});
afterAll(() => hosted?.[Symbol.dispose]());
beforeEach(() => {
  wanted = [];
  granted = Infinity;
  hosted.counted.length = 0;
});

function visitBy(protocol: "HTTP/1.1" | "HTTP/2") {
  const holdMemory = (bytes: number, share?: number) => wanted.push([bytes, share]) <= granted;
  hosted.visitor = { ...VISITOR, isMultiplexed: protocol === "HTTP/2", holdMemory };
}

describe("over HTTP/2", () => {
  beforeEach(() => visitBy("HTTP/2"));

  test.each<[Record<string, string>, number, number, number, string | null]>([
    [{}, 200, 0, 700_000, null],
    [{ range: "bytes=10-600000" }, 206, 10, 600_001, "bytes 10-600000/700000"],
    [{ range: "bytes=-400000" }, 206, 300_000, 700_000, "bytes 300000-699999/700000"],
    [{ range: "bytes=10-19", "if-range": '"other"' }, 200, 0, 700_000, null],
    [{ range: "bytes=1-2,5-6" }, 200, 0, 700_000, null],
  ])("a large file is a stream that takes 80 KiB: %j", async (headers, status, start, end, contentRange) => {
    const response = await hosted.get(VIDEO, "/video.mp4", headers);
    expect([response.status, response.headers.get("content-range")]).toEqual([status, contentRange]);
    expect(Buffer.from(await response.arrayBuffer()).equals(big.subarray(start, end))).toBe(true);
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(wanted).toEqual([[80 * 1024, undefined]]);
    expect(hosted.counted).toMatchObject([{ bytes: end - start }]);
  });

  test.each([
    ["bytes=0-1", 0, 2, 0],
    ["bytes=100-32867", 100, 32_868, 0],
    ["bytes=500000-699999", 500_000, 700_000, 1],
  ])("a small range of it has its length: %s", async (range, start, end, held) => {
    const response = await hosted.get(VIDEO, "/video.mp4", { range });
    expect([response.status, response.headers.get("content-length")]).toEqual([206, `${end - start}`]);
    expect(Buffer.from(await response.arrayBuffer()).equals(big.subarray(start, end))).toBe(true);
    expect(wanted).toHaveLength(held);
  });

  test("a range that is too large for the memory is a stream", async () => {
    granted = 0;
    expect((await hosted.get(VIDEO, "/video.mp4", { range: "bytes=0-199999" })).status).toBe(503);
    expect(wanted.map(([bytes]) => bytes)).toEqual([200_000 + 48 * 1024, 80 * 1024]);
  });

  test("if slow visitors take too much memory, a large file is 503 with Retry-After, and no view", async () => {
    granted = 0;
    for (const [target, headers] of [
      ["/video.mp4", {}],
      ["/video.mp4", { range: "bytes=0-400000" }],
      ["/none", {}],
    ] as const) {
      const response = await hosted.get(VIDEO, target, headers);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    expect(hosted.counted).toEqual([]);
    expect((await hosted.get(VIDEO, "/video.mp4", {}, "HEAD")).headers.get("content-length")).toBe("700000");
    expect(await (await hosted.get(VIDEO, "/small.txt")).text()).toBe("small");
  });

  test("a medium file takes memory when it is read, and none when responses share it", async () => {
    await hosted.publish("kept", { "middle.bin": middle });
    for (let visit = 0; visit < 3; visit++) {
      const response = await hosted.get("kept.sites.test", "/middle.bin");
      expect(Buffer.from(await response.bytes()).equals(middle)).toBe(true);
      expect(wanted).toEqual([[200_000 + 48 * 1024, undefined]]);
    }
    wanted = [];
    using crowded = await startHosted({ cacheBytes: 256 * 1024 });
    await crowded.publish("passing", { "middle.bin": middle });
    crowded.visitor = hosted.visitor;
    const passing = () => crowded.get("passing.sites.test", "/middle.bin");
    expect(Buffer.from(await (await passing()).bytes()).equals(middle)).toBe(true);
    expect(wanted).toEqual([[200_000 + 48 * 1024, undefined]]);
    granted = 0;
    expect((await passing()).status).toBe(503);
  });
});

describe("over HTTP/1.1", () => {
  beforeEach(() => visitBy("HTTP/1.1"));

  test("a large file has its length, and leaves a quarter of the memory to streams", async () => {
    const response = await hosted.get(VIDEO, "/video.mp4");
    expect(response.headers.get("content-length")).toBe("700000");
    expect(Buffer.from(await response.arrayBuffer()).equals(big)).toBe(true);
    expect(wanted).toEqual([[304 * 1024, 0.75]]);
  });

  test("a file without enough memory is a stream, and then 503", async () => {
    const streams = { ...hosted.visitor, holdMemory: (bytes: number) => bytes <= 80 * 1024 };
    hosted.visitor = streams;
    const response = await hosted.get(VIDEO, "/video.mp4");
    expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
    expect(Buffer.from(await response.arrayBuffer()).equals(big)).toBe(true);
    hosted.visitor = { ...streams, holdMemory: () => false };
    expect((await hosted.get(VIDEO, "/video.mp4")).status).toBe(503);
  });

  test("small files take none", async () => {
    await (await hosted.get(VIDEO, "/small.txt")).text();
    expect(wanted).toEqual([]);
  });
});

test("a large file that the disk cannot read gets 503 over HTTP/2, before anything of it is sent", async () => {
  visitBy("HTTP/2");
  const text = `unreadable ${"x".repeat(400_000)}`;
  await hosted.publish("failing", { "large.txt": text });
  const file = hosted.contentPath(digestOf(text));
  rmSync(file);
  symlinkSync("/proc/self/mem", file);
  const response = await hosted.get("failing.sites.test", "/large.txt");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(hosted.reported).toEqual([expect.objectContaining({ code: "EIO" })]);
});

test("a large file that is not on this machine is a stream, and HEAD has its length", async () => {
  using elsewhere = await startHosted({ isElsewhere: true });
  await elsewhere.publish("big", { "video.mp4": big });
  const whole = await elsewhere.get(VIDEO, "/video.mp4");
  expect([whole.status, whole.headers.get("content-length")]).toEqual([200, null]);
  expect(Buffer.from(await whole.arrayBuffer()).equals(big)).toBe(true);
  const part = await elsewhere.get(VIDEO, "/video.mp4", { range: "bytes=10-600000" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 10-600000/700000"]);
  expect(Buffer.from(await part.arrayBuffer()).equals(big.subarray(10, 600_001))).toBe(true);
  const head = await elsewhere.get(VIDEO, "/video.mp4", {}, "HEAD");
  expect([head.status, head.headers.get("content-length"), head.headers.get("etag")]).toEqual([
    200,
    "700000",
    whole.headers.get("etag"),
  ]);
  expect(elsewhere.counted).toHaveLength(2);
});

describe("content from the store", () => {
  const digest = "d".repeat(64);
  const representation = { digest, size: 5 } as Representation;
  const bodiesOf = (read: () => Promise<Uint8Array<ArrayBuffer>>) =>
    makeBodies({ read, open: async () => null }, new Cache<Blob>(1024 * 1024), () => {});

  test.each(["four", "sixsix"])("that has not its size is not sent: %s", async (text) => {
    const bodies = bodiesOf(async () => new TextEncoder().encode(text));
    await expect(bodies.read(representation)).rejects.toThrow(`has ${text.length} bytes, not 5`);
  });

  test("that cannot be read now is read again for the next visitor", async () => {
    let reads = 0;
    const bodies = bodiesOf(async () => {
      if (++reads === 1) throw new Error("the disk failed");
      return new TextEncoder().encode("hello");
    });
    await expect(bodies.read(representation)).rejects.toThrow("the disk failed");
    expect(await new Response(await bodies.read(representation)).text()).toBe("hello");
    expect(reads).toBe(2);
  });
});
