import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArchiveFile } from "../../archive/zip/archive-file.ts";
import { diskFull } from "../../domain/disk-error.ts";
import { DomainError } from "../../domain/errors.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { clearSpool, filesystemSpool } from "./filesystem.ts";

const root = temporaryFolder();

test("a spooled file can be read repeatedly until it is discarded", async () => {
  const file = await filesystemSpool(root).create(0);
  await file.write(new TextEncoder().encode("arch"));
  await file.write(new TextEncoder().encode("ive"));
  await file.close();
  expect(await Bun.file(file.path).text()).toBe("archive");
  await file.delete();
  await file.delete();
  expect(existsSync(file.path)).toBe(false);
});

test("a file that cannot be removed does not fail the request, and the next start removes it", async () => {
  const file = await filesystemSpool(root).create(0);
  await file.close();
  rmSync(file.path);
  mkdirSync(file.path);
  writeFileSync(join(file.path, "in the way"), "");
  await file.delete();
  expect(readdirSync(root)).toHaveLength(1);
  clearSpool(root);
  expect(readdirSync(root)).toEqual([]);
});

test("an upload that would use the reserve is refused at its start or when it grows", async () => {
  const folder = join(root, "guarded");
  const guard = { left: 10 };
  const spool = filesystemSpool(folder, (bytes) => {
    guard.left -= bytes;
    if (guard.left < 0) throw diskFull();
  });
  const file = await spool.create(0);
  await file.write(new Uint8Array(10));
  await expect(file.write(new Uint8Array(1))).rejects.toMatchObject({ kind: "disk_full" });
  await expect(spool.create(1)).rejects.toMatchObject({ kind: "disk_full" });
  await file.delete();
  expect(readdirSync(folder)).toEqual([]);
});

needing("proc").test("an archive that the disk cannot read is not reported as the user's mistake", () => {
  const unreadable = join(root, "unreadable");
  // /proc/self/mem has nothing at its beginning, so that reading fails with EIO.
  symlinkSync("/proc/self/mem", unreadable);
  const file = new ArchiveFile(unreadable);
  expect(() => file.read(Buffer.alloc(1), 0)).toThrow(DomainError);
  file.close();
});
