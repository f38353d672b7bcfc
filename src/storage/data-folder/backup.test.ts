import { expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../config/settings.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { placesIn } from "../content/filesystem/places.ts";
import { UnusableDataFolder } from "../folder/data-folder.ts";
import { backupDataFolder } from "./backup.ts";
import { publish } from "./testing/published.ts";

const ORDER = { replace: false, settingsFile: null, version: "1.0.0", createdAt: 0 };

test.each(["backup.tar.zst", "backup/"])("unreadable content is named, and not the path of %s", async (name) => {
  const home = temporaryFolder();
  const dataDir = join(home, "data");
  const config = loadConfig({ flags: { dataDir }, env: {} });
  const content = new TextEncoder().encode("out of reach");
  await publish(config, content);
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  const file = placesIn(join(dataDir, "content")).path(digest);
  rmSync(file);
  // Root can read everything else.
  symlinkSync(file, file);
  const refusal = await backupDataFolder(config, { ...ORDER, path: `${home}/${name}` }, () => {}).catch(
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(UnusableDataFolder);
  expect((refusal as Error).message).toBe(`${file} cannot be read by uid ${process.getuid?.()}, who runs this (ELOOP)`);
});
