import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY, MINUTE } from "../domain/timestamp.ts";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let server: TestServer;
/** A session token of the operator, who signed in when the tests started. */
let ada: string;

const signedIn = async (login: string) => (await signIn(server, login)).cookies().get("vitrine") as string;

beforeAll(async () => {
  server = await startTestServer({ workers: "2" });
  await addLocalAccount(server, "ada");
  const user = await server.store.users.findByLogin("local", "ada");
  await server.store.users.setOperator(user?.id ?? 0, true);
  ada = await signedIn("ada");
});
afterAll(() => server?.[Symbol.asyncDispose]());

const call = (method: string, path: string, json?: unknown, token = ada) => server.call(method, path, { token, json });
const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail;
const bodyOf = async <T>(response: Response) => (await response.json()) as T;
const confirmed = () => call("POST", "/auth/confirm", { password: PASSWORD });

test("other users are refused before the request is evaluated, also for names that do not exist", async () => {
  const { token } = await server.signUp("eve");
  for (const [method, path] of [
    ["GET", "/admin/users"],
    ["GET", "/admin/users/nobody"],
    ["PATCH", "/admin/users/nobody"],
    ["DELETE", "/admin/sites/nothing"],
    ["GET", "/admin/settings"],
    ["GET", "/admin/audit"],
  ] as const) {
    const response = await server.call(method, path, { token, ...(method === "PATCH" ? { body: "{" } : {}) });
    expect([path, response.status, await detailOf(response)]).toEqual([
      path,
      403,
      expect.stringContaining("operator permission is required"),
    ]);
  }
  expect((await server.call("GET", "/admin/users")).status).toBe(401);
  expect(await bodyOf<object>(await call("GET", "/auth/me", undefined, token))).toMatchObject({ operator: false });
  expect(await bodyOf<object>(await call("GET", "/auth/me"))).toMatchObject({ operator: true });
});

// Runs before the clock is advanced, because another process does not share that clock, and the start would be older
// than 24 hours.
describe("the metrics", () => {
  type Metrics = {
    step_seconds: number;
    starts: number[];
    series: { name: string; points: [number, number | null][] }[];
  };
  const metrics = async (query = "") => bodyOf<Metrics>(await call("GET", `/admin/metrics${query}`));
  const total = ({ series }: Metrics, name: string) =>
    series.find((one) => one.name === name)?.points.reduce((sum, [, value]) => sum + (value ?? 0), 0) ?? 0;

  test("are sampled by a job from the counters of every thread", async () => {
    const before = await metrics();
    expect([before.step_seconds, before.starts]).toEqual([60, [expect.any(Number)]]);
    const { token } = await server.signUp("measured");
    await server.deploy(token, await zipOf({ "index.html": "x" }), { site: "measured" });
    for (let visit = 0; visit < 20; visit++) await server.visit("measured");
    expect((await call("POST", "/admin/jobs/metrics/run")).status).toBe(202);
    await ended("metrics");
    const after = await metrics();
    expect(total(after, "deployments") - total(before, "deployments")).toBe(1);
    expect(total(after, "requests") - total(before, "requests")).toBeGreaterThanOrEqual(20);
    expect(total(after, "cache_hit_ratio")).toBeGreaterThan(0);
    expect(total(after, "disk_free")).toBeGreaterThan(0);
  });

  test("are returned by hour for 30 days, and invalid times are refused", async () => {
    const from = new Date(server.clock.now() - 30 * DAY).toISOString();
    const month = await metrics(`?from=${from}`);
    expect([month.step_seconds, month.series[0]?.points.length]).toEqual([3600, 721]);
    expect(total(month, "requests")).toBeGreaterThanOrEqual(20);
    for (const query of ["?from=yesterday", "?to=2026-13-01T00:00:00Z", `?to=${from}&from=${from}`]) {
      expect((await call("GET", `/admin/metrics${query}`)).status).toBe(422);
    }
  });
});

test("the doctor checks the running server in another process", async () => {
  type Report = { ok: boolean; checked_at: string; findings: { check: string; verdict: string; detail: string }[] };
  const examine = () => Promise.all([call("GET", "/admin/doctor"), call("GET", "/admin/doctor")]);
  let [examined, again] = await examine();
  let report = await bodyOf<Report>(examined);
  // On a busy machine, the server may exceed the doctor's time limit.
  while (report.findings.some(({ detail }) => detail.includes("timed out"))) {
    await Bun.sleep(1000);
    [examined, again] = await examine();
    report = await bodyOf<Report>(examined);
  }
  const { ok, checked_at, findings } = report;
  expect([ok, findings.filter(({ verdict }) => verdict === "problem")]).toEqual([true, []]);
  expect(findings.find(({ check }) => check === "server")?.detail).toContain("is running and healthy at");
  expect(await again.json()).toMatchObject({ checked_at });
});

describe("users", () => {
  test("are listed in pages, with their usage and limits", async () => {
    for (const login of ["list-1", "list-2", "list-3"]) await server.signUp(login);
    type Page = { users: { login: string }[]; next_cursor: string | null };
    const first = await bodyOf<Page>(await call("GET", "/admin/users?q=LIST-&limit=2"));
    expect(first.users.map(({ login }) => login)).toEqual(["list-1", "list-2"]);
    const rest = await bodyOf<Page>(await call("GET", `/admin/users?q=list-&limit=2&cursor=${first.next_cursor}`));
    expect(rest).toMatchObject({ users: [{ login: "list-3" }], next_cursor: null });
    expect((await call("GET", "/admin/users?cursor=nonsense")).status).toBe(422);
    expect((await call("GET", "/admin/users?limit=1001")).status).toBe(422);
    expect(first.users[0]).toEqual({
      login: "list-1",
      name: null,
      provider: "local",
      operator: false,
      frozen: null,
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      sites: 0,
      bytes: 0,
      max_sites: null,
      max_bytes: null,
    } as never);
  });

  test("get limits, a name and a freeze from the operator, and see the freeze", async () => {
    const { token } = await server.signUp("grace");
    const changed = await call("PATCH", "/admin/users/grace", {
      name: "Grace",
      max_sites: 3,
      frozen: { reason: "invoice 4711" },
    });
    expect(await bodyOf<object>(changed)).toMatchObject({
      name: "Grace",
      max_sites: 3,
      frozen: { since: expect.any(String), reason: "invoice 4711" },
    });
    expect((await call("GET", "/auth/me", undefined, token)).status).toBe(403);
    const lifted = await call("PATCH", "/admin/users/grace", { frozen: null, max_sites: "default" });
    expect(await bodyOf<object>(lifted)).toMatchObject({ frozen: null, max_sites: null, name: "Grace" });
    expect((await call("GET", "/auth/me", undefined, token)).status).toBe(200);
    expect((await call("PATCH", "/admin/users/nobody", { name: "x" })).status).toBe(404);
    for (const refused of [{ max_sites: -1 }, { max_bytes: 1e30 }]) {
      expect((await call("PATCH", "/admin/users/grace", refused)).status).toBe(422);
    }
    const latest = await bodyOf<{ summary: string }[]>(await call("GET", "/admin/audit?limit=2"));
    expect(latest.map(({ summary }) => summary)).toEqual([
      "Changed grace: unfrozen, max_sites default",
      "Changed grace: name, frozen, max_sites 3",
    ]);
  });

  test("become operators only after a recent sign-in", async () => {
    await server.signUp("mary");
    server.advance(16 * MINUTE);
    const refused = await call("PATCH", "/admin/users/mary", { operator: true });
    expect([refused.status, await detailOf(refused)]).toEqual([403, expect.stringContaining("recent sign-in")]);
    const wrong = await call("POST", "/auth/confirm", { password: "not it" });
    expect([wrong.status, await detailOf(wrong)]).toEqual([403, "the password is wrong"]);
    expect((await confirmed()).status).toBe(204);
    const made = await call("PATCH", "/admin/users/mary", { operator: true });
    expect(await bodyOf<object>(made)).toMatchObject({ login: "mary", operator: true });
    expect((await call("PATCH", "/admin/users/mary", { operator: false })).status).toBe(200);
  });

  test("cannot freeze or remove themselves, and the last operator stays one", async () => {
    await confirmed();
    for (const [method, json] of [
      ["PATCH", { frozen: { reason: null } }],
      ["PATCH", { operator: false }],
      ["DELETE", undefined],
    ] as const) {
      expect((await call(method, "/admin/users/ada", json)).status).toBe(409);
    }
    expect((await call("GET", "/admin/users")).status).toBe(200);
  });

  test("are removed unless they own sites, and their sessions end", async () => {
    await confirmed();
    const { token } = await server.signUp("joan");
    await server.deploy(token, await zipOf({ "index.html": "joan" }), { site: "joans" });
    expect((await call("DELETE", "/admin/users/joan")).status).toBe(409);
    const sessions = await bodyOf<{ id: number }[]>(await call("GET", "/admin/users/joan/sessions"));
    expect(sessions).toMatchObject([{ client_name: "test", current: false }] as object[]);
    expect((await call("DELETE", `/admin/users/joan/sessions/${sessions[0]?.id}`)).status).toBe(204);
    expect((await call("GET", "/auth/me", undefined, token)).status).toBe(401);
    expect((await call("DELETE", "/admin/users/joan/sessions/999999")).status).toBe(404);
    expect((await call("DELETE", "/admin/sites/joans")).status).toBe(204);
    expect((await call("DELETE", "/admin/users/joan")).status).toBe(204);
    expect((await call("GET", "/admin/users/joan")).status).toBe(404);
  });
});

describe("an invitation", () => {
  const invited = async (login: string) =>
    bodyOf<{ url: string; expires_at: string }>(await call("POST", "/admin/users", { login, name: "New" }));
  const pathOf = (url: string) => new URL(url).pathname;

  test("creates one account, which is signed in", async () => {
    const { url } = await invited("newcomer");
    const browser = new Browser(server.baseUrl);
    expect(await (await browser.get(pathOf(url))).text()).toContain("newcomer");
    expect((await browser.submit(pathOf(url), { name: "", password: "short" })).status).toBe(400);
    expect((await browser.submit(pathOf(url), { name: "Newcomer", password: PASSWORD })).status).toBe(200);
    expect(browser.cookies().get("vitrine")).toBeString();
    expect(await bodyOf<object>(await call("GET", "/admin/users/newcomer"))).toMatchObject({ name: "Newcomer" });
    expect((await browser.get(pathOf(url))).status).toBe(404);
    expect((await call("POST", "/admin/users", { login: "newcomer" })).status).toBe(409);
  });

  test("ends with a newer one and after seven days, and then looks like an unknown one", async () => {
    const [first, second] = [await invited("late"), await invited("late")];
    const browser = new Browser(server.baseUrl);
    const pages = async (url: string) => {
      const response = await browser.get(pathOf(url));
      return [response.status, await response.text()];
    };
    const never = await pages(`${server.baseUrl}/account/never`);
    expect(never[0]).toBe(404);
    expect(await pages(first.url)).toEqual(never);
    expect((await browser.get(pathOf(second.url))).status).toBe(200);
    server.advance(7 * DAY);
    expect(await pages(second.url)).toEqual(never);
  });

  test("is refused for an invalid login", async () => {
    expect((await call("POST", "/admin/users", { login: "a b" })).status).toBe(400);
  });
});

test("a password link sets the password once, and ends the user's sessions", async () => {
  ada = await signedIn("ada");
  await addLocalAccount(server, "forgetful");
  const before = await signedIn("forgetful");
  const link = await call("POST", "/admin/users/forgetful/password-link");
  expect(link.status).toBe(201);
  const { pathname } = new URL((await bodyOf<{ url: string }>(link)).url);
  const browser = new Browser(server.baseUrl);
  expect((await browser.submit(pathname, { password: "staple correct horse" })).status).toBe(200);
  expect((await call("GET", "/auth/me", undefined, before)).status).toBe(401);
  expect((await browser.submit(pathname, { password: "another correct horse" })).status).toBe(404);
});

describe("sites", () => {
  test("of all users are listed, frozen, transferred and deleted", async () => {
    const { token } = await server.signUp("owner");
    await server.deploy(token, await zipOf({ "index.html": "shop" }), { site: "shop" });
    const listed = await bodyOf<object>(await call("GET", "/admin/sites?q=own"));
    expect<object>(listed).toEqual({
      sites: [
        {
          name: "shop",
          url: server.siteUrl("shop"),
          owner: "owner",
          private: false,
          frozen: null,
          deployments: 1,
          bytes: 4,
          views_30d: 0,
          traffic_30d: 0,
          domains: 0,
          last_deployed_at: expect.any(String),
          created: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    const frozen = await call("PATCH", "/admin/sites/shop", { frozen: { reason: "phishing" } });
    expect(await bodyOf<object>(frozen)).toMatchObject({ frozen: { reason: "phishing" } });
    expect((await server.visit("shop")).status).toBe(403);
    expect((await call("PATCH", "/admin/sites/shop", { frozen: null })).status).toBe(200);
    await server.signUp("heir");
    const given = await call("POST", "/admin/sites/shop/transfer", { login: "heir" });
    expect(await bodyOf<object>(given)).toMatchObject({
      owner: "heir",
      ended: { tokens: 0, shares: 0, webhooks: 0, publishers: 0 },
    });
    expect((await call("GET", "/sites/shop/deployments", undefined, token)).status).toBe(403);
    expect((await server.visit("shop")).status).toBe(200);
    await call("PATCH", "/admin/users/owner", { max_sites: 0 });
    expect((await call("POST", "/admin/sites/shop/transfer", { login: "owner" })).status).toBe(413);
    expect((await call("POST", "/admin/sites/nothing/transfer", { login: "owner" })).status).toBe(404);
    expect((await call("DELETE", "/admin/sites/shop")).status).toBe(204);
    expect((await server.visit("shop")).status).toBe(404);
  });
});

describe("the audit log", () => {
  test("has each change of an operator with the user, and can be filtered", async () => {
    await call("PATCH", "/admin/users/eve", { name: "Eve" });
    const found = await call("GET", "/admin/audit?actor=ada&action=PATCH%20/admin/users/:login&limit=1");
    expect(await found.json()).toEqual([
      expect.objectContaining({ kind: "operator", actor: "ada", subject: expect.stringContaining("login=eve") }),
    ]);
    expect(await (await call("GET", "/admin/audit?to=2001-01-01T00:00:00Z")).json()).toEqual([]);
    expect((await call("GET", "/admin/audit?from=yesterday")).status).toBe(422);
  });

  test("is exported completely as CSV without formulas", async () => {
    const { token } = await server.signUp("=cmd");
    await server.deploy(token, await zipOf({ "index.html": "x" }), { site: "csv" });
    const response = await call("GET", "/admin/audit?format=csv&site=csv");
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, line] = (await response.text()).split("\r\n");
    expect(head).toBe("id,at,kind,actor,address,action,site,subject");
    expect(line).toContain(",session,'=cmd,");
    const accepted = await server.call("GET", "/admin/audit", { token: ada, headers: { Accept: "text/csv" } });
    expect(accepted.headers.get("content-type")).toContain("text/csv");
  });
});

const jobs = async () => bodyOf<{ name: string; running: boolean }[]>(await call("GET", "/admin/jobs"));

/** Resolves when no run of the job is in progress. */
async function ended(name: string): Promise<void> {
  while ((await jobs()).find((job) => job.name === name)?.running);
}

describe("the jobs of the server", () => {
  test("are listed by every thread, and run on demand with an audit record", async () => {
    expect((await jobs()).find(({ name }) => name === "retention")).toEqual({
      name: "retention",
      title: expect.any(String),
      every: "1h",
      last_run_at: expect.any(String),
      last_duration_ms: expect.any(Number),
      last_error: null,
      next_run_at: expect.any(String),
      running: false,
    } as never);
    const started = await call("POST", "/admin/jobs/retention/run");
    expect([started.status, await bodyOf<object>(started)]).toMatchObject([202, { name: "retention" }]);
    expect((await call("POST", "/admin/jobs/nothing/run")).status).toBe(404);
    const [record] = await bodyOf<object[]>(await call("GET", "/admin/audit?limit=1"));
    const change = { kind: "operator", actor: "ada", subject: "job_name=retention", summary: "Ran the job retention" };
    expect(record).toMatchObject(change);
  });
});

test("settings are listed with their values and sources", async () => {
  const settings = await bodyOf<{ name: string }[]>(await call("GET", "/admin/settings"));
  const found = (name: string) => settings.find((setting) => setting.name === name);
  expect(found("workers")).toEqual({
    name: "workers",
    value: "2",
    default: expect.any(String),
    source: "flag",
    secret: false,
  } as never);
  expect(found("acme-eab-hmac")).toMatchObject({ value: null, secret: true });
});
