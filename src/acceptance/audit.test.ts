import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { dropOldEntries } from "../domain/audit/audit.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import { DAY } from "../domain/timestamp.ts";
import { startAppliance, type TestAppliance } from "./testing/appliance.ts";
import { zipOf } from "./testing/archives.ts";
import { run } from "./testing/executable.ts";

// The first run may have to build the program.
setDefaultTimeout(60_000);

let vitrine: TestAppliance;
let token: string;

beforeAll(async () => {
  vitrine = await startAppliance();
  token = (await vitrine.signUp("ada")).token;
}, 60_000);
afterAll(() => vitrine?.[Symbol.asyncDispose]());

async function audit(...args: string[]): Promise<AuditEntry[]> {
  const { stdout } = await run(["audit", "--json", ...args, "--data-dir", vitrine.config.dataDir]);
  return JSON.parse(stdout);
}

const told = (entries: readonly AuditEntry[]) =>
  entries.map(({ kind, actor, action, site, subject }) => [`${kind} ${actor}`, action, site, subject]);

test("every change is noted with who, from where and of what; looking and being refused are not", async () => {
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
  expect(told(entries)).toEqual([
    ["session ada", "DELETE /sites/:name", "demo", ""],
    ["session ada", "DELETE /tokens/:token_id", "demo", `token_id=${minted.id}`],
    ["session ada", "POST /sites/:name/deployments/:deployment_number/activate", "demo", "deployment_number=1"],
    ["deployment_token CI", "POST /deploy", "demo", ""],
    ["session ada", "POST /deploy", "demo", ""],
  ]);
  expect(entries.every(({ address }) => address === "127.0.0.1")).toBe(true);
  expect(JSON.stringify(entries)).not.toContain(token);
  expect(JSON.stringify(entries)).not.toContain(minted.token);
});

test("a site whose name was generated is noted under it", async () => {
  const answer = await vitrine.deploy(token, await zipOf({ "index.html": "x" }));
  const { name } = (await answer.json()) as { name: string };
  expect(told(await audit("--site", name))).toEqual([["session ada", "POST /deploy", name, ""]]);
});

test("what the operator does on the data folder is noted too", async () => {
  const dataDir = ["--data-dir", vitrine.config.dataDir];
  await run(["users", "add", "bob", "--password-stdin", ...dataDir], { input: "correct horse battery\n" });
  const [latest] = await audit("--limit", "1");
  expect(latest).toMatchObject({ kind: "operator", action: "users add", subject: "bob", address: "" });
});

test("the list of a site that never was says so, and not that nothing was changed", async () => {
  const { status, stderr } = await run(["audit", "--site", "nosuch", "--data-dir", vitrine.config.dataDir]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("There is no site called nosuch.")]);
});

test("owners see what was changed of their site, by themselves, its tokens and the operator, over API and command line", async () => {
  await vitrine.deploy(token, await zipOf({ "index.html": "x" }), { site: "diary" });
  const json = { site_name: "diary", name: "CI" };
  const minted = (await (await vitrine.call("POST", "/tokens", { token, json })).json()) as { token: string };
  await vitrine.deploy(minted.token, await zipOf({ "index.html": "y" }), { site: "diary" });
  await run(["retention", "pin", "diary", "1", "--data-dir", vitrine.config.dataDir]);

  const read = async (path: string) => (await (await vitrine.call("GET", path, { token })).json()) as AuditEntry[];
  const entries = await read("/sites/diary/audit");
  expect(told(entries)).toEqual([
    ["operator ", "retention pin", "diary", "deployment 1"],
    ["deployment_token CI", "POST /deploy", "diary", ""],
    ["session ada", "POST /tokens", "diary", ""],
    ["session ada", "POST /deploy", "diary", ""],
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
  expect(JSON.parse((await run(["activity", "diary", "--json", ...remote])).stdout)).toEqual(entries);
  const { stdout } = await run(["activity", "--limit", "1", ...remote]);
  expect(stdout).toMatch(/ID +WHEN +WHO +FROM +SITE +WHAT\n.* operator .*diary +retention pin deployment 1\n$/);
});

test.each([["limit=0"], ["limit=1001"], ["before=0"], ["before=x"]])("GET /audit?%s is refused", async (query) => {
  expect((await vitrine.call("GET", `/audit?${query}`, { token })).status).toBe(422);
});

test("a login that is given to somebody else does not take its changes along", async () => {
  const gone = await vitrine.signUp("grace");
  await vitrine.call("DELETE", "/auth/session", { token: gone.token });
  await vitrine.store.users.remove(gone.user.id);
  const { token: heirs } = await vitrine.signUp("grace");
  expect(await (await vitrine.call("GET", "/audit", { token: heirs })).json()).toEqual([]);
});

test("old entries are dropped, and verify is still content", async () => {
  await using fresh = await startAppliance({ workers: "1" });
  const owner = await fresh.signUp("ada");
  const archive = await zipOf({ "index.html": "x" });
  await fresh.deploy(owner.token, archive, { site: "demo" });
  await fresh.deploy(owner.token, archive, { site: "demo" });
  fresh.advance(20 * DAY);
  await fresh.deploy(owner.token, archive, { site: "demo" });
  fresh.advance(350 * DAY);
  expect(await dropOldEntries(fresh, fresh.config.auditDays ?? 0, async () => {})).toBe(2);
  const dataDir = ["--data-dir", fresh.config.dataDir];
  expect(JSON.parse((await run(["audit", "--json", ...dataDir])).stdout)).toMatchObject([{ id: 3 }]);
  expect((await run(["verify", ...dataDir])).status).toBe(0);
});

test("an entry cannot be changed or removed, and verify finds it when somebody does so all the same", async () => {
  const db = new Database(join(vitrine.config.dataDir, "vitrine.db"));
  db.run("PRAGMA busy_timeout = 10000");
  expect(() => db.run("UPDATE audit SET actor = 'eve' WHERE id = 2")).toThrow("the audit log is append-only");
  expect(() => db.run("DELETE FROM audit WHERE id = 2")).toThrow("the audit log is append-only");
  expect((await run(["verify", "--data-dir", vitrine.config.dataDir])).status).toBe(0);

  db.run("DROP TRIGGER audit_is_not_changed");
  db.run("UPDATE audit SET actor = 'eve' WHERE id = 2");
  db.close();
  const { status, stdout } = await run(["verify", "--data-dir", vitrine.config.dataDir]);
  expect([status, stdout]).toEqual([1, "the audit log was changed at entry 2\n"]);
});
