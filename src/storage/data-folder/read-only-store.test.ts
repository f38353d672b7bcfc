import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { UnusableDataFolder } from "../folder/data-folder.ts";
import { becomeLaterVersion } from "../sqlite/testing/earlier-database.ts";
import { openReadOnlyStorage } from "./read-only-store.ts";
import { eachWithOwnTemporaryFolder, earlierBackup } from "./testing/earlier-backup.ts";

const home = eachWithOwnTemporaryFolder({ beforeEach, afterEach });

test("the temporary copy has no name, so that nothing remains however the process ends", async () => {
  const earlier = await earlierBackup(home());
  using _ = becomeLaterVersion();
  const { store, close } = await openReadOnlyStorage(earlier);
  expect(readdirSync(join(home(), "tmp"))).toEqual([]);
  expect(await store.checkIntegrity()).toEqual([]);
  expect(await Array.fromAsync(store.deployments.all())).not.toEqual([]);
  close();
  expect(readdirSync(join(home(), "tmp"))).toEqual([]);
});

test("an abort during the copy takes effect, and nothing remains", async () => {
  const { root } = await earlierBackup(home());
  const program = `
    import { dataFolder } from "${import.meta.dir}/../folder/data-folder.ts";
    import { openReadOnlyStorage } from "${import.meta.dir}/read-only-store.ts";
    import { becomeLaterVersion } from "${import.meta.dir}/../sqlite/testing/earlier-database.ts";
    becomeLaterVersion();
    const opened = openReadOnlyStorage(dataFolder(${JSON.stringify(root)}));
    process.kill(process.pid, "SIGTERM");
    await opened;
    console.log("went on");
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  expect([await child.stdout.text(), await child.exited]).toEqual(["", 143]);
  expect(readdirSync(join(home(), "tmp"))).toEqual([]);
});

describe.each([
  ["an earlier version", "becomeLaterVersion();"],
  ["this version", ""],
])("a write-protected backup of %s", (_, become) => {
  needing("no privileges").test("can be read by its owner, and no file is created in it", async () => {
    const { root, database } = await earlierBackup(home());
    chmodSync(database, 0o400);
    // Root could still write it, so the test continues as the owner.
    if (process.getuid?.() === 0) await Bun.$`chown -R 65534:65534 ${home()}`;
    const program = `
      import { withReadOnlyStorage } from "${import.meta.dir}/read-only-store.ts";
      import { becomeLaterVersion } from "${import.meta.dir}/../sqlite/testing/earlier-database.ts";
      ${become}
      const found = await withReadOnlyStorage({ dataDir: ${JSON.stringify(root)} }, ({ store }) => store.checkIntegrity());
      console.log(JSON.stringify(found));
    `;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    expect(await child.stdout.text()).toBe("[]\n");
    expect(readdirSync(root).sort()).toEqual(["vitrine-backup.json", "vitrine.db"]);
  });
});

test("a missing temporary folder is reported with the variable that names another", async () => {
  const folder = await earlierBackup(home());
  using _ = becomeLaterVersion();
  rmSync(join(home(), "tmp"), { recursive: true });
  const refusal = await openReadOnlyStorage(folder).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UnusableDataFolder);
  const { detail, advice } = refusal as UnusableDataFolder;
  expect(detail).toStartWith(`the temporary folder ${join(home(), "tmp")} cannot be used (ENOENT`);
  expect(advice).toBe("set another one in TMPDIR");
});
