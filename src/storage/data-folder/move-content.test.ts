import { beforeAll, beforeEach, expect, test } from "bun:test";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withDataFolder } from "../../app/operator.ts";
import { loadConfig } from "../../config/settings.ts";
import { errorCode } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openFilesystemContent } from "../content/filesystem/filesystem.ts";
import { placesIn } from "../content/filesystem/places.ts";
import { dataFolder, lockDataFolder, prepareDataFolder } from "../folder/data-folder.ts";
import { folderObjects } from "../objects/folder.ts";
import { memoryObjects, type ObjectMemory } from "../objects/memory.ts";
import type { Bucket } from "../open.ts";
import { becomeLaterVersion, inDatabase, makeFilledDatabase, schemaOf } from "../sqlite/testing/earlier-database.ts";
import { type MoveOrder, moveToBucket } from "./move-content.ts";
import { moveToFolder } from "./move-to-folder.ts";
import { publish } from "./testing/published.ts";
import { verifyDataFolder } from "./verify.ts";

const home = temporaryFolder();
const page = Buffer.from("a page");
const digest = Bun.CryptoHasher.hash("sha256", page, "hex");

let dataDir: string;
let memory: ObjectMemory;
let bucket: Bucket;
let steps: string[];
let order: MoveOrder;

const published = join(home, "published");
beforeAll(() => publish(loadConfig({ flags: { dataDir: published }, env: {} }), page));

function copyOfPublished(): string {
  const copy = temporaryFolder();
  cpSync(published, copy, { recursive: true });
  return copy;
}

beforeEach(() => {
  dataDir = copyOfPublished();
  memory = new Map();
  bucket = bucketOf(memory);
  steps = [];
  const progress = {
    begin: (step: string, bytes: number) => steps.push(`${step} ${bytes}`),
    advance: (bytes: number) => steps.push(`${bytes}`),
  };
  order = { dryRun: false, progress: progress as unknown as MoveOrder["progress"] };
});

function bucketOf(of: ObjectMemory, place = "s3://bucket"): Bucket {
  const objects = { ...memoryObjects(of), place };
  return { objects, forVisitors: objects, cacheBytes: 1e6, meters: { hit() {}, missed() {} }, report() {} };
}

const bucketRow = () => {
  const config = loadConfig({ flags: { dataDir }, env: {} });
  return withDataFolder(config, ({ store }) => store.contentObjects.bucket());
};

test("content is copied to a bucket, read back, and is stored there from then on; back again it is the same", async () => {
  await openFilesystemContent(join(dataDir, "content")).put("0".repeat(64), Buffer.from("stray"));
  const report = await moveToBucket({ dataDir }, bucket, order);
  const ends = { from: join(dataDir, "content"), to: "s3://bucket" };
  expect(report).toEqual({ contents: 1, bytes: 6, copied: 1, lost: [], ...ends });
  expect(steps).toEqual(["copying 6", "6", "verifying 6", "6"]);
  expect(await bucketRow()).toMatchObject({ url: "s3://bucket" });
  rmSync(join(dataDir, "content"), { recursive: true });
  expect(await verifyDataFolder({ dataDir, bucket }, () => {})).toMatchObject({ problems: [], contents: 1 });
  await expect(verifyDataFolder({ dataDir }, () => {})).rejects.toThrow("is in s3://bucket: give that URL");

  const back = await moveToFolder({ dataDir }, dataDir, () => bucket, order);
  const folderEnds = { from: "s3://bucket", to: join(dataDir, "content") };
  expect(back).toEqual({ content: { contents: 1, bytes: 6, copied: 1, lost: [], ...folderEnds }, database: null });
  expect(await verifyDataFolder({ dataDir }, () => {})).toMatchObject({ problems: [], contents: 1, leftovers: 0 });
  expect(await bucketRow()).toMatchObject({ url: null });
  await expect(verifyDataFolder({ dataDir, bucket }, () => {})).rejects.toThrow("vitrine move --to-content");
});

test("back into another folder the database is copied, and stays as it was", async () => {
  await moveToBucket({ dataDir }, bucket, order);
  const to = join(home, "new");
  const { content } = await moveToFolder({ dataDir }, to, () => bucket, order);
  expect(content).toMatchObject({ copied: 1, to: join(to, "content") });
  expect(await verifyDataFolder({ dataDir: to }, () => {})).toMatchObject({ problems: [], contents: 1 });
  expect(await verifyDataFolder({ dataDir, bucket }, () => {})).toMatchObject({ problems: [], contents: 1 });
  await expect(moveToFolder({ dataDir }, to, () => bucket, order)).rejects.toThrow("is a data folder already");
});

test("a dry run changes nothing, there and back", async () => {
  const dry = { ...order, dryRun: true };
  expect(await moveToBucket({ dataDir }, bucket, dry)).toMatchObject({ contents: 1, copied: 1 });
  expect([memory.size, await bucketRow()]).toEqual([0, null]);
  await moveToBucket({ dataDir }, bucket, order);
  const to = join(home, "dry");
  const { content } = await moveToFolder({ dataDir }, to, () => bucket, dry);
  expect(content).toMatchObject({ contents: 1, copied: 1 });
  expect([readdirSync(home).includes("dry"), steps.length]).toEqual([false, 4]);
  expect(await bucketRow()).toMatchObject({ url: "s3://bucket" });
});

test("while a folder is copied into another one, nobody changes or uses either", async () => {
  await moveToBucket({ dataDir }, bucket, order);
  const to = join(home, "locked");
  const found: unknown[] = [];
  const look = () => {
    const changed = Promise.try(() =>
      inDatabase(join(dataDir, "vitrine.db"), (db) => db.run("UPDATE sites SET id = 7")),
    );
    found.push(changed.catch(errorCode), lockDataFolder(dataFolder(to)));
  };
  const begin = (step: string) => step === "copying" && look();
  await moveToFolder({ dataDir }, to, () => bucket, { ...order, progress: { begin, advance() {} } });
  expect(await Promise.all(found)).toEqual(["SQLITE_BUSY", null]);
  lockDataFolder(dataFolder(to))!();
});

test("a folder that another command uses is no target", async () => {
  await moveToBucket({ dataDir }, bucket, order);
  const to = prepareDataFolder(join(home, "used"));
  const release = lockDataFolder(to);
  await expect(moveToFolder({ dataDir }, to.root, () => bucket, order)).rejects.toThrow(
    "is used by a server or another",
  );
  release?.();
});

test("a dry run does not migrate the database of an earlier version", async () => {
  const earlier = dataFolder(temporaryFolder());
  await makeFilledDatabase(earlier.database);
  using _ = becomeLaterVersion();
  const before = schemaOf(earlier.database);
  const dry = moveToBucket({ dataDir: earlier.root }, bucket, { ...order, dryRun: true });
  await expect(dry).rejects.toThrow("was made by an earlier version, and a dry run changes nothing");
  expect(schemaOf(earlier.database)).toEqual(before);
});

test("more files than are held in memory at once are moved there and back", async () => {
  const content = openFilesystemContent(join(dataDir, "content"));
  const samples = Array.from({ length: 2100 }, (_, n) => Buffer.from(`${n}`));
  const digests = samples.map((bytes) => Bun.CryptoHasher.hash("sha256", bytes, "hex"));
  for (const [index, sample] of samples.entries()) await content.put(digests[index]!, sample);
  inDatabase(join(dataDir, "vitrine.db"), (db) => {
    const add = db.query("INSERT INTO contents (digest, size, published_at) VALUES (?, ?, 0)");
    db.transaction(() => samples.forEach((sample, index) => void add.run(digests[index]!, sample.length)))();
  });
  rmSync(placesIn(join(dataDir, "content")).path(digests[2000]!));
  expect((await moveToBucket({ dataDir }, bucket, order))?.lost).toEqual([digests[2000]!]);
  await content.put(digests[2000]!, samples[2000]!);
  expect(await moveToBucket({ dataDir }, bucket, order)).toMatchObject({ contents: 2101, copied: 2101, lost: [] });
  const to = join(home, "many");
  const { content: back } = await moveToFolder({ dataDir }, to, () => bucket, order);
  expect(back).toMatchObject({ contents: 2101, copied: 2101, lost: [] });
  expect(await verifyDataFolder({ dataDir: to }, () => {})).toMatchObject({ problems: [], contents: 2101 });
});

test.each(["copying", "verifying"])(
  "a move that is killed while it is %s continues when it is run again",
  async (step) => {
    const bucketFolder = temporaryFolder();
    const objects = { ...folderObjects(bucketFolder), place: "s3://bucket" };
    await objects.prepare();
    const program = `
    import { moveToBucket } from "${import.meta.dir}/move-content.ts";
    import { folderObjects } from "${import.meta.dir}/../objects/folder.ts";
    const objects = { ...folderObjects(${JSON.stringify(bucketFolder)}), place: "s3://bucket" };
    const bucket = { objects, forVisitors: objects, cacheBytes: 1e6, meters: { hit() {}, missed() {} }, report() {} };
    const begin = (step) => step === "${step}" && process.kill(process.pid, "SIGKILL");
    const progress = { begin, advance() {} };
    await moveToBucket({ dataDir: ${JSON.stringify(dataDir)} }, bucket, { dryRun: false, progress });
  `;
    const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "inherit", "inherit"] });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(await verifyDataFolder({ dataDir }, () => {})).toMatchObject({ problems: [], contents: 1 });
    const again = { ...bucketOf(memory), objects, forVisitors: objects };
    expect(await moveToBucket({ dataDir }, again, order)).toMatchObject({
      contents: 1,
      copied: step === "copying" ? 1 : 0,
      lost: [],
    });
    expect(await verifyDataFolder({ dataDir, bucket: again }, () => {})).toMatchObject({ problems: [], contents: 1 });
  },
);

test.each(["missing", "damaged"])("a file that is %s keeps everything where it is", async (how) => {
  const file = placesIn(join(dataDir, "content")).path(digest);
  if (how === "missing") rmSync(file);
  else writeFileSync(file, "b page");
  expect((await moveToBucket({ dataDir }, bucket, order))?.lost).toEqual([digest]);
  expect((await bucketRow())?.url ?? null).toBeNull();
  writeFileSync(file, page);
  expect(await moveToBucket({ dataDir }, bucket, order)).toMatchObject({ copied: 1, lost: [] });
});

test("what the bucket does not give back as it was sent keeps everything where it is", async () => {
  const rotten = bucketOf(memory);
  const write = rotten.objects.write;
  Object.assign(rotten.objects, {
    async write(name: string, chunks: AsyncIterable<Uint8Array>) {
      await write(name, chunks);
      if (name.startsWith("content/")) memory.get(name)![0] = 0;
    },
  });
  expect((await moveToBucket({ dataDir }, rotten, order))?.lost).toEqual([digest]);
  expect(await bucketRow()).toMatchObject({ url: null });
});

test("an interrupted move resumes in the same bucket, and starts over in another one", async () => {
  let isAway = true;
  const interrupted = bucketOf(memory);
  const { read } = interrupted.objects;
  Object.assign(interrupted.objects, {
    async read(...args: Parameters<typeof read>) {
      if (isAway && args[0].startsWith("content/")) throw new DomainError("unavailable", "connection broken off");
      return read(...args);
    },
  });
  await expect(moveToBucket({ dataDir }, interrupted, order)).rejects.toThrow("connection broken off");
  expect(await bucketRow()).toMatchObject({ url: null });
  isAway = false;
  expect(await moveToBucket({ dataDir }, interrupted, { ...order, dryRun: true })).toMatchObject({ copied: 0 });
  expect(await moveToBucket({ dataDir }, bucketOf(new Map(), "s3://other"), order)).toMatchObject({ copied: 1 });
  expect(await bucketRow()).toMatchObject({ url: "s3://other" });
});

test("a move is refused while the server runs, and where there is nothing to move", async () => {
  const release = lockDataFolder(dataFolder(dataDir));
  await expect(moveToBucket({ dataDir }, bucket, order)).rejects.toThrow("is being served: stop the server first");
  release?.();
  await expect(moveToFolder({ dataDir }, dataDir, () => bucket, order)).rejects.toThrow(
    "is in its data folder already",
  );
  await moveToBucket({ dataDir }, bucket, order);
  await expect(moveToBucket({ dataDir }, bucket, order)).rejects.toThrow("is in a bucket already");
  expect(await moveToBucket({ dataDir }, bucket, order, true)).toBeNull();
  await expect(moveToBucket({ dataDir: copyOfPublished() }, bucket, order)).rejects.toThrow(
    "is used by another Vitrine",
  );
});
