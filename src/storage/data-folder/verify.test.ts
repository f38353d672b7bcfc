import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { examine } from "../../app/doctor.ts";
import { withDataFolder } from "../../app/operator.ts";
import { loadConfig } from "../../config/settings.ts";
import type { Manifest } from "../../domain/model/manifest.ts";
import type { Store } from "../../domain/ports/store.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { sealCopy } from "../sqlite/snapshot.ts";
import { becomeLaterVersion, makeFilledDatabase } from "../sqlite/testing/earlier-database.ts";
import { backupDataFolder } from "./backup.ts";
import { makeDataFolder } from "./testing/make-data-folder.ts";
import { verifyDataFolder } from "./verify.ts";

const ORDER = { replace: false, settingsFile: null, version: "1.0.0", createdAt: 0 };

/** Publishes the same files at each of these times. */
async function publish(store: Store, manifest: Manifest, times: readonly number[]): Promise<void> {
  const { id } = await addPerson(store, "ada");
  const demo = { siteName: "demo", ownerId: id, sessionId: await addSession(store, id), manifest };
  for (const createdAt of times) await store.deployments.publish(publicationOf({ ...demo, createdAt }));
}

test("of many files with the same content the newest few are named, and all are counted", async () => {
  const dataDir = temporaryFolder();
  const config = loadConfig({ flags: { dataDir }, env: {} });
  const digest = "a".repeat(64);
  const manifest = { files: [{ path: "index.html", digest, size: 1 }], redirects: [], headers: [] };
  await makeDataFolder(dataDir);
  await withDataFolder(config, async ({ store }) => {
    await publish(store, manifest, [1, 2, 3, 4, 5, 6, 7]);
  });
  const { problems } = await verifyDataFolder(config, () => {});
  const files = [7, 6, 5, 4, 3].map((number) => `demo#${number}: /index.html`);
  expect(problems).toMatchObject([{ kind: "content_missing", subject: digest, files, needed: 7 }]);
});

test("an invalid digest in a database is a separate problem, and no file is read for it", async () => {
  const dataDir = temporaryFolder();
  const config = loadConfig({ flags: { dataDir }, env: {} });
  const digest = "../../etc/passwd\u001b[2J";
  await makeDataFolder(dataDir);
  await withDataFolder(config, async ({ store }) => {
    await publish(store, { files: [{ path: "index.html", digest, size: 1 }], redirects: [], headers: [] }, [1]);
  });
  const { problems } = await verifyDataFolder(config, () => {});
  const named = '"../../etc/passwd\\u001b[2J", which is no SHA-256 digest';
  const list = `the manifest of demo#1 cannot be read: "index.html" has content ${named}`;
  expect(problems).toMatchObject([
    { kind: "digest_invalid", subject: digest, detail: `the database names content ${named}` },
    { kind: "manifest_damaged", subject: "demo#1", detail: list },
  ]);
});

test("a backup of an older executable is read without a change, so that it can be restored", async () => {
  const home = temporaryFolder();
  const dataDir = join(home, "backup");
  const database = join(dataDir, "vitrine.db");
  mkdirSync(join(dataDir, "content"), { recursive: true });
  await makeFilledDatabase(join(home, "earlier.db"));
  using _ = becomeLaterVersion();
  copyFileSync(join(home, "earlier.db"), database);
  await sealCopy(database);
  writeFileSync(join(dataDir, "vitrine-backup.json"), "{}");
  const before = readFileSync(database);
  const config = loadConfig({ flags: { dataDir, listen: "127.0.0.1:0" }, env: {} });
  expect((await verifyDataFolder(config, () => {})).deployments).toBeGreaterThan(0);
  expect(await examine(config)).toContainEqual(expect.objectContaining({ detail: `${database} is intact` }));
  await backupDataFolder(config, { ...ORDER, path: join(home, "again.tar.zst") }, () => {});
  expect(readFileSync(database).equals(before)).toBe(true);
  expect(readdirSync(dataDir).sort()).toEqual(["content", "vitrine-backup.json", "vitrine.db"]);
});

test("a folder is not changed, not even by creating missing folders", async () => {
  const home = temporaryFolder();
  const dataDir = join(home, "data");
  const config = loadConfig({ flags: { dataDir }, env: {} });
  await makeDataFolder(dataDir);
  mkdirSync(join(dataDir, "content", "ab"), { recursive: true });
  // As tar unpacks it: without empty folders.
  writeFileSync(join(dataDir, "content", "ab", `ab${"0".repeat(62)}`), "");
  chmodSync(dataDir, 0o755);
  expect(await verifyDataFolder(config, () => {})).toMatchObject({ problems: [], leftovers: 1 });
  await backupDataFolder(config, { ...ORDER, path: join(home, "backup.tar.zst") }, () => {});
  expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(dataDir, "content"))).toEqual(["ab"]);
  rmSync(join(dataDir, "content"), { recursive: true });
  expect(await verifyDataFolder(config, () => {})).toMatchObject({ problems: [], leftovers: 0 });
  await backupDataFolder(config, { ...ORDER, path: join(home, "backup/") }, () => {});
  expect(readdirSync(dataDir)).not.toContain("content");
});
