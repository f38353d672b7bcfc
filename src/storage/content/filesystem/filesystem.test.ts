import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobsContract, sample } from "../contract.ts";
import { openContentFolder, openFilesystemBlobs, upgradeContentFolder } from "./filesystem.ts";
import { syncFilesystem } from "./syncfs.ts";

const home = mkdtempSync(join(tmpdir(), "vitrine-blobs-"));
afterAll(() => rmSync(home, { recursive: true }));

let opened = 0;
function newRoot(): string {
  const folder = join(home, String(opened++));
  mkdirSync(folder);
  return join(folder, "content");
}

const NOBODY = 65_534;

/** Root may do everything, so it is somebody else for as long. */
async function withoutRights(action: () => Promise<void>): Promise<void> {
  const own = process.geteuid?.();
  if (own === 0) process.seteuid?.(NOBODY);
  else chmodSync(home, 0);
  try {
    await action();
  } finally {
    if (own === 0) process.seteuid?.(own);
    else chmodSync(home, 0o700);
  }
}

describe("the content store in a folder", () => {
  blobsContract(() => {
    const root = newRoot();
    return [openFilesystemBlobs(root), openFilesystemBlobs(root)];
  }, withoutRights);

  test("content that may not be read is told, and not taken for damaged", async () => {
    const blobs = openFilesystemBlobs(newRoot());
    const [digest, content] = sample("out of reach");
    blobs.write(digest, content);
    const told = "the content store cannot be read or written: check the data folder";
    await withoutRights(async () => {
      await expect(blobs.hash(digest)).rejects.toThrow(told);
    });
    rmSync(blobs.path(digest));
    symlinkSync(blobs.path(digest), blobs.path(digest));
    await expect(blobs.hash(digest)).rejects.toThrow(told);
  });

  test("nobody else may read its files or enter its folders", () => {
    const root = newRoot();
    const blobs = openFilesystemBlobs(root);
    const [digest, content] = sample("secret");
    blobs.write(digest, content);
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(blobs.path(digest))).toBe(0o600);
    expect(readdirSync(root).map((name) => mode(join(root, name)))).toEqual(Array(257).fill(0o700));
    expect(mode(root)).toBe(0o700);
  });

  test("content of another length or other bytes under the digest is not taken for it", () => {
    for (const leftover of ["", "0123456788", "01234567890"]) {
      const blobs = openFilesystemBlobs(newRoot());
      const [digest, content] = sample("0123456789");
      writeFileSync(blobs.path(digest), leftover);
      blobs.write(digest, content);
      expect(readFileSync(blobs.path(digest), "utf8")).toBe("0123456789");
    }
  });

  test("a leftover that is written again counts as new, so that no sweep takes it", () => {
    const blobs = openFilesystemBlobs(newRoot());
    const [digest, content] = sample("left by a crash");
    blobs.write(digest, content);
    utimesSync(blobs.path(digest), 1, 1);
    blobs.write(digest, content);
    expect(blobs.delete(digest, Date.now() - 60_000)).toBe(false);
  });

  test("what an earlier version's interrupted sweep had set aside comes back, over nothing that is there", () => {
    const root = newRoot();
    const blobs = openFilesystemBlobs(root);
    const [[back, content], [anew]] = [sample("comes back"), sample("written anew")];
    blobs.write(...sample("written anew"));
    mkdirSync(join(root, "trash"));
    writeFileSync(join(root, "trash", back), content);
    writeFileSync(join(root, "trash", `${back}.br`), "encoded");
    writeFileSync(join(root, "trash", anew), "half a file");
    upgradeContentFolder(root);
    expect(readFileSync(blobs.path(back), "utf8")).toBe("comes back");
    expect(readFileSync(blobs.path(back, "br"), "utf8")).toBe("encoded");
    expect(readFileSync(blobs.path(anew), "utf8")).toBe("written anew");
    expect(readdirSync(join(root, "trash"))).toEqual([]);
  });

  test("what a crash left in staging is removed once it is old", () => {
    const root = newRoot();
    const blobs = openFilesystemBlobs(root);
    blobs.stage().write(new Uint8Array(3));
    blobs.discardUnfinished(Date.now() - 60_000);
    expect(readdirSync(join(root, "staging"))).toHaveLength(1);
    blobs.discardUnfinished(Date.now() + 60_000);
    expect(readdirSync(join(root, "staging"))).toEqual([]);
  });

  test("few and many files are synced alike, and a failing sync is told", async () => {
    const blobs = openFilesystemBlobs(newRoot());
    for (let count = 0; count < 40; count++) blobs.write(...sample(`many ${count}`));
    await blobs.sync();
    const [digest, content] = sample("one");
    blobs.write(digest, content);
    rmSync(blobs.path(digest));
    expect(blobs.sync()).rejects.toThrow("ENOENT");
  });

  test("what cannot be written back to the disk is told in the domain's words", () => {
    expect(() => syncFilesystem(-1)).toThrow("the disk fails");
  });

  test("in a folder that is no data folder failures are told as they are", async () => {
    const blobs = openContentFolder(newRoot());
    await withoutRights(async () => expect(() => blobs.discardUnfinished(0)).toThrow("EACCES"));
  });

  test("a second opening finds what the first wrote", () => {
    const root = newRoot();
    const [digest, content] = sample("kept");
    openFilesystemBlobs(root).write(digest, content);
    expect(readFileSync(openFilesystemBlobs(root).path(digest))).toEqual(Buffer.from(content));
  });
});
