import { expect } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { withDisk } from "../testing/disk.ts";
import { needing } from "../testing/needing.ts";
import { run, scratchFolder, signUp } from "./testing/executable.ts";

needing("disk").test("a restore removes its folder if the disk has no room for another file", async () => {
  using folder = scratchFolder();
  const [data, file, disk] = ["data", "backup.tar.zst", "disk"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await signUp(data, "ada");
  expect((await run(["backup", file, "--data-dir", data])).status).toBe(0);
  mkdirSync(disk);
  // One inode for the disk itself, and one for the folder.
  await withDisk(disk, "nr_inodes=2", async () => {
    expect((await run(["restore", file, "--data-dir", join(disk, "data")])).status).toBe(1);
    expect(readdirSync(disk)).toEqual([]);
  });
});
