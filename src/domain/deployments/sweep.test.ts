import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sample } from "../../storage/content/contract.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { type Places, placesIn } from "../../storage/content/filesystem/places.ts";
import { addPerson, addSession } from "../../storage/contract/people.ts";
import { publicationOf } from "../../storage/contract/publication.ts";
import { recordEncodings } from "../../storage/contract/record-encodings.ts";
import { temporaryDatabase, temporaryStore } from "../../storage/sqlite/testing/temporary-store.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { verify } from "../maintenance/verify.ts";
import type { ManifestFile } from "../model/manifest.ts";
import type { ContentStore } from "../ports/content.ts";
import type { Publication } from "../ports/store/deployments.ts";
import type { Store } from "../ports/store.ts";
import { sweepContent } from "./sweep.ts";

/** A time at which all content is old. */
const LATER = Date.now() + 60_000;
/** Condemns and deletes in one sweep. */
const EVERYTHING = { now: LATER - 1, publishedBefore: LATER, condemnedBefore: LATER, writtenBefore: LATER };

let folder: string;
let database: string;
let store: Store;
let content: ContentStore;
let contentPath: Places["path"];
let ownerId: number;
let sessionId: number;
const pause = async () => {};

beforeEach(async () => {
  folder = temporaryFolder();
  database = temporaryDatabase();
  open();
  ownerId = (await addPerson(store, "ada")).id;
  sessionId = await addSession(store, ownerId);
});

function open(): void {
  store = temporaryStore(database);
  content = openFilesystemContent(join(folder, "content"));
  contentPath = placesIn(join(folder, "content")).path;
}

/** Publishes a site whose files have these texts. Returns their digests. */
async function publish(siteName: string, ...texts: string[]): Promise<string[]> {
  const files: ManifestFile[] = [];
  for (const [index, text] of texts.entries()) {
    const [digest, bytes] = sample(text);
    await content.put(digest, bytes);
    files.push({ path: `${index}.html`, digest, size: bytes.length });
  }
  await content.sync();
  const result = await store.deployments.publish(publication(siteName, files));
  expect(result.outcome).toBe("published");
  return files.map((file) => file.digest);
}

function publication(siteName: string, files: readonly ManifestFile[], reused: readonly string[] = []): Publication {
  return publicationOf({ siteName, ownerId, sessionId, files, reused, createdAt: 1000 });
}

async function deleteSite(name: string): Promise<void> {
  const site = await store.sites.find(name);
  await store.sites.delete(site!.id, 0, 0);
}

const stored = async () => (await Array.fromAsync(content.list())).map((blob) => blob.digest).sort();
const known = async () => (await Array.fromAsync(store.contents.list())).map((bytes) => bytes.digest).sort();
const unfinished = () => readdirSync(join(folder, "content", "staging"));

describe("a sweep", () => {
  test("removes content that only a deleted site had, and keeps shared content", async () => {
    const kept = await publish("kept", "shared", "kept alone");
    await publish("gone", "shared", "gone alone");
    await deleteSite("gone");
    expect(await sweepContent({ store, content, pause }, EVERYTHING)).toEqual({ condemned: 1, deleted: 1, strays: 0 });
    expect(await stored()).toEqual(kept.sort());
    expect(await known()).toEqual(kept.sort());
    expect(unfinished()).toEqual([]);
  });

  test("removes unreferenced content, and temporary files", async () => {
    const [digest, bytes] = sample("of an upload that failed");
    await content.put(digest, bytes);
    (await content.stage()).write(bytes);
    expect(await sweepContent({ store, content, pause }, EVERYTHING)).toEqual({ condemned: 0, deleted: 0, strays: 1 });
    expect(await stored()).toEqual([]);
    expect(unfinished()).toEqual([]);
  });

  test("keeps encodings as long as their content, and removes them with it", async () => {
    const [digest] = await publish("demo", "to be encoded");
    const [encoded, bytes] = sample("encoded");
    await content.put(encoded, bytes);
    await recordEncodings(store, { [digest!]: { br: { digest: encoded, size: bytes.length } } });
    expect(await sweepContent({ store, content, pause }, EVERYTHING)).toEqual({ condemned: 0, deleted: 0, strays: 0 });
    expect((await verify({ store, content })).leftovers).toBe(0);
    await deleteSite("demo");
    expect(await sweepContent({ store, content, pause }, EVERYTHING)).toEqual({ condemned: 1, deleted: 1, strays: 1 });
    expect(await stored()).toEqual([]);
  });

  test("removes old encodings that were written but never recorded", async () => {
    const [digest, bytes] = sample("claimed anew meanwhile");
    await content.put(digest, bytes);
    expect((await verify({ store, content })).leftovers).toBe(1);
    const earlier = { ...EVERYTHING, writtenBefore: Date.now() - 60_000 };
    expect((await sweepContent({ store, content, pause }, earlier)).strays).toBe(0);
    expect((await sweepContent({ store, content, pause }, EVERYTHING)).strays).toBe(1);
  });

  test("keeps content that was published or written a moment ago", async () => {
    const [published] = await publish("gone", "published lately");
    await deleteSite("gone");
    const [fresh, bytes] = sample("being uploaded");
    await content.put(fresh, bytes);
    const nothing = await sweepContent(
      { store, content, pause },
      { ...EVERYTHING, publishedBefore: 1000, writtenBefore: Date.now() - 60_000 },
    );
    expect(nothing).toEqual({ condemned: 0, deleted: 0, strays: 0 });
    expect(await stored()).toEqual([published!, fresh].sort());
  });

  test("processes batches, and yields to other work in between", async () => {
    await publish("gone", ...Array.from({ length: 250 }, (_, index) => `file ${index}`));
    await deleteSite("gone");
    let pauses = 0;
    const counting = async () => {
      pauses++;
    };
    expect((await sweepContent({ store, content, pause: counting }, EVERYTHING)).deleted).toBe(250);
    expect(pauses).toBeGreaterThanOrEqual(4);
    expect(await stored()).toEqual([]);
  });

  test("deletes condemned content only after its grace", async () => {
    const gone = await publish("gone", "read by a download");
    await deleteSite("gone");
    const early = { ...EVERYTHING, condemnedBefore: EVERYTHING.now };
    expect(await sweepContent({ store, content, pause }, early)).toEqual({ condemned: 1, deleted: 0, strays: 0 });
    expect([await known(), await stored()]).toEqual([[], gone]);
    expect((await verify({ store, content })).leftovers).toBe(1);
    expect(await sweepContent({ store, content, pause }, EVERYTHING)).toEqual({ condemned: 0, deleted: 1, strays: 0 });
    expect(await stored()).toEqual([]);
  });

  test("keeps condemned content that was published again", async () => {
    const kept = await publish("gone", "published again");
    await deleteSite("gone");
    await sweepContent({ store, content, pause }, { ...EVERYTHING, condemnedBefore: 0 });
    await publish("new", "published again");
    expect((await sweepContent({ store, content, pause }, EVERYTHING)).deleted).toBe(0);
    expect([await known(), await stored()]).toEqual([kept, kept]);
  });

  test("keeps condemned content that an upload is writing, with its row", async () => {
    const [digest, bytes] = sample("written again");
    await publish("gone", "written again");
    await deleteSite("gone");
    await sweepContent({ store, content, pause }, { ...EVERYTHING, condemnedBefore: 0 });
    const hourAgo = Date.now() - 3_600_000;
    utimesSync(contentPath(digest), hourAgo / 1000, hourAgo / 1000);
    await content.put(digest, bytes);
    const times = { ...EVERYTHING, writtenBefore: Date.now() - 60_000 };
    expect((await sweepContent({ store, content, pause }, times)).deleted).toBe(0);
    expect(await stored()).toEqual([digest]);
    expect([...(await store.contents.find([digest])).keys()]).toEqual([digest]);
  });

  test("a deployment cannot use condemned content and has to unpack it again", async () => {
    const [digest, bytes] = sample("relied on");
    await publish("gone", "relied on");
    await deleteSite("gone");
    await sweepContent({ store, content, pause }, { ...EVERYTHING, condemnedBefore: 0 });
    const files = [{ path: "index.html", digest, size: bytes.length }];
    const result = await store.deployments.publish(publication("new", files, [digest]));
    expect(result.outcome).toBe("content_gone");
  });
});

describe("a sweep that is killed", () => {
  /** Content storage of a process that dies at its n-th step: later steps have no effect. */
  function dyingAt(step: number): { content: ContentStore; died: () => boolean } {
    let left = step;
    const dying = new Proxy(content, {
      get(target, name: keyof ContentStore) {
        const method = target[name] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (left-- <= 0) throw new Error("killed");
          return method.apply(target, args);
        };
      },
    });
    return { content: dying, died: () => left < 0 };
  }

  test("at any step loses no referenced content, and the next one finishes", async () => {
    for (let step = 0; ; step++) {
      const kept = await publish(`kept-${step}`, "shared", `kept ${step}`);
      await publish(`gone-${step}`, "shared", `gone ${step}`, `gone too ${step}`);
      await deleteSite(`gone-${step}`);
      const [stray, bytes] = sample(`stray ${step}`);
      await content.put(stray, bytes);

      const { content: dying, died } = dyingAt(step);
      await sweepContent({ store, content: dying, pause }, EVERYTHING).catch(() => {});
      open();
      for (const digest of await known()) expect(existsSync(contentPath(digest))).toBe(true);
      await sweepContent({ store, content, pause }, EVERYTHING);
      expect(await stored()).toEqual(await known());
      expect(await stored()).toEqual(expect.arrayContaining(kept));
      expect(existsSync(contentPath(stray))).toBe(false);
      if (!died()) return expect(step).toBeGreaterThan(4);
    }
  });
});
