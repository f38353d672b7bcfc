import { expect } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../config/settings.ts";
import { withDisk } from "../../testing/disk.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { UnusableBackup } from "../folder/data-folder.ts";
import { takeSnapshot } from "../sqlite/snapshot.ts";
import { backupDataFolder } from "./backup.ts";
import { publish } from "./testing/published.ts";

const ORDER = { replace: false, settingsFile: null, version: "1.0.0", createdAt: 0 };

const { beforeAll, describe, test } = needing("disk");

const home = temporaryFolder();
const disk = join(home, "disk");
const config = loadConfig({ flags: { dataDir: join(home, "data") }, env: {} });

beforeAll(async () => {
  mkdirSync(disk);
  await publish(config, crypto.getRandomValues(new Uint8Array(8 * 1024 * 1024)));
});

async function expectRefused(place: string, kibibytes: number): Promise<void> {
  await withDisk(disk, `size=${kibibytes}k`, async () => {
    const refusal = await backupDataFolder(config, { ...ORDER, path: place }, () => {}).catch(
      (error: unknown) => error,
    );
    expect(refusal).toEqual(new UnusableBackup(`${place} cannot be written: its disk is full`));
    expect(readdirSync(disk).filter((name) => name.startsWith("vitrine-backup"))).toEqual([]);
  });
}

describe("if the disk of a backup is full, the path on it is named", () => {
  test("a folder", () => expectRefused(`${disk}/`, 4096));

  test.each([
    ["before anything", 16],
    ["in the middle of large content", 4096],
  ])("a file, full %s", (_, kibibytes) => expectRefused(join(disk, "backup.tar.zst"), kibibytes));

  test("a file, full at its last bytes", async () => {
    const file = join(home, "measured.tar.zst");
    const database = join(home, "measured.db");
    await backupDataFolder(config, { ...ORDER, path: file }, () => {});
    takeSnapshot(join(config.dataDir, "vitrine.db"), database);
    const pages = [file, database].map((path) => Math.ceil(statSync(path).size / 4096));
    const needed = pages.reduce((sum, count) => sum + count, 0) * 4;
    await expectRefused(join(disk, "backup.tar.zst"), needed - 4);
  });
});
