import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
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
import { dirname, join } from "node:path";
import { syncFilesystem } from "../../disk/sync.ts";
import { contentContract, kindOfFailure, sample } from "../contract.ts";
import { openContentFolder, openFilesystemContent } from "./filesystem.ts";
import { placesIn } from "./places.ts";

const home = mkdtempSync(join(tmpdir(), "vitrine-content-"));
afterAll(() => rmSync(home, { recursive: true }));

let opened = 0;
function newRoot(): string {
  const folder = join(home, String(opened++));
  mkdirSync(folder);
  return join(folder, "content");
}

function newContent() {
  const root = newRoot();
  return { root, content: openFilesystemContent(root), path: placesIn(root).path };
}

const NOBODY = 65_534;

/** Drops root's privileges during the action, because root can read and write everything. */
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

describe("the content store in a folder", async () => {
  contentContract(() => {
    const root = newRoot();
    return [openFilesystemContent(root), openFilesystemContent(root)];
  });

  test("an unusable file makes each method fail as unavailable", async () => {
    const { content } = newContent();
    const { read, stat, put, stage, undo, sync, list, delete: remove, deleteUnfinished } = content;
    const [digest, bytes] = sample("refused");
    await put(digest, bytes);
    const staged = await stage();
    await staged.write(bytes);
    const attempts: Record<string, () => unknown> = {
      read: () => read(digest),
      stat: () => stat(digest),
      put: () => put(digest, bytes),
      stage,
      commit: () => staged.commit(digest),
      undo,
      sync,
      list: () => Array.fromAsync(list()),
      delete: () => remove(digest, Number.POSITIVE_INFINITY),
      deleteUnfinished: () => deleteUnfinished(Date.now()),
    };
    const kinds: Record<string, string> = {};
    await withoutRights(async () => {
      for (const [name, attempt] of Object.entries(attempts)) kinds[name] = await kindOfFailure(attempt);
    });
    await staged.abort();
    expect(kinds).toEqual(Object.fromEntries(Object.keys(attempts).map((name) => [name, "unavailable"])));
  });

  test("damaged content is reported with its digest", async () => {
    const { content, path } = newContent();
    const [digest] = sample("whole");
    mkdirSync(dirname(path(digest)));
    writeFileSync(path(digest), "rotten");
    expect(await content.hash(digest)).toEqual({ digest: sample("rotten")[0], size: 6 });
  });

  test("unreadable content is reported as such, not as damaged", async () => {
    const { content, path } = newContent();
    const [digest, bytes] = sample("out of reach");
    await content.put(digest, bytes);
    const message = "the content store cannot be read or written: check the data folder";
    await withoutRights(async () => {
      await expect(content.hash(digest)).rejects.toThrow(message);
    });
    rmSync(path(digest));
    symlinkSync(path(digest), path(digest));
    await expect(content.hash(digest)).rejects.toThrow(message);
  });

  test("other users can neither read its files nor enter its folders", async () => {
    const { root, content, path } = newContent();
    const [digest, bytes] = sample("secret");
    await content.put(digest, bytes);
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(path(digest))).toBe(0o600);
    expect(readdirSync(root).map((name) => mode(join(root, name)))).toEqual([0o700, 0o700]);
    expect(mode(root)).toBe(0o700);
  });

  test("content with another length or other bytes is not accepted for a digest", async () => {
    for (const leftover of ["", "0123456788", "01234567890"]) {
      const { content, path } = newContent();
      const [digest, bytes] = sample("0123456789");
      mkdirSync(dirname(path(digest)));
      writeFileSync(path(digest), leftover);
      await content.put(digest, bytes);
      expect(readFileSync(path(digest), "utf8")).toBe("0123456789");
    }
  });

  test("a store whose folder is gone, such as with its disk, is not created again", async () => {
    const { root, content } = newContent();
    rmSync(root, { recursive: true });
    await expect(content.put(...sample("lost"))).rejects.toThrow("ENOENT");
    await expect(Array.fromAsync(content.list())).rejects.toThrow("ENOENT");
    expect(existsSync(root)).toBe(false);
  });

  test("a leftover file that is written again counts as new, so that no sweep deletes it", async () => {
    const { content, path } = newContent();
    const [digest, bytes] = sample("left by a crash");
    await content.put(digest, bytes);
    utimesSync(path(digest), 1, 1);
    await content.put(digest, bytes);
    expect(await content.delete(digest, Date.now() - 60_000)).toBe(false);
  });

  test("files of a crash in staging are removed once they are old", async () => {
    const { root, content } = newContent();
    await (await content.stage()).write(new Uint8Array(3));
    await content.deleteUnfinished(Date.now() - 60_000);
    expect(readdirSync(join(root, "staging"))).toHaveLength(1);
    await content.deleteUnfinished(Date.now() + 60_000);
    expect(readdirSync(join(root, "staging"))).toEqual([]);
  });

  test("a few files and many are synced in the same way, and a failed sync is reported", async () => {
    const { content, path } = newContent();
    for (let count = 0; count < 40; count++) await content.put(...sample(`many ${count}`));
    await content.sync();
    const [digest, bytes] = sample("one");
    await content.put(digest, bytes);
    rmSync(path(digest));
    expect(content.sync()).rejects.toThrow("ENOENT");
  });

  test("a failed write-back becomes an error of the domain", () => {
    expect(() => syncFilesystem(-1)).toThrow("the disk fails");
  });

  test("outside a data folder, errors are not translated", async () => {
    const content = openContentFolder(newRoot());
    await withoutRights(async () => expect(content.deleteUnfinished(0)).rejects.toThrow("EACCES"));
  });

  test("a second instance finds what the first one wrote", async () => {
    const root = newRoot();
    const [digest, bytes] = sample("kept");
    await openFilesystemContent(root).put(digest, bytes);
    expect(await openFilesystemContent(root).read(digest)).toEqual(bytes);
  });
});
