import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { DAY, MINUTE, timestamp } from "../domain/timestamp.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

const ID = "20261122T020000000Z";

let api: TestApi;
let to: string;
let userId: number;
let token: string;

beforeEach(async () => {
  to = temporaryFolder();
  api = await openTestApi({ "backup-to": to, "backup-keep": "3" });
  ({
    user: { id: userId },
  } = await api.signUp("root"));
  await api.store.users.setOperator(userId, true);
  token = await signIn();
});
afterEach(() => api[Symbol.asyncDispose]());

async function signIn(): Promise<string> {
  const session = { userId, clientName: "test", address: null, signedIn: true };
  return (await startSession({ store: api.store, clock: api.clock, secrets: systemSecrets }, session)).token;
}

/** Adds a complete backup with one file at its destination. */
async function addBackup(id = ID): Promise<void> {
  const content = "content";
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  const folder = join(to, "backups", id);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(to, "files", digest.slice(0, 2)), { recursive: true });
  writeFileSync(join(to, "files", digest.slice(0, 2), digest), content);
  writeFileSync(join(folder, "contents.txt"), `${digest} 7\n`);
  writeFileSync(join(folder, "vitrine.db"), "database");
  writeFileSync(join(folder, "vitrine-backup.json"), JSON.stringify({ created_at: "2026-11-22T02:00:00.000Z" }));
  await api.store.backups.add(to, [{ id, createdAt: api.clock.now(), bytes: 7 }]);
}

const call = (method: string, path: string, headers: Record<string, string> = {}) =>
  api.call(method, `/admin/backups${path}`, { token, headers });
const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail;

test("backups are listed with their schedule", async () => {
  await addBackup();
  const now = timestamp(api.clock.now());
  const response = await (await call("GET", "")).json();
  const backup = { id: ID, bytes: 7, state: "done", progress: 1, error: null, verified_at: null };
  expect(response).toEqual({
    backups: [{ ...backup, created_at: expect.any(String) }],
    schedule: { to, every: "1d", keep: 3, next_at: expect.any(String), last_error: null },
  });
  const { backups, schedule } = response as { backups: { created_at: string }[]; schedule: { next_at: string } };
  expect(Date.parse(now) - Date.parse(backups[0]!.created_at)).toBeLessThan(MINUTE);
  expect(Date.parse(schedule.next_at) - Date.parse(backups[0]!.created_at)).toBe(DAY);
});

test("the schedule has the last error while a backup fails and is retried", async () => {
  const { id } = (await (await call("POST", "")).json()) as { id: string };
  const change = { state: "failed", error: "away", attempts: 1, retryAt: api.clock.now() + MINUTE } as const;
  await api.store.backups.change(id, change);
  const overview = async () =>
    (await (await call("GET", "")).json()) as {
      backups: { state: string; error: string | null }[];
      schedule: { last_error: string | null; next_at: string | null };
    };
  const next_at = timestamp(change.retryAt);
  expect(await overview()).toMatchObject({ backups: [{ error: "away" }], schedule: { last_error: "away", next_at } });
  await api.store.backups.change(id, { state: "running", attempts: 2 });
  const running = { backups: [{ state: "running", error: null }], schedule: { last_error: "away", next_at: null } };
  expect(await overview()).toMatchObject(running);
});

test("without a schedule the response has none", async () => {
  await using other = await openTestApi();
  const { user, token: session } = await other.signUp("root");
  await other.store.users.setOperator(user.id, true);
  const response = await other.call("GET", "/admin/backups", { token: session });
  expect(await response.json()).toEqual({ backups: [], schedule: null });
});

test("one backup is requested at a time, and a failed one continues with its id", async () => {
  const requested = await call("POST", "");
  expect(requested.status).toBe(202);
  const { id } = (await requested.json()) as { id: string };
  expect(id).toMatch(/^\d{8}T\d{9}Z$/);
  const again = await call("POST", "");
  expect([again.status, await detailOf(again)]).toEqual([409, "a backup is running: wait until it has ended"]);
  await api.store.backups.change(id, { state: "failed", error: "away", retryAt: 0 });
  expect(await (await call("POST", "")).json()).toEqual({ id });
});

test("requests are recorded in the audit log as an operator's", async () => {
  await addBackup();
  await call("POST", `/${ID}/verify`);
  await call("GET", `/${ID}/archive`);
  await api.store.backups.change(ID, { verifying: false });
  await call("DELETE", `/${ID}`);
  const entries = (await (await api.call("GET", "/admin/audit", { token })).json()) as Record<string, string>[];
  const recorded = entries.map(({ kind, actor, summary }) => `${kind} ${actor}: ${summary}`);
  expect(recorded.slice(0, 3).reverse()).toEqual([
    `operator root: Requested a verification of the backup ${ID}`,
    `operator root: Downloaded the backup ${ID}`,
    `operator root: Deleted the backup ${ID}`,
  ]);
});

test.each([
  ["POST", ""],
  ["GET", `/${ID}/archive`],
  ["DELETE", `/${ID}`],
])("%s %s needs a recent sign-in", async (method, path) => {
  await addBackup();
  api.advance(15 * MINUTE);
  const refused = await call(method, path);
  expect([refused.status, await detailOf(refused)]).toEqual([
    403,
    expect.stringContaining("recent sign-in is required"),
  ]);
  token = await signIn();
  expect((await call(method, path)).ok).toBe(true);
});

test("a verification needs no recent sign-in", async () => {
  await addBackup();
  api.advance(15 * MINUTE);
  expect((await call("POST", `/${ID}/verify`)).status).toBe(202);
  expect(await api.store.backups.find(ID)).toMatchObject({ verifying: true });
  const inUse = await api.call("DELETE", `/admin/backups/${ID}`, { token: await signIn() });
  expect([inUse.status, await detailOf(inUse)]).toEqual([409, expect.stringContaining("in use")]);
});

test("a deleted backup is removed from the list and from its destination", async () => {
  await addBackup();
  expect((await call("DELETE", `/${ID}`)).status).toBe(204);
  expect(((await (await call("GET", "")).json()) as { backups: unknown[] }).backups).toEqual([]);
  expect((await call("DELETE", `/${ID}`)).status).toBe(404);
  await api.store.backups.add(to, [{ id: ID, createdAt: 0, bytes: 0 }]);
  const gone = await call("GET", `/${ID}/archive`);
  await api.store.backups.change(ID, { verifying: false });
  expect([gone.status, await detailOf(gone)]).toEqual([404, `the backup is no longer in ${to}`]);
});

test.each([
  ["GET", "/archive"],
  ["POST", "/verify"],
])("a running backup cannot be used to %s %s", async (method, path) => {
  const { id } = (await (await call("POST", "")).json()) as { id: string };
  expect((await call(method, `/${id}${path}`)).status).toBe(409);
  expect((await call("DELETE", `/${id}`)).status).toBe(409);
  expect((await call(method, `/20000101T000000000Z${path}`)).status).toBe(404);
});

describe("the archive", () => {
  const archive = (headers: Record<string, string> = {}) => call("GET", `/${ID}/archive`, headers);
  beforeEach(() => addBackup());

  test("can be downloaded as a file, whole or in ranges that join", async () => {
    const whole = await archive();
    expect(whole.headers.get("content-disposition")).toBe(`attachment; filename="vitrine-${ID}.tar"`);
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    const bytes = await whole.bytes();
    expect(bytes.length % 512).toBe(0);
    const head = await archive({ Range: "bytes=0-600" });
    const rest = await archive({ Range: "bytes=601-", "If-Range": whole.headers.get("etag") ?? "" });
    expect([head.status, rest.status]).toEqual([206, 206]);
    expect(rest.headers.get("content-range")).toBe(`bytes 601-${bytes.length - 1}/${bytes.length}`);
    expect(Buffer.concat([await head.bytes(), await rest.bytes()]).equals(bytes)).toBe(true);
  });

  test("is neither sent nor recorded if the client has the current version", async () => {
    const known = await archive({ "If-None-Match": "*" });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const entries = (await (await api.call("GET", "/admin/audit", { token })).json()) as Record<string, string>[];
    expect(entries.filter(({ summary }) => summary?.startsWith("Downloaded"))).toEqual([]);
  });

  test("has no range beyond its end, and is sent whole if If-Range does not match", async () => {
    const beyond = await archive({ Range: "bytes=99999999-" });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([
      416,
      expect.stringMatching(/^bytes \*\/\d+$/),
    ]);
    expect((await archive({ Range: "bytes=5-9", "If-Range": '"another"' })).status).toBe(200);
  });
});
