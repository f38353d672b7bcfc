import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveFile } from "../../archive/zip/archive-file.ts";
import { DomainError } from "../../domain/errors.ts";
import { needing } from "../../testing/needing.ts";
import { clearSpool, filesystemSpool } from "./filesystem.ts";

const root = mkdtempSync(join(tmpdir(), "vitrine-spool-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("what was written is there until it is discarded, however often", async () => {
  const file = await filesystemSpool(root).create();
  await file.write(new TextEncoder().encode("arch"));
  await file.write(new TextEncoder().encode("ive"));
  await file.close();
  expect(await Bun.file(file.path).text()).toBe("archive");
  await file.discard();
  await file.discard();
  expect(existsSync(file.path)).toBe(false);
});

test("a file that cannot be removed spoils no answer, and the next start removes it", async () => {
  const file = await filesystemSpool(root).create();
  await file.close();
  rmSync(file.path);
  mkdirSync(file.path);
  writeFileSync(join(file.path, "in the way"), "");
  await file.discard();
  expect(readdirSync(root)).toHaveLength(1);
  clearSpool(root);
  expect(readdirSync(root)).toEqual([]);
});

needing("proc").test("an archive that the disk cannot read is nobody's mistake", () => {
  const unreadable = join(root, "unreadable");
  // The memory of a process has nothing at its beginning: EIO.
  symlinkSync("/proc/self/mem", unreadable);
  const file = new ArchiveFile(unreadable);
  expect(() => file.read(Buffer.alloc(1), 0)).toThrow(DomainError);
  file.close();
});
