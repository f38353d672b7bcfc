import { beforeAll, expect } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { withDisk } from "../../testing/disk.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { folderObjects } from "./folder.ts";

const home = temporaryFolder();
beforeAll(() => chmodSync(home, 0o711));

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += 4096) yield new Uint8Array(4096);
}

needing("disk").test("a full disk is reported, nothing incomplete remains, and smaller objects still fit", async () => {
  const root = join(home, "full");
  mkdirSync(root);
  await withDisk(root, "size=128k", async () => {
    const store = folderObjects(root);
    await store.prepare();
    await store.write("kept", zeros(4096));
    const message = `the folder ${root} cannot be used: its disk is full`;
    await expect(store.write("large", zeros(1024 * 1024))).rejects.toThrow(message);
    await expect(store.write("kept", zeros(1024 * 1024))).rejects.toThrow(message);
    expect(readdirSync(join(root, "unfinished"))).toEqual([]);
    await store.write("small", zeros(4096));
    const names = (await Array.fromAsync(store.list(""))).map(({ name, size }) => `${name} ${size}`);
    expect(names.sort()).toEqual(["kept 4096", "small 4096"]);
  });
});

needing("another user").test("a folder without write permission is reported before anything is written", async () => {
  const root = join(home, "theirs");
  mkdirSync(root, { mode: 0o755 });
  chownSync(root, 0, 0);
  process.seteuid?.(65_534);
  try {
    const refusal = `the folder ${root} cannot be used: uid `;
    await expect(folderObjects(root).prepare()).rejects.toThrow(refusal);
  } finally {
    process.seteuid?.(0);
  }
});
