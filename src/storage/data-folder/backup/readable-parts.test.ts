import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { diskFails } from "../../../domain/disk-error.ts";
import type { BackupPart, BackupTarget } from "../../../domain/ports/backup.ts";
import type { ByteSpan } from "../../../domain/ports/content.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { folderObjects } from "../../objects/folder.ts";
import { migrate } from "../../sqlite/migrate.ts";
import { partsOfPlace } from "../scheduled/parts.ts";
import { placedTarget } from "../scheduled/target.ts";
import { archiveTarget, partsOfArchive } from "./archive.ts";
import { sqliteDatabase } from "./database-source.ts";
import { folderTarget, partsOfFolder } from "./folder.ts";

const root = temporaryFolder();

const database = join(root, "vitrine.db");
await migrate(database);
const bytes = new Uint8Array(300 * 1024).fill(7);
const [digest, size] = [Bun.CryptoHasher.hash("sha256", bytes, "hex"), bytes.length];

/** Fails to read the end of the content with an error. */
const failingWith = (error: unknown) => ({
  database: sqliteDatabase(database),
  content: {
    stat: async () => ({ size, modifiedAt: 0 }),
    async read(_: string, { start, end } = { start: 0, end: size } as ByteSpan) {
      if (end > size) throw error;
      return bytes.slice(start, end);
    },
  },
  settings: null,
  origin: { vitrine: "1.0.0", created_at: "2026-11-22T00:00:00.000Z", settings_from: null },
});

type Files = ReturnType<typeof failingWith>;

const objects = folderObjects(join(root, "place"));
const id = "20261122T000000000Z";
const placed = async (files: Files) => {
  await objects.prepare();
  return placedTarget(objects, files, { id, scratch: root, known: new Map(), fileOf: null });
};
const [file, folder] = [join(root, "backup.tar.zst"), join(root, "backup")];

const targets: [string, (files: Files) => Promise<BackupTarget>, () => Promise<AsyncIterable<BackupPart>>][] = [
  ["a file", async (files) => archiveTarget(file, files), () => partsOfArchive(file)],
  ["a folder", (files) => folderTarget(folder, files), async () => partsOfFolder(folder)],
  ["a destination", placed, async () => partsOfPlace(objects, id)],
];
mkdirSync(folder);

test.each(targets)("content that the disk cannot read does not prevent a backup to %s", async (_, open, parts) => {
  const target = await open(failingWith(diskFails("content", Object.assign(new Error("EIO"), { code: "EIO" }))));
  const snapshot = await target.takeSnapshot();
  expect(await target.copy({ digest, size })).toBe("damaged");
  await target.complete(snapshot);
  const kinds: string[] = [];
  for await (const part of await parts()) {
    for await (const _ of part.read());
    kinds.push(part.kind);
  }
  expect(kinds).toContain("store");
});

test.each(targets)("a backup to %s fails if content cannot be read for another reason", async (_, open) => {
  const target = await open(failingWith(new Error("the bucket is away")));
  await target.takeSnapshot();
  await expect(target.copy({ digest, size })).rejects.toThrow("the bucket is away");
  await target.abandon();
});
