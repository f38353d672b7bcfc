import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataFolder } from "../../folder/data-folder.ts";
import { sealCopy } from "../../sqlite/snapshot.ts";
import { makeFilledDatabase } from "../../sqlite/testing/earlier-database.ts";

interface Hooks {
  beforeEach(hook: () => void): void;
  afterEach(hook: () => void): void;
}

/** Creates a folder with a temporary folder that the process uses until this is disposed. */
export function ownTemporaryFolder(): { readonly home: string } & Disposable {
  const before = process.env.TMPDIR;
  const home = mkdtempSync(join(tmpdir(), "vitrine-look-test-"));
  mkdirSync(join(home, "tmp"));
  process.env.TMPDIR = join(home, "tmp");
  return {
    home,
    [Symbol.dispose]() {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      rmSync(home, { recursive: true });
    },
  };
}

/** Gives each test a temporary folder of its own, as `ownTemporaryFolder` does, and returns what returns it. */
export function eachWithOwnTemporaryFolder({ beforeEach, afterEach }: Hooks): () => string {
  let place: ReturnType<typeof ownTemporaryFolder>;
  beforeEach(() => {
    place = ownTemporaryFolder();
  });
  afterEach(() => place[Symbol.dispose]());
  return () => place.home;
}

/** Creates a backup in `home`. After `becomeLaterVersion` it is one of an earlier version. */
export async function earlierBackup(home: string) {
  const folder = dataFolder(join(home, "backup"));
  mkdirSync(folder.root);
  await makeFilledDatabase(join(home, "earlier.db"));
  copyFileSync(join(home, "earlier.db"), folder.database);
  await sealCopy(folder.database);
  writeFileSync(folder.description, "{}");
  return folder;
}
