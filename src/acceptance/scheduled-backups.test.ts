import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupsResponse } from "../api/schemas/backups.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { s3Objects } from "../clients/s3/objects.ts";
import { type Ceph, startCeph } from "../clients/s3/testing/ceph.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { objectContract, PART_BYTES } from "../storage/objects/contract.ts";
import { needing } from "../testing/needing.ts";
import { isThere } from "../testing/needs.ts";
import { zipOf } from "./testing/archives.ts";
import { run, scratchFolder } from "./testing/executable.ts";
import { startReceiver, verify } from "./testing/receiver.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

// Ceph takes 20 seconds to start, mostly waiting. It starts during the tests that do not need it.
const starting: Promise<Ceph> | null = isThere("ceph") ? startCeph() : null;
starting?.catch(() => {});

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const noise = crypto.getRandomValues(new Uint8Array(6 * 1024 * 1024));

let folder: ReturnType<typeof scratchFolder>;
beforeAll(() => {
  folder = scratchFolder();
});
afterAll(async () => {
  (await starting?.catch(() => null))?.stop();
  folder[Symbol.dispose]();
});

/** Starts a server with a site and an operator who has just signed in. */
async function startWithSite(flags: Record<string, string>) {
  const vitrine = await startTestServer({ "metrics-listen": "127.0.0.1:0", workers: "1", ...flags });
  const { store, clock } = vitrine;
  const { user } = await vitrine.signUp("root");
  await store.users.setOperator(user.id, true);
  const signIn = { userId: user.id, clientName: "test", address: null, signedIn: true };
  const recentToken = async () => (await startSession({ store, clock, secrets: systemSecrets }, signIn)).token;
  const token = await recentToken();
  const files = { "index.html": "one", "empty.txt": "", "large.bin": noise };
  expect((await vitrine.deploy(token, await zipOf(files), { site: "demo" })).status).toBe(201);
  return { vitrine, token, recentToken, ...watch(vitrine, token) };
}

function watch(vitrine: TestServer, token: string) {
  const overview = async () =>
    (await (await vitrine.call("GET", "/admin/backups", { token })).json()) as typeof BackupsResponse.static;
  return {
    overview,
    /** Waits until the newest backup matches. */
    async newest(is: (backup: (typeof BackupsResponse.static)["backups"][number]) => boolean) {
      for (;;) {
        const { backups, schedule } = await overview();
        if (backups[0] && is(backups[0])) return { backup: backups[0], schedule };
        await Bun.sleep(50);
      }
    },
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${vitrine.metricsPort}/metrics`)).text();
      return text.split("\n").filter((line) => line.startsWith("vitrine_backup"));
    },
  };
}

/** The content of all sites, by digest. */
function contentIn(dataDir: string): Record<string, string> {
  const entries = readdirSync(join(dataDir, "content"), { recursive: true, withFileTypes: true });
  const contents = entries.filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name));
  return Object.fromEntries(
    contents.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name)).toString("base64")]),
  );
}

/** Restores a backup into a new data folder. Compares that byte for byte with the original. */
async function expectRestored(
  from: string,
  of: TestServer,
  command: (args: readonly string[]) => Promise<{ status: number; stderr: string }> = runCli,
): Promise<string> {
  const dataDir = join(folder.path, crypto.randomUUID());
  const restored = await command(["restore", from, "--data-dir", dataDir]);
  expect([restored.status, restored.stderr]).toEqual([0, expect.stringContaining("Restored 3 files")]);
  expect(contentIn(dataDir)).toEqual(contentIn(of.config.dataDir));
  return dataDir;
}

/** Verifies a restored data folder, and serves it. */
async function expectToWork(dataDir: string): Promise<void> {
  expect((await runCli(["verify", "--data-dir", dataDir])).status).toBe(0);
  await using again = await startTestServer({ "data-dir": dataDir });
  expect(await (await again.visit("demo")).text()).toBe("one");
  expect(Buffer.compare(await (await again.visit("demo", "/large.bin")).bytes(), noise)).toBe(0);
}

test("backups to a folder are made, pruned, verified, downloaded and restored byte for byte", async () => {
  const to = join(folder.path, "backups");
  const flags = { "backup-to": to, "backup-keep": "2" };
  const { vitrine, token, recentToken, overview, newest, metrics } = await startWithSite(flags);
  await using _ = vitrine;
  const made: string[] = [];
  for (let day = 0; day < 3; day++) {
    if (day > 0) vitrine.advance(DAY);
    made.push((await newest(({ id, state }) => state === "done" && !made.includes(id))).backup.id);
  }
  const [first, second, third] = made as [string, string, string];
  // Old backups are pruned after the new one is complete.
  while ((await overview()).backups.length > 2) await Bun.sleep(50);
  const { backups, schedule } = await overview();
  expect(backups.map(({ id }) => id)).toEqual([third, second]);
  expect(backups[0]).toMatchObject({ state: "done", progress: 1, error: null, verified_at: null });
  expect(schedule).toMatchObject({ to, every: "1d", keep: 2, last_error: null });
  expect(readdirSync(join(to, "backups")).sort()).toEqual([second, third]);
  expect(await metrics()).toContain("vitrine_backup_failures 0");

  await expectToWork(await expectRestored(to, vitrine));
  await expectRestored(`${to}#${second}`, vitrine);
  const gone = await runCli(["restore", `${to}#${first}`, "--data-dir", join(folder.path, "none")]);
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining(`there is no complete backup ${first}`)]);

  expect((await vitrine.call("POST", `/admin/backups/${third}/verify`, { token })).status).toBe(202);
  await newest(({ verified_at }) => verified_at !== null);
  const download = await vitrine.call("GET", `/admin/backups/${third}/archive`, { token: await recentToken() });
  const file = join(folder.path, "downloaded.tar");
  writeFileSync(file, await download.bytes());
  await expectRestored(file, vitrine);
});

test("backups to an unavailable folder are retried, and the operator is notified once", async () => {
  const receiver = startReceiver();
  const to = join(folder.path, "mounted", "backups");
  const flags = { "backup-to": to, "operator-webhook": receiver.url, "operator-webhook-secret": SECRET };
  const { vitrine, newest, metrics } = await startWithSite(flags);
  await using _ = vitrine;
  const { backup, schedule } = await newest(({ state }) => state === "failed");
  expect(backup.error).toContain("create it, or mount its disk");
  expect(schedule?.last_error).toBe(backup.error);
  expect(await metrics()).toContain("vitrine_backup_failures 1");
  const [notified] = await receiver.until(1);
  const data = { server: vitrine.baseUrl, backup_id: backup.id, target: to, error: backup.error };
  expect(notified?.event).toMatchObject({ type: "backup.failed", data });
  verify(SECRET, notified!, vitrine.clock.now());

  vitrine.advance(2 * MINUTE);
  await newest(({ error }) => error?.endsWith("(2 attempts)") ?? false);
  const doctor = await run(["doctor", "--data-dir", vitrine.config.dataDir, "--json"], {
    env: { VITRINE_BACKUP_TO: to },
  });
  const findings = JSON.parse(doctor.stdout).findings as { check: string; verdict: string }[];
  expect(findings.find(({ check }) => check === "backups")).toMatchObject({ verdict: "problem" });
  mkdirSync(join(folder.path, "mounted"));
  vitrine.advance(10 * MINUTE);
  expect((await newest(({ state }) => state === "done")).backup).toMatchObject({ id: backup.id, error: null });
  expect(receiver.received).toHaveLength(1);
  await receiver.stop();
});

const onCeph = needing("ceph");

onCeph.describe("in S3", () => {
  let ceph: Ceph;
  onCeph.beforeAll(async () => {
    ceph = (await starting) as Ceph;
  });

  onCeph.describe("objects", () =>
    objectContract(async () => {
      const objects = s3Objects(await ceph.newBucket(), ceph.keys, { partBytes: PART_BYTES, pageSize: 2 });
      await objects.prepare();
      return objects;
    }),
  );

  onCeph.test("backups are made and restored byte for byte, and retried if the service is unavailable", async () => {
    const { address } = await ceph.newBucket("production");
    const flags = {
      "backup-to": address,
      "s3-access-key-id": ceph.keys.accessKeyId,
      "s3-secret-access-key": ceph.keys.secretAccessKey,
    };
    const { vitrine, token, newest } = await startWithSite(flags);
    await using _ = vitrine;
    await newest(({ state }) => state === "done");
    const requested = await vitrine.call("POST", "/admin/backups", { token });
    expect(requested.status).toBe(202);
    const { id } = (await requested.json()) as { id: string };
    await newest((backup) => backup.id === id && backup.state === "done");
    const env = { VITRINE_S3_ACCESS_KEY_ID: "test", VITRINE_S3_SECRET_ACCESS_KEY: "testsecret" };
    // The compiled program can also sign requests and connect to a service.
    const restored = await expectRestored(`${address}#${id}`, vitrine, (args) => run(args, { env }));
    expect((await runCli(["verify", "--data-dir", restored])).status).toBe(0);
    expect((await vitrine.call("POST", `/admin/backups/${id}/verify`, { token })).status).toBe(202);
    await newest(({ verified_at }) => verified_at !== null);

    ceph.stop();
    vitrine.advance(DAY);
    const failed = await newest(({ state }) => state === "failed");
    expect(failed.backup.error).toContain("connection refused");
    expect(failed.schedule?.next_at).not.toBeNull();
  });
});
