import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { followClock, newClockShift, shiftedClock } from "../clients/system/clock.ts";
import { type Config, loadConfig } from "../config/settings.ts";
import { HOUR } from "../domain/timestamp.ts";
import { RUN } from "../jobs/testing/run.ts";
import { sample } from "../storage/content/contract.ts";
import { openS3Content, type S3Content } from "../storage/content/s3/s3-content.ts";
import { memoryObjects } from "../storage/objects/memory.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { stderrLog } from "../workers/log.ts";
import { threadStorage } from "../workers/ports/storage.ts";
import { newShared } from "../workers/shared.ts";
import { contentSweep } from "./jobs.ts";

let folder: string;
let config: Config;
const opened: S3Content[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  const flags = { dataDir: folder, database: "postgres://vitrine@127.0.0.1:1/x", content: "s3://sites" };
  config = loadConfig({ flags, env: { VITRINE_S3_ACCESS_KEY_ID: "a", VITRINE_S3_SECRET_ACCESS_KEY: "b" } });
});
afterEach(() => {
  for (const content of opened.splice(0)) content.close();
});

/** The clock of the database, and of the machine of a node, which is ahead of it by some milliseconds. */
function clockBehind(ahead: number) {
  const shift = newClockShift();
  followClock(shift, -ahead);
  return shift;
}

test("a node whose clock is ahead deletes nothing of an upload to another node", async () => {
  const store = temporaryStore();
  const objects = memoryObjects(new Map());
  const clock = shiftedClock(clockBehind(2 * HOUR));
  const node = (name: string) => {
    const content = openS3Content({
      reading: objects,
      writing: objects,
      places: store.contentObjects,
      forVisits: store.contentPlaces,
      folder: join(folder, name),
      cacheBytes: 0,
      ensureSpace: () => {},
      meters: { hit() {}, missed() {} },
      report() {},
      now: clock.now,
    });
    opened.push(content);
    return content.open();
  };
  const uploading = node("other");
  const [digest, bytes] = sample("new");
  await uploading.put(digest, bytes);
  await uploading.sync();

  const content = node("own");
  const openContent = () => content;
  const storage = {
    store,
    openContent,
    openContentReadOnly: openContent,
    createReserveFile: null,
    collectObjects: null,
  };
  const parts = {
    config,
    storage: { ...storage, dropDeletedFromCache: null, close() {} },
    clock,
    log: stderrLog("off"),
  };
  await contentSweep(parts).run(RUN);
  expect(await content.stat(digest)).not.toBeNull();
});

test("what a node records about the bucket has the time of the database", () => {
  const { bucket } = threadStorage(newShared(config, clockBehind(HOUR)));
  expect(Math.abs(bucket!.now!() - (Date.now() - HOUR))).toBeLessThan(60_000);
});
