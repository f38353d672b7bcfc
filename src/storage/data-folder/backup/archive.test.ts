import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";
import { archiveTarget } from "./archive.ts";
import { sqliteDatabase } from "./database-source.ts";

const folder = temporaryFolder();

test("the files of a killed backup are removed before the next one needs their space", async () => {
  const killed = join(folder, "vitrine-backup.partial-killed");
  mkdirSync(killed);
  for (const name of ["lock", "archive"]) writeFileSync(join(killed, name), "");
  const target = archiveTarget(join(folder, "backup.tar.zst"), {
    database: sqliteDatabase(join(folder, "vitrine.db")),
    content: { stat: async () => null, read: async () => new Uint8Array() },
    settings: null,
    origin: { vitrine: "1.0.0", created_at: "2026-11-22T00:00:00.000Z", settings_from: null },
  });
  const [own, ...others] = readdirSync(folder);
  expect([own, others]).toEqual([expect.stringMatching(/^vitrine-backup.partial-(?!killed)/), []]);
  await target.abandon();
  expect(readdirSync(folder)).toEqual([]);
});
