import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIGRATIONS, migrate } from "../sqlite/migrate.ts";
import { sealCopy } from "../sqlite/snapshot.ts";
import { makeEarlierDatabase } from "../sqlite/testing/earlier-database.ts";
import { dataFolder, UnusableDataFolder } from "./data-folder.ts";
import { openStoreToLook } from "./read-only-store.ts";

const temporary = process.env.TMPDIR;
let home: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "vitrine-look-test-"));
  mkdirSync(join(home, "tmp"));
  process.env.TMPDIR = join(home, "tmp");
});
afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(home, { recursive: true });
});

/** A backup as an earlier executable made it. */
async function earlierBackup(schema = 4) {
  const folder = dataFolder(join(home, "backup"));
  mkdirSync(folder.root);
  await makeEarlierDatabase(join(home, "earlier.db"), schema);
  copyFileSync(join(home, "earlier.db"), folder.database);
  await sealCopy(folder.database);
  writeFileSync(folder.description, "{}");
  return folder;
}

test("the copy that is looked at has no name: however the process ends, nothing of it stays", async () => {
  const store = await openStoreToLook(await earlierBackup());
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
  expect(await store.checkIntegrity()).toEqual([]);
  expect(await Array.fromAsync(store.deployments.all())).not.toEqual([]);
  store.close();
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});

test("whoever asks for the end while the copy is made is heard, and nothing of it stays", async () => {
  const { root } = await earlierBackup();
  const program = `
    import { dataFolder } from "${import.meta.dir}/data-folder.ts";
    import { openStoreToLook } from "${import.meta.dir}/read-only-store.ts";
    const opened = openStoreToLook(dataFolder(${JSON.stringify(root)}));
    process.kill(process.pid, "SIGTERM");
    await opened;
    console.log("went on");
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  expect([await child.stdout.text(), await child.exited]).toEqual(["", 143]);
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});

describe.each([
  ["earlier", 4],
  ["this", MIGRATIONS.length],
])("a write-protected backup that %s executable made", (_, schema) => {
  const isRoot = process.getuid?.() === 0;

  test("is looked at by its owner, and nothing is made in it", async () => {
    const { root, database } = await earlierBackup(schema);
    chmodSync(database, 0o400);
    // Root may write it all the same, and goes on as the owner.
    if (isRoot) await Bun.$`chown -R 65534:65534 ${home}`;
    const program = `
      import { lookAtStore } from "${import.meta.dir}/read-only-store.ts";
      const found = await lookAtStore({ dataDir: ${JSON.stringify(root)} }, (store) => store.checkIntegrity());
      console.log(JSON.stringify(found));
    `;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    expect(await child.stdout.text()).toBe("[]\n");
    expect(readdirSync(root).sort()).toEqual(["vitrine-backup.json", "vitrine.db"]);
  });

  test.skipIf(!isRoot)("is looked at on a disk that is mounted for reading alone", async () => {
    const folder = await earlierBackup(schema);
    await mountedForReading(folder.root, async () => {
      const store = await openStoreToLook(folder);
      expect(await store.checkIntegrity()).toEqual([]);
      store.close();
    });
  });
});

test.skipIf(process.getuid?.() !== 0)("a newer backup on such a disk is named, and not its copy", async () => {
  const folder = await earlierBackup();
  await migrate(folder.database, [...MIGRATIONS, "CREATE TABLE later (id INTEGER) STRICT"]);
  await mountedForReading(folder.root, async () => {
    await expect(openStoreToLook(folder)).rejects.toThrow(`${folder.database} was made by a newer Vitrine`);
  });
});

async function mountedForReading(root: string, work: () => Promise<void>): Promise<void> {
  await Bun.$`mount --bind ${root} ${root}`;
  try {
    await Bun.$`mount -o remount,bind,ro ${root}`;
    await work();
  } finally {
    await Bun.$`umount --lazy ${root}`.nothrow().quiet();
  }
}

test.skipIf(process.getuid?.() !== 0)("the temporary folder needs room for one copy alone", async () => {
  await Bun.$`mount -t tmpfs -o size=500k vitrine-test ${join(home, "tmp")}`;
  try {
    (await openStoreToLook(await earlierBackup())).close();
  } finally {
    await Bun.$`umount --lazy ${join(home, "tmp")}`.nothrow().quiet();
  }
});

describe("a temporary folder that cannot take the copy is told, and how to name another", () => {
  const looking = async () => {
    const folder = await earlierBackup();
    const refusal = await openStoreToLook(folder).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnusableDataFolder);
    return { database: folder.database, refusal: refusal as UnusableDataFolder };
  };

  test("missing", async () => {
    rmSync(join(home, "tmp"), { recursive: true });
    const { refusal } = await looking();
    expect(refusal.detail).toStartWith(`the temporary folder ${join(home, "tmp")} cannot be used (ENOENT`);
    expect(refusal.advice).toBe("name another in TMPDIR");
  });

  // Room for nothing, and for the copy, but not for what bringing it up to date takes.
  test.skipIf(process.getuid?.() !== 0).each(["16k", "340k"])("full at %s", async (size) => {
    await Bun.$`mount -t tmpfs -o size=${size} vitrine-test ${join(home, "tmp")}`;
    try {
      const { database, refusal } = await looking();
      expect(refusal.detail).toBe(`the temporary folder ${join(home, "tmp")} has no room for a copy of ${database}`);
      expect(refusal.advice).toBe("free some space there, or name another in TMPDIR");
      expect(readdirSync(join(home, "tmp"))).toEqual([]);
    } finally {
      await Bun.$`umount --lazy ${join(home, "tmp")}`.nothrow().quiet();
    }
  });
});
