import { expect } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../cli/testing/run-cli.ts";
import { s3Objects } from "../clients/s3/objects.ts";
import { s3Sender } from "../clients/s3/send.ts";
import { type Ceph, startCeph } from "../clients/s3/testing/ceph.ts";
import type { S3Destination } from "../domain/backups/destination.ts";
import { contentContract } from "../storage/content/contract.ts";
import { collectObjects } from "../storage/content/s3/collect.ts";
import { openS3Content, openS3ContentReadOnly, type S3Content } from "../storage/content/s3/s3-content.ts";
import { openWriting } from "../storage/content/s3/writing.ts";
import { objectContract, PART_BYTES } from "../storage/objects/contract.ts";
import { makeDatabase } from "../storage/postgres/testing/make-database.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { run, scratchFolder } from "./testing/executable.ts";
import { contentIn, expectRestored, noise, startWithSite, stopWhenEncoded } from "./testing/site-to-back-up.ts";
import { openTcpLink } from "./testing/tcp-link.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

// One Ceph for all stories of S3: it takes 20 seconds to start, mostly waiting.
const { describe, test, beforeAll, afterAll } = needing("ceph");

const DAY = 24 * 60 * 60_000;
const KEYS = { "s3-access-key-id": "test", "s3-secret-access-key": "testsecret" };

let ceph: Ceph;
let folder: ReturnType<typeof scratchFolder>;
const contents: S3Content[] = [];
beforeAll(async () => {
  folder = scratchFolder();
  ceph = await startCeph();
});
afterAll(() => {
  for (const content of contents) content.close();
  ceph?.stop();
  folder?.[Symbol.dispose]();
});

/** The address through which a server reaches the bucket. */
const through = ({ url }: S3Destination, port: number) => url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);

describe("objects", () =>
  objectContract(async () => {
    const objects = s3Objects(await ceph.newBucket(), ceph.keys, { partBytes: PART_BYTES, pageSize: 2 });
    await objects.prepare();
    return objects;
  }));

test("a discarded object leaves no parts of an interrupted upload", async () => {
  const destination = await ceph.newBucket();
  const send = s3Sender(destination, ceph.keys);
  const uploads = async () => {
    const { body } = await send({ method: "GET", key: "", query: { uploads: "" } });
    return new TextDecoder().decode(body).split("<UploadId>").length - 1;
  };
  await send({ method: "POST", key: "pre/fix/content/a", query: { uploads: "" } });
  expect(await uploads()).toBe(1);
  await s3Objects(destination, ceph.keys).deleteWithLeftovers("content/a");
  expect(await uploads()).toBe(0);
});

describe("content", () => {
  let destination: S3Destination;
  beforeAll(async () => {
    destination = await ceph.newBucket();
  });
  contentContract(() => {
    const objects = s3Objects(destination, ceph.keys);
    const { contentObjects: places, contentPlaces: forVisits } = temporaryStore();
    const open = () => {
      const content = openS3Content({
        reading: objects,
        writing: objects,
        places,
        forVisits,
        folder: join(folder.path, crypto.randomUUID()),
        cacheBytes: 2 ** 30,
        ensureSpace: () => {},
        meters: { hit() {}, missed() {} },
        report: (error) => expect(error).toBeUndefined(),
      });
      contents.push(content);
      return content.open();
    };
    return [open(), open()];
  });
});

test("after the grace period the bucket holds exactly what is used", async () => {
  const destination = await ceph.newBucket();
  const objects = s3Objects(destination, ceph.keys);
  const { contentObjects: places } = temporaryStore();
  const ports = { objects, places, staging: folder.path, ensureSpace: () => {}, now: Date.now };
  const deploy = async (sizes: readonly number[]) => {
    const content = openWriting(ports);
    const samples = sizes.map((size) => crypto.getRandomValues(new Uint8Array(size)));
    const digests = samples.map((bytes) => Bun.CryptoHasher.hash("sha256", bytes, "hex"));
    for (const [index, digest] of digests.entries()) await content.put(digest, samples[index]!);
    await content.sync();
    return { content, digests };
  };
  const kept = await deploy([100, 200]);
  const sparse = await deploy([1000, 60_000]);
  const gone = await deploy([500]);
  await (await deploy([700])).content.undo();
  for (const digest of [sparse.digests[1]!, gone.digests[0]!]) await places.delete(digest, Number.POSITIVE_INFINITY);
  // Sent, and lost before it was placed.
  await places.intend("content/crashed", Date.now());
  await s3Sender(destination, ceph.keys)({ method: "POST", key: "pre/fix/content/crashed", query: { uploads: "" } });

  const collect = (days: number) => collectObjects({ objects, places, pause: async () => {} }, Date.now() + days * DAY);
  expect(await collect(0)).toEqual({ rewritten: 1, condemned: 3, deleted: 0 });
  expect(await collect(1.5)).toEqual({ rewritten: 0, condemned: 1, deleted: 3 });
  expect(await collect(3)).toEqual({ rewritten: 0, condemned: 0, deleted: 1 });
  const named = async (found: AsyncIterable<{ name: string; size: number }>) =>
    (await Array.fromAsync(found)).map(({ name, size }) => `${name} ${size}`).sort();
  const inBucket = await named(objects.list(""));
  expect(inBucket).toEqual(await named(places.usage()));
  expect(inBucket).toHaveLength(2);
  const { read } = openS3ContentReadOnly(objects, places);
  for (const digest of [...kept.digests, sparse.digests[0]!]) await read(digest);
});

test("files of sites are in the bucket, and what is cached is served while the bucket is away", async () => {
  const destination = await ceph.newBucket("files");
  using link = linkTo(destination);
  const address = through(destination, link.port);
  const dataDir = join(folder.path, "served");
  const flags = { content: address, ...KEYS, "data-dir": dataDir };
  let owner: string;
  {
    const { vitrine, token } = await startWithSite(flags);
    await using _ = vitrine;
    owner = token;
    expect(existsSync(join(dataDir, "content"))).toBe(false);
    const rules = { "index.html": "two", _redirects: "/old /index.html 301" };
    for (const archive of [{ "index.html": "first" }, rules]) {
      expect((await vitrine.deploy(token, await zipOf(archive), { site: "other" })).status).toBe(201);
    }
    expect((await vitrine.visit("other", "/old")).status).toBe(301);
  }
  rmSync(join(dataDir, "cache"), { recursive: true });
  await using vitrine = await startTestServer({ ...flags, "metrics-listen": "127.0.0.1:0" });
  const { token } = await vitrine.signUp("grace");
  const range = await vitrine.visit("demo", "/large.bin", { headers: { range: "bytes=5000000-5000009" } });
  expect([range.status, await range.bytes()]).toEqual([206, noise.slice(5_000_000, 5_000_010)]);
  expect(Buffer.compare(await (await vitrine.visit("demo", "/large.bin")).bytes(), noise)).toBe(0);
  expect(await (await vitrine.visit("demo")).text()).toBe("one");

  link.state = "cut";
  expect(await (await vitrine.visit("demo")).text()).toBe("one");
  expect((await vitrine.visit("demo", "/large.bin", { method: "HEAD" })).headers.get("content-length")).toBe("6291456");
  const missing = await vitrine.visit("other");
  expect([missing.status, missing.headers.get("retry-after")]).toEqual([503, "5"]);
  const refused = await vitrine.deploy(token, await zipOf({ "index.html": "three" }), { site: "third" });
  expect([refused.status, await refused.json()]).toEqual([
    503,
    expect.objectContaining({ detail: expect.stringContaining("the content storage cannot be used now") }),
  ]);
  const changes = [
    await vitrine.call("POST", "/sites/other/deployments/1/activate", { token: owner }),
    await vitrine.call("DELETE", "/sites/other", { token: owner }),
  ];
  expect(changes.map(({ status }) => status)).toEqual([200, 204]);
  expect((await vitrine.visit("other")).status).toBe(404);
  expect((await vitrine.call("GET", "/ready")).status).toBe(200);
  const doctor = await runDoctor(dataDir, variables(address));
  expect(doctor).toMatchObject({ verdict: "problem", detail: expect.stringContaining("cannot be used: connection") });

  link.state = "up";
  expect((await vitrine.deploy(token, await zipOf({ "index.html": "three" }), { site: "third" })).status).toBe(201);
  expect(await (await vitrine.visit("third")).text()).toBe("three");
  const metrics = await (await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`)).text();
  for (const name of [
    "vitrine_content_cache_hits_total",
    "vitrine_content_cache_misses_total",
    "vitrine_s3_failures_total",
  ]) {
    expect(Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1])).toBeGreaterThan(0);
  }
  expect(metrics).toContain('vitrine_s3_request_duration_seconds_bucket{le="+Inf"}');
});

describe("doctor", () => {
  const problem = (detail: string) => ({ verdict: "problem", detail: expect.stringContaining(detail) });

  test("finds wrong keys, no bucket, a server that hangs, and a bucket of another Vitrine", async () => {
    const destination = await ceph.newBucket("owned");
    using link = linkTo(destination);
    const address = through(destination, link.port);
    const dataDir = join(folder.path, "owner");
    await (await startTestServer({ content: address, ...KEYS, "data-dir": dataDir })).stop();
    expect(await runDoctor(dataDir, variables(address))).toMatchObject({ verdict: "ok" });
    const secret = "wrong";
    expect(await runDoctor(dataDir, variables(address, { secret }))).toMatchObject(problem("the secret key is wrong"));
    const keyId = "nobody";
    expect(await runDoctor(dataDir, variables(address, { keyId }))).toMatchObject(problem("the access key is unknown"));
    const none = address.replace(destination.bucket, "no-such-bucket");
    expect(await runDoctor(dataDir, variables(none))).toMatchObject(problem("there is no such bucket"));

    const other = join(folder.path, "other-owner");
    await (await startTestServer({ "data-dir": other })).stop();
    expect(await runDoctor(other, variables(address))).toMatchObject(problem("is used by another Vitrine"));
    const starting = startTestServer({ content: address, ...KEYS, "data-dir": other });
    await expect(starting).rejects.toThrow("is used by another Vitrine: give each one");
    link.state = "silent";
    expect(await runDoctor(dataDir, variables(address))).toMatchObject(problem("no response in time"));
  });

  test("finds a clock that is an hour off", async () => {
    const destination = await ceph.newBucket();
    const objects = s3Objects(destination, ceph.keys, { now: () => Date.now() - 60 * 60_000 });
    await expect(objects.read("a")).rejects.toThrow("the clock of this machine differs too much");
  });
});

needing("ceph", "postgres").test(
  "a server moves to PostgreSQL and S3 with one command, is backed up there by schedule, and moves back: the same bytes",
  async () => {
    const [{ url }, database] = [await ceph.newBucket("both"), await makeDatabase()];
    const [dataDir, backups, into] = ["both", "both-backups", "both-restored"].map((name) =>
      join(folder.path, name),
    ) as [string, string, string];
    const elsewhere = { ...variables(url), VITRINE_DATABASE: database };
    const cli = async (args: readonly string[], env: Record<string, string>) => {
      const { status, stdout, stderr } = await runCli([...args, "--data-dir", dataDir], env);
      return `${status} ${stderr}${stdout}`;
    };
    const audit = async (root: string, env = {}) => (await runCli(["audit", "--json", "--data-dir", root], env)).stdout;
    const { vitrine, token } = await startWithSite({ "data-dir": dataDir });
    const download = async (from: TestServer) => {
      const ask = () => from.call("GET", "/sites/demo/deployments/1/archive", { token });
      let response = await ask();
      // On a busy machine, a node may be without its lease for a moment.
      for (; response.status === 503; response = await ask()) await Bun.sleep(50);
      expect(response.status).toBe(200);
      return Bun.CryptoHasher.hash("sha256", await response.arrayBuffer(), "hex");
    };
    const archive = await download(vitrine);
    await stopWhenEncoded(vitrine);
    const [content, entries] = [contentIn(dataDir), await audit(dataDir)];

    const both = ["move", "--to-database", database, "--to-content", url];
    const planned = await cli([...both, "--dry-run"], variables(url));
    expect(planned).toMatch(/^0 .*Would move 3 files .*: 3 to copy.*Would move (\d+) rows .*: \1 to copy/s);
    expect(await audit(dataDir)).toBe(entries);
    expect(await cli(both, variables(url))).toMatch(/^0 .*Moved 3 files .*Moved (\d+) rows .*: \1 copied/s);
    rmSync(join(dataDir, "content"), { recursive: true });
    {
      const flags = { database, content: url, ...KEYS, "data-dir": dataDir, "backup-to": backups };
      await using served = await startTestServer(flags);
      expect(await download(served)).toBe(archive);
      expect(await audit(dataDir, elsewhere)).toBe(entries);
      expect(await cli(["verify"], elsewhere)).toContain("Nothing is missing or damaged: 3 files");
      let id: string | undefined;
      while (!id) {
        // On a busy machine, a node may be without its lease for a moment.
        const made = await served.store.backups.list().catch(() => []);
        const [newest] = made.filter(({ state }) => state === "done");
        id = newest?.id;
        await Bun.sleep(50);
      }
      expect((await runCli(["restore", `${backups}#${id}`, "--data-dir", into])).status).toBe(0);
    }
    expect([contentIn(into), await audit(into)]).toEqual([content, entries]);

    expect(await cli(["move", "--to-data-dir", dataDir], elsewhere)).toMatch(/^0 .*Moved 3 files .*Moved \d+ rows/s);
    expect([contentIn(dataDir), await audit(dataDir)]).toEqual([content, entries]);
    expect(await cli(["verify"], {})).toStartWith("0 ✓ Nothing is missing or damaged: 3 files");
    await using again = await startTestServer({ "data-dir": dataDir });
    expect(await download(again)).toBe(archive);
  },
);

test("backups are made and restored byte for byte, and retried if the service is unavailable", async () => {
  const { url } = await ceph.newBucket("production");
  const flags = {
    "backup-to": url,
    "s3-access-key-id": ceph.keys.accessKeyId,
    "s3-secret-access-key": ceph.keys.secretAccessKey,
  };
  const { vitrine, token, newest } = await startWithSite(flags);
  await using _ = vitrine;
  // The first one may lack the site, and no other one can be requested while it is made.
  await newest(({ state }) => state === "done");
  const requested = await vitrine.call("POST", "/admin/backups", { token });
  expect(requested.status).toBe(202);
  const { id } = (await requested.json()) as { id: string };
  await newest((backup) => backup.id === id && backup.state === "done");
  const env = { VITRINE_S3_ACCESS_KEY_ID: "test", VITRINE_S3_SECRET_ACCESS_KEY: "testsecret" };
  // The compiled program can also sign requests and connect to a service.
  const restored = await expectRestored(`${url}#${id}`, vitrine, folder.path, (args) => run(args, { env }));
  expect((await runCli(["verify", "--data-dir", restored])).status).toBe(0);
  expect((await vitrine.call("POST", `/admin/backups/${id}/verify`, { token })).status).toBe(202);
  await newest(({ verified_at }) => verified_at !== null);

  ceph.stop();
  vitrine.advance(DAY);
  const failed = await newest(({ state }) => state === "failed");
  expect(failed.backup.error).toContain("connection refused");
  expect(failed.schedule?.next_at).not.toBeNull();
});

/** The settings of a command. */
const variables = (content: string, { keyId = "test", secret = "testsecret" } = {}) => ({
  VITRINE_CONTENT: content,
  VITRINE_S3_ACCESS_KEY_ID: keyId,
  VITRINE_S3_SECRET_ACCESS_KEY: secret,
});

/** What doctor finds of the content. */
async function runDoctor(dataDir: string, env: Record<string, string>) {
  const { stdout } = await runCli(["doctor", "--data-dir", dataDir, "--json"], env);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; verdict: string; detail: string }[] };
  return findings.find(({ check }) => check === "content");
}

function linkTo({ endpoint }: S3Destination) {
  const link = openTcpLink(Number(new URL(endpoint).port));
  return Object.assign(link, { [Symbol.dispose]: () => link.stop() });
}
