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
import { contentContract, sample } from "../contract.ts";
import { openContentFolder, openFilesystemContent, upgradeContentFolder } from "./filesystem.ts";
import { syncFilesystem } from "./syncfs.ts";

const home = mkdtempSync(join(tmpdir(), "vitrine-content-"));
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
  contentContract(() => {
    const root = newRoot();
    return [openFilesystemContent(root), openFilesystemContent(root)];
  }, withoutRights);

  test("content that may not be read is told, and not taken for damaged", async () => {
    const content = openFilesystemContent(newRoot());
    const [digest, bytes] = sample("out of reach");
    content.write(digest, bytes);
    const told = "the content store cannot be read or written: check the data folder";
    await withoutRights(async () => {
      await expect(content.hash(digest)).rejects.toThrow(told);
    });
    rmSync(content.path(digest));
    symlinkSync(content.path(digest), content.path(digest));
    await expect(content.hash(digest)).rejects.toThrow(told);
  });

  test("nobody else may read its files or enter its folders", () => {
    const root = newRoot();
    const content = openFilesystemContent(root);
    const [digest, bytes] = sample("secret");
    content.write(digest, bytes);
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(content.path(digest))).toBe(0o600);
    expect(readdirSync(root).map((name) => mode(join(root, name)))).toEqual(Array(257).fill(0o700));
    expect(mode(root)).toBe(0o700);
  });

  test("content of another length or other bytes under the digest is not taken for it", () => {
    for (const leftover of ["", "0123456788", "01234567890"]) {
      const content = openFilesystemContent(newRoot());
      const [digest, bytes] = sample("0123456789");
      writeFileSync(content.path(digest), leftover);
      content.write(digest, bytes);
      expect(readFileSync(content.path(digest), "utf8")).toBe("0123456789");
    }
  });

  test("a leftover that is written again counts as new, so that no sweep takes it", () => {
    const content = openFilesystemContent(newRoot());
    const [digest, bytes] = sample("left by a crash");
    content.write(digest, bytes);
    utimesSync(content.path(digest), 1, 1);
    content.write(digest, bytes);
    expect(content.delete(digest, Date.now() - 60_000)).toBe(false);
  });

  test("what an earlier version's interrupted sweep had set aside comes back, over nothing that is there", () => {
    const root = newRoot();
    const content = openFilesystemContent(root);
    const [[back, bytes], [anew]] = [sample("comes back"), sample("written anew")];
    content.write(...sample("written anew"));
    mkdirSync(join(root, "trash"));
    writeFileSync(join(root, "trash", back), bytes);
    writeFileSync(join(root, "trash", `${back}.br`), "encoded");
    writeFileSync(join(root, "trash", anew), "half a file");
    upgradeContentFolder(root);
    expect(readFileSync(content.path(back), "utf8")).toBe("comes back");
    expect(readFileSync(content.path(back, "br"), "utf8")).toBe("encoded");
    expect(readFileSync(content.path(anew), "utf8")).toBe("written anew");
    expect(readdirSync(join(root, "trash"))).toEqual([]);
  });

  test("what a crash left in staging is removed once it is old", () => {
    const root = newRoot();
    const content = openFilesystemContent(root);
    content.stage().write(new Uint8Array(3));
    content.discardUnfinished(Date.now() - 60_000);
    expect(readdirSync(join(root, "staging"))).toHaveLength(1);
    content.discardUnfinished(Date.now() + 60_000);
    expect(readdirSync(join(root, "staging"))).toEqual([]);
  });

  test("few and many files are synced alike, and a failing sync is told", async () => {
    const content = openFilesystemContent(newRoot());
    for (let count = 0; count < 40; count++) content.write(...sample(`many ${count}`));
    await content.sync();
    const [digest, bytes] = sample("one");
    content.write(digest, bytes);
    rmSync(content.path(digest));
    expect(content.sync()).rejects.toThrow("ENOENT");
  });

  test("what cannot be written back to the disk is told in the domain's words", () => {
    expect(() => syncFilesystem(-1)).toThrow("the disk fails");
  });

  test("in a folder that is no data folder failures are told as they are", async () => {
    const content = openContentFolder(newRoot());
    await withoutRights(async () => expect(() => content.discardUnfinished(0)).toThrow("EACCES"));
  });

  test("a second opening finds what the first wrote", () => {
    const root = newRoot();
    const [digest, bytes] = sample("kept");
    openFilesystemContent(root).write(digest, bytes);
    expect(readFileSync(openFilesystemContent(root).path(digest))).toEqual(Buffer.from(bytes));
  });
});
