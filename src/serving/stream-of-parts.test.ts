import { expect, test } from "bun:test";
import type { ByteSpan } from "../domain/ports/content.ts";
import { PART_BYTES, streamOfParts } from "./stream-of-parts.ts";

const content = Uint8Array.from({ length: 5 * PART_BYTES + 7 }, (_, index) => index % 251);

function streamed(start: number, end: number, failsAt = Infinity) {
  const reads: [number, number][] = [];
  const reported: unknown[] = [];
  const read = async (part: ByteSpan) => {
    reads.push([part.start, part.end]);
    if (part.start >= failsAt) throw new Error("bad sector");
    return content.slice(part.start, part.end);
  };
  return { reads, reported, stream: streamOfParts(read, { start, end }, (error) => reported.push(error)) };
}

test.each([
  [0, content.length],
  [0, 1],
  [0, PART_BYTES],
  [PART_BYTES - 1, 2 * PART_BYTES + 1],
  [content.length - 1, content.length],
])("from byte %i to before %i it is the content", async (start, end) => {
  const { stream } = streamed(start, end);
  expect(await new Response(await stream).bytes()).toEqual(content.slice(start, end));
});

test("it reads only what is consumed: the first part at once, the others one by one", async () => {
  const { reads, stream } = streamed(0, content.length);
  const reader = (await stream).getReader();
  await new Promise((done) => setImmediate(done));
  expect(reads).toEqual([[0, PART_BYTES]]);
  await reader.read();
  await reader.read();
  expect(reads).toEqual([
    [0, PART_BYTES],
    [PART_BYTES, 2 * PART_BYTES],
  ]);
  await reader.cancel();
  await new Promise((done) => setImmediate(done));
  expect(reads).toHaveLength(2);
});

test("unreadable content fails before the stream starts", async () => {
  const { stream } = streamed(0, content.length, 0);
  expect(Promise.resolve(stream)).rejects.toThrow("bad sector");
});

test("content that becomes unreadable ends with an error, which is reported once", async () => {
  const { stream, reported } = streamed(0, content.length, PART_BYTES);
  expect(new Response(await stream).bytes()).rejects.toThrow("bad sector");
  await new Promise((done) => setImmediate(done));
  expect(reported).toEqual([new Error("bad sector")]);
});
