import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDataFolder } from "../../app/operator.ts";
import { loadConfig } from "../../config/settings.ts";
import { openFilesystemBlobs } from "../content/filesystem/filesystem.ts";
import { placesIn } from "../content/filesystem/places.ts";
import { addSession } from "../contract/people.ts";
import { takeSnapshot } from "../sqlite/snapshot.ts";
import { backupDataFolder } from "./backup.ts";
import { UnusableBackup, UnusableDataFolder } from "./data-folder.ts";

const home = mkdtempSync(join(tmpdir(), "vitrine-backup-"));
afterAll(() => rmSync(home, { recursive: true }));

const dataDir = join(home, "data");
const config = loadConfig({ flags: { dataDir }, env: {} });

/** Publishes a site of one file. */
async function publish(content: Uint8Array): Promise<void> {
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  openFilesystemBlobs(join(dataDir, "content")).write(digest, content);
  const manifest = { files: [{ path: "index.html", digest, size: content.length }], redirects: [], headers: [] };
  await withDataFolder(config, async ({ store }) => {
    const ada = { provider: "local", subject: "1", login: "ada", name: null, avatarUrl: null } as const;
    await store.users.add({ ...ada, mayOwn: true, passwordHash: null, createdAt: 0 });
    const { id = 0 } = (await store.users.findByLogin("local", "ada")) ?? {};
    const credential = { kind: "session", sessionId: await addSession(store, id) } as const;
    const demo = { siteName: "demo", ownerId: id, onlySiteId: null, makePrivate: false, credential };
    await store.deployments.publish({ ...demo, manifest, reused: [], warnings: [], actor: "ada", createdAt: 1 });
  });
}

describe.skipIf(process.getuid?.() !== 0)(
  "where the disk that a backup goes to is full, the place on it is named",
  () => {
    const disk = join(home, "disk");

    beforeAll(async () => {
      mkdirSync(disk);
      await publish(crypto.getRandomValues(new Uint8Array(8 * 1024 * 1024)));
    });

    async function expectRefused(place: string, kibibytes: number): Promise<void> {
      await Bun.$`mount -t tmpfs -o size=${kibibytes}k vitrine-test ${disk}`;
      try {
        const refusal = await backupDataFolder(config, null, place, () => {}).catch((error: unknown) => error);
        expect(refusal).toEqual(new UnusableBackup(`${place} cannot be written: its disk is full`));
        expect(readdirSync(disk).filter((name) => name.startsWith("vitrine-backup"))).toEqual([]);
      } finally {
        await Bun.$`umount --lazy ${disk}`.nothrow().quiet();
      }
    }

    test("a folder", () => expectRefused(`${disk}/`, 4096));

    test.each([
      ["before anything", 16],
      ["in the middle of large content", 4096],
    ])("a file, full %s", (_, kibibytes) => expectRefused(join(disk, "backup.tar.zst"), kibibytes));

    test("a file, full at its last bytes", async () => {
      const file = join(home, "measured.tar.zst");
      const database = join(home, "measured.db");
      await backupDataFolder(config, null, file, () => {});
      takeSnapshot(join(dataDir, "vitrine.db"), database);
      const pages = [file, database].map((path) => Math.ceil(statSync(path).size / 4096));
      const needed = pages.reduce((sum, count) => sum + count, 0) * 4;
      await expectRefused(join(disk, "backup.tar.zst"), needed - 4);
    });
  },
);

test.each(["backup.tar.zst", "backup/"])(
  "content that cannot be read is named, and not where %s goes",
  async (name) => {
    const content = new TextEncoder().encode("out of reach");
    await publish(content);
    const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    const file = placesIn(join(dataDir, "content")).path(digest);
    rmSync(file);
    // Root may read everything else.
    symlinkSync(file, file);
    const refusal = await backupDataFolder(config, null, `${home}/${name}`, () => {}).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnusableDataFolder);
    expect((refusal as Error).message).toBe(
      `${file} cannot be read by uid ${process.getuid?.()}, who runs this (ELOOP)`,
    );
    rmSync(file);
  },
);
