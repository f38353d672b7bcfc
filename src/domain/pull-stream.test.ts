import { expect, test } from "bun:test";
import { pullStream } from "./pull-stream.ts";

const CHUNK = new Uint8Array([1]);

test("a stream has the chunks of its source, then ends", async () => {
  const chunks = [CHUNK, CHUNK, null];
  const stream = pullStream({ next: async () => chunks.shift() ?? null });
  expect(await new Response(stream).bytes()).toEqual(new Uint8Array([1, 1]));
});

test("a source that fails ends the stream with its error", async () => {
  const failed: unknown[] = [];
  const error = new Error("the disk is broken");
  const stream = pullStream({ next: () => Promise.reject(error), failed: (reason) => failed.push(reason) });
  expect(await new Response(stream).text().catch((reason) => reason)).toBe(error);
  expect(failed).toEqual([error]);
});

test.each([
  ["returns a chunk", () => CHUNK],
  ["ends", () => null],
  [
    "fails",
    () => {
      throw new Error("the source is closed");
    },
  ],
])("a client that leaves while the source waits closes it, and that it then %s is no failure", async (_, outcome) => {
  const failed: unknown[] = [];
  const closed = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  let count = 0;
  const next = async () => {
    if (count++ === 0) return CHUNK;
    await closed.promise;
    // After everything that follows this chunk.
    setImmediate(settled.resolve);
    return outcome();
  };
  const source = { next, close: () => closed.resolve(), failed: (error: unknown) => failed.push(error) };
  using server = Bun.serve({ port: 0, development: false, fetch: () => new Response(pullStream(source)) });
  const client = new AbortController();
  const response = await fetch(server.url, { signal: client.signal });
  await response.body?.getReader().read();
  client.abort();
  await settled.promise;
  expect(failed).toEqual([]);
});
