import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../cli/testing/run-cli.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startReceiver, verify } from "./testing/receiver.ts";
import { expectRestored, expectToWork, startWithSite } from "./testing/site-to-back-up.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let folder: ReturnType<typeof scratchFolder>;
beforeAll(() => {
  folder = scratchFolder();
});
afterAll(() => folder[Symbol.dispose]());

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

  await expectToWork(await expectRestored(to, vitrine, folder.path));
  await expectRestored(`${to}#${second}`, vitrine, folder.path);
  const gone = await runCli(["restore", `${to}#${first}`, "--data-dir", join(folder.path, "none")]);
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining(`there is no complete backup ${first}`)]);

  expect((await vitrine.call("POST", `/admin/backups/${third}/verify`, { token })).status).toBe(202);
  await newest(({ verified_at }) => verified_at !== null);
  const download = await vitrine.call("GET", `/admin/backups/${third}/archive`, { token: await recentToken() });
  const file = join(folder.path, "downloaded.tar");
  writeFileSync(file, await download.bytes());
  await expectRestored(file, vitrine, folder.path);
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
  const doctor = await runCli(["doctor", "--data-dir", vitrine.config.dataDir, "--json"], { VITRINE_BACKUP_TO: to });
  const findings = JSON.parse(doctor.stdout).findings as { check: string; verdict: string }[];
  expect(findings.find(({ check }) => check === "backups")).toMatchObject({ verdict: "problem" });
  mkdirSync(join(folder.path, "mounted"));
  vitrine.advance(10 * MINUTE);
  expect((await newest(({ state }) => state === "done")).backup).toMatchObject({ id: backup.id, error: null });
  // The clock may have advanced before the response arrived, and the same notification is then sent again.
  const notifications = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  expect([...notifications]).toEqual([notified!.headers["webhook-id"]]);
  await receiver.stop();
});
