import { expect, test } from "bun:test";
import type { Encoding } from "../domain/ports/content.ts";
import type { Representation } from "./answer.ts";
import { makeBodies } from "./bodies.ts";

const representationOf = (key: string, size: number) =>
  ({ key, digest: key, encoding: "identity", size }) as Representation;

test("a large file that is asked for again is kept before a page that was asked for once, though many have to go", async () => {
  const read: string[] = [];
  const content = {
    path: (digest: string) => digest,
    read: async () => new Uint8Array(),
    readPart: () => new Uint8Array(),
    readNow(digest: string, _encoding: Encoding, size: number) {
      read.push(digest);
      return new Uint8Array(size);
    },
  };
  const bodies = makeBodies(content, 1024 * 1024);
  for (let page = 0; page < 300; page++) bodies.read(representationOf(`page ${page}`, 4096));
  for (let time = 0; time < 30; time++) bodies.read(representationOf("large", 200_000));
  // It takes the place of forty pages; were a miss of it no dearer than theirs, that would take forty visits.
  expect(read.filter((digest) => digest === "large").length).toBeLessThan(15);
});
