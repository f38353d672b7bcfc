import { expect } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { parseDatabaseUrl } from "../domain/database-url.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { dataFolder } from "./folder/data-folder.ts";
import { memoryObjects } from "./objects/memory.ts";
import { prepareStorage, takeContentPlace } from "./open.ts";
import { prepareReplica } from "./replica/prepare.ts";
import { freshCluster } from "./replica/testing/fresh-cluster.ts";
import { openDatabase } from "./sqlite/open-database.ts";

const { test } = needing("postgres");
const cluster = freshCluster();

test("a node does not start with another bucket than the others, even if there is no content yet", async () => {
  const take = (place: string, objects = memoryObjects()) => {
    const shared = { ...objects, place };
    const bucket = {
      objects: shared,
      forVisitors: shared,
      cacheBytes: 0,
      meters: { hit() {}, missed() {} },
      report() {},
    };
    return takeContentPlace(cluster.store, { dataDir: "", bucket, database: cluster.url });
  };
  const objects = memoryObjects();
  expect(await take("s3://sites/vitrine", objects)).toEqual({ away: null });
  const refused = take("s3://sites/vitrin");
  await expect(refused).rejects.toThrow("keep their content in s3://sites/vitrine: give all nodes the same --content");
  expect((await cluster.store.contentObjects.bucket())?.url).toBe("s3://sites/vitrine");
  // The same bucket by another name.
  expect(await take("s3://sites/vitrine?region=here", objects)).toEqual({ away: null });
});

test("a folder whose first start as a node failed can be any server's, and that of a node cannot", async () => {
  const root = temporaryFolder();
  const folder = dataFolder(root);
  const unreachable = parseDatabaseUrl(`postgres://vitrine@127.0.0.1:${freePort()}/vitrine`);
  await expect(prepareStorage(folder, { database: unreachable, hasBucket: true })).rejects.toThrow("cannot be used");
  expect(existsSync(folder.replica)).toBe(false);
  await prepareReplica(folder.replica);
  const replica = openDatabase(folder.replica);
  replica.run("UPDATE replica SET schema = 'earlier'");
  replica.close();
  await expect(prepareStorage(folder, { database: unreachable, hasBucket: true })).rejects.toThrow("cannot be used");
  const alone = { database: null, hasBucket: false };
  await expect(prepareStorage(folder, alone)).rejects.toThrow("whose database is elsewhere");
  rmSync(folder.replica);
  await prepareStorage(folder, alone);
});
