import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { ArchiveFile } from "./archive-file.ts";
import { type Entry, STORED } from "./entry.ts";
import { inflateInChunks } from "./inflate.ts";

const folder = temporaryFolder();

const MIB = 1024 * 1024;
const DEFLATED = 8;

test.each([
  ["deflated", DEFLATED, deflateRawSync(Buffer.alloc(32 * MIB))],
  ["stored", STORED, Buffer.alloc(4 * MIB)],
])("of %s content that is longer than declared, no byte beyond that is accepted", async (what, method, data) => {
  const path = join(folder, what);
  writeFileSync(path, data);
  const file = new ArchiveFile(path);
  const entry = { name: "bomb", method, size: MIB, compressedSize: data.length, crc: 0, dataAt: 0 } as Entry;
  let accepted = 0;
  const inflated = inflateInChunks(file, entry, async (chunk) => {
    accepted += chunk.length;
  });
  await expect(inflated).rejects.toThrow("size");
  expect(accepted).toBe(MIB);
  file.close();
});
