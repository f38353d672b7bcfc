import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { readChunks } from "./read-file.ts";

const MIB = 1024 * 1024;

const folder = temporaryFolder();

test.each([0, 1, MIB, MIB + 1, 3 * MIB + 7])("a file of %d bytes is read completely in small chunks", async (size) => {
  const file = join(folder, "file");
  const content = Buffer.alloc(size, "its content");
  writeFileSync(file, content);
  const chunks = await Array.fromAsync(readChunks(file));
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(MIB);
});

test("the event loop gets turns while small files are read one after the other", async () => {
  const file = join(folder, "small");
  writeFileSync(file, "small");
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  for (let count = 0; count < 10; count++) for await (const _ of readChunks(file));
  expect(hadTurn).toBe(true);
});

test("a missing file is reported with its path", async () => {
  const file = join(folder, "missing");
  await expect(Array.fromAsync(readChunks(file))).rejects.toMatchObject({ code: "ENOENT", path: file });
});
