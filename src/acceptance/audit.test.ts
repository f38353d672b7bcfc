import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { openTestApi } from "../api/testing/test-api.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { dropOldEntries } from "../domain/audit/audit.ts";
import { RATE_LIMITS } from "../domain/limits/rate-limit.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { serverStories } from "./testing/stories.ts";

const { vitrine, ada: token } = await serverStories();

async function audit(...args: string[]): Promise<AuditEntry[]> {
  const { stdout } = await runCli(["audit", "--json", ...args, "--data-dir", vitrine.config.dataDir]);
  return JSON.parse(stdout);
}

const summaries = (entries: readonly AuditEntry[]) =>
  entries.map(({ kind, actor, action, site, subject }) => [`${kind} ${actor}`, action, site, subject]);

test("every change is recorded with person, address and target; reads and refusals are not", async () => {
  const archive = await zipOf({ "index.html": "hello" });
  await vitrine.deploy(token, archive, { site: "demo" });
  const minted = await vitrine.mintDeploymentToken("demo");
  await vitrine.deploy(minted.token, archive, { site: "demo" });
  await vitrine.call("POST", "/sites/demo/deployments/1/activate", { token });
  await vitrine.call("GET", "/sites/demo/deployments", { token });
  await vitrine.call("POST", "/sites/demo/deployments/99/activate", { token });
  await vitrine.call("POST", "/auth/device", { json: {} });
  await vitrine.call("DELETE", `/tokens/${minted.id}`, { token });
  await vitrine.call("DELETE", "/sites/demo", { token });

  const entries = await audit();
  expect(summaries(entries)).toEqual([
    ["session ada", "DELETE /sites/:name", "demo", ""],
    ["session ada", "DELETE /tokens/:token_id", "demo", `token_id=${minted.id}`],
    ["session ada", "POST /sites/:name/deployments/:deployment_number/activate", "demo", "deployment_number=1"],
    ["deployment_token CI", "POST /deploy", "demo", "deployment_number=2"],
    ["session ada", "POST /deploy", "demo", "deployment_number=1"],
  ]);
  expect(entries.every(({ address }) => address === "127.0.0.1")).toBe(true);
  expect(JSON.stringify(entries)).not.toContain(token);
  expect(JSON.stringify(entries)).not.toContain(minted.token);
});

test("a site with a generated name is recorded under that name", async () => {
  const response = await vitrine.deploy(token, await zipOf({ "index.html": "x" }));
  const { name } = (await response.json()) as { name: string };
  expect(summaries(await audit("--site", name))).toEqual([
    ["session ada", "POST /deploy", name, "deployment_number=1"],
  ]);
});

test("the operator's commands on the data folder are recorded too", async () => {
  const dataDir = ["--data-dir", vitrine.config.dataDir];
  await runCli(["users", "add", "bob", "--password-stdin", ...dataDir], {}, "correct horse battery\n");
  const [latest] = await audit("--limit", "1");
  expect(latest).toMatchObject({ kind: "operator", action: "users add", subject: "bob", address: "" });
});

test("the list for a site that never existed says so, instead of reporting no changes", async () => {
  const { status, stderr } = await runCli(["audit", "--site", "nosuch", "--data-dir", vitrine.config.dataDir]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("there is no site called nosuch")]);
});

test("owners see changes of their site by themselves, its tokens and the operator, in API and command line", async () => {
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "diary" });
  const json = { site_name: "diary", name: "CI of a=b" };
  const minted = (await (await vitrine.call("POST", "/tokens", { token, json })).json()) as {
    id: string;
    token: string;
  };
  await vitrine.deploy(minted.token, await zipOf({ "index.html": "y" }), { site: "diary" });
  await runCli(["retention", "pin", "diary", "1", "--data-dir", vitrine.config.dataDir]);

  const read = async (path: string) => (await (await vitrine.call("GET", path, { token })).json()) as AuditEntry[];
  const entries = await read("/sites/diary/audit");
  expect(summaries(entries)).toEqual([
    ["operator ", "retention pin", "diary", "deployment 1"],
    ["deployment_token CI of a=b", "POST /deploy", "diary", "deployment_number=2"],
    ["session ada", "POST /tokens", "diary", `token_id=${minted.id} token=CI%20of%20a%3Db`],
    ["session ada", "POST /deploy", "diary", "deployment_number=1"],
  ]);
  expect(entries.at(-1)).toMatchObject({ address: "127.0.0.1", at: expect.stringMatching(/^20\d\d-.*Z$/) });
  expect(Object.keys(entries[0] ?? {})).toEqual([
    "id",
    "at",
    "kind",
    "actor",
    "address",
    "action",
    "site",
    "subject",
    "summary",
  ]);

  const [newest, ...rest] = await read("/audit?limit=2");
  expect(newest).toEqual(entries[0] as AuditEntry);
  const { id } = rest.at(-1) as AuditEntry & { id: number };
  expect((await read(`/audit?limit=1&before=${id}`))[0]).toEqual(entries[2] as AuditEntry);

  const remote = ["--server", vitrine.baseUrl.replace("localhost", "127.0.0.1"), "--token", token];
  expect(JSON.parse((await runCli(["activity", "diary", "--json", ...remote])).stdout)).toEqual(entries);
  const { stdout } = await runCli(["activity", "--limit", "1", ...remote]);
  expect(stdout).toMatch(/ID +TIME +BY +SITE +CHANGE +IP ADDRESS\n.* operator .*diary +retention pin deployment 1\n$/);
});

test("a change is recorded under its site for every spelling of the URL", async () => {
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "spelled" });
  const activate = (path: string) => vitrine.call("POST", path, { token });
  expect((await activate("/sites/spelled/deployments/1/activate/")).status).toBe(200);
  expect((await activate("/sites/%73pelled/deployments/1/activate")).status).toBe(200);
  const activated = "POST /sites/:name/deployments/:deployment_number/activate";
  expect(summaries(await audit("--site", "spelled")).slice(0, 2)).toEqual([
    ["session ada", activated, "spelled", "deployment_number=1"],
    ["session ada", activated, "spelled", "deployment_number=1"],
  ]);
});

test("a change whose client disconnected before the response is recorded with the client's address", async () => {
  const { login } = await addLocalAccount(vitrine, "hasty");
  const { port } = vitrine.config.listen;
  const { rateLimits, audit } = vitrine.store;
  const signIns = () => rateLimits.count(`${RATE_LIMITS.signIn.name} 127.0.0.1`, 15 * MINUTE, vitrine.clock.now());
  const before = await signIns();
  const form = `${new URLSearchParams({ login, password: PASSWORD })}`;
  const lines = [
    "POST /sign-in HTTP/1.1",
    `Host: localhost:${port}`,
    `Origin: ${vitrine.baseUrl}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${form.length}`,
  ];
  const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n${form}`));
  // Counted before the password is hashed, which takes long enough to disconnect.
  while ((await signIns()) === before) await Bun.sleep(1);
  socket.resetAndDestroy();
  const latest = async () => (await audit.list({}, { limit: 1, before: null }))[0];
  while ((await latest())?.actor !== login) await Bun.sleep(5);
  expect(await latest()).toMatchObject({ action: "POST /sign-in", address: "127.0.0.1" });
});

test("changes on the HTML pages are recorded under their user, and reads are not", async () => {
  const alan = await addLocalAccount(vitrine, "alan");
  const [{ id: before = 0 } = {}] = (await audit("--limit", "1")) as { id?: number }[];
  const nobody = new Browser(vitrine.baseUrl);
  for (const form of ["/device", "/sign-out"])
    await nobody.submit(form, { user_code: "ABCD-EFGH", verdict: "approved" });
  await nobody.submit("/sign-in", { login: alan.login, password: "wrong" });
  const browser = new Browser(vitrine.baseUrl);
  await browser.submit("/sign-in", { login: alan.login, password: PASSWORD });
  const device = await (await vitrine.call("POST", "/auth/device")).json();
  const { user_code } = device as { user_code: string };
  await browser.submit("/device", { user_code, verdict: "approved" });
  await browser.submit("/sign-out", {});
  const entries = (await audit()) as (AuditEntry & { id: number })[];
  expect(summaries(entries.filter(({ id }) => id > before))).toEqual([
    ["session alan", "POST /sign-out", null, ""],
    ["session alan", "POST /device", null, "verdict=approved device=an%20unnamed%20program scope=publish"],
    ["session alan", "POST /sign-in", null, ""],
  ]);
});

test.each([["limit=0"], ["limit=1001"], ["before=0"], ["before=x"]])("GET /audit?%s is refused", async (query) => {
  expect((await vitrine.call("GET", `/audit?${query}`, { token })).status).toBe(422);
});

test("a login that is given to another user does not move earlier records to them", async () => {
  const gone = await vitrine.signUp("grace");
  await vitrine.call("DELETE", "/auth/session", { token: gone.token });
  await vitrine.store.users.delete(gone.user.id);
  const { token: heirs } = await vitrine.signUp("grace");
  expect(await (await vitrine.call("GET", "/audit", { token: heirs })).json()).toEqual([]);
});

test("old entries are deleted, and verify still passes", async () => {
  await using fresh = await openTestApi();
  const owner = await fresh.signUp("ada");
  const archive = await zipOf({ "index.html": "x" });
  await fresh.deploy(owner.token, archive, { site: "demo" });
  await fresh.deploy(owner.token, archive, { site: "demo" });
  fresh.advance(20 * DAY);
  await fresh.deploy(owner.token, archive, { site: "demo" });
  fresh.advance(350 * DAY);
  expect(await dropOldEntries(fresh, fresh.config.auditDays ?? 0, async () => {})).toBe(2);
  const dataDir = ["--data-dir", fresh.config.dataDir];
  expect(JSON.parse((await runCli(["audit", "--json", ...dataDir])).stdout)).toMatchObject([{ id: 3 }]);
  expect((await runCli(["verify", ...dataDir])).status).toBe(0);
});

test("an entry cannot be changed or removed, and verify detects it if somebody bypasses that", async () => {
  const db = new Database(join(vitrine.config.dataDir, "vitrine.db"));
  db.run("PRAGMA busy_timeout = 10000");
  expect(() => db.run("UPDATE audit SET actor = 'eve' WHERE id = 2")).toThrow("the audit log is append-only");
  expect(() => db.run("DELETE FROM audit WHERE id = 2")).toThrow("the audit log is append-only");
  expect((await runCli(["verify", "--data-dir", vitrine.config.dataDir])).status).toBe(0);

  db.run("DROP TRIGGER audit_is_not_changed");
  db.run("UPDATE audit SET actor = 'eve' WHERE id = 2");
  db.close();
  const { status, stdout } = await runCli(["verify", "--data-dir", vitrine.config.dataDir]);
  expect([status, stdout]).toEqual([1, "the audit log was changed at entry 2\n"]);
});
