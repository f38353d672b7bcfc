import { expect } from "bun:test";
import { needing } from "../testing/needing.ts";
import { memoryObjects } from "./objects/memory.ts";
import { takeContentPlace } from "./open.ts";
import { freshCluster } from "./replica/testing/fresh-cluster.ts";

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
