import { afterAll, expect, test } from "bun:test";
import { addLocalAccount, signIn } from "../acceptance/testing/accounts.ts";
import { zipOf } from "../acceptance/testing/archives.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../domain/timestamp.ts";
import { previewsJob } from "../jobs/previews.ts";
import { RUN } from "../jobs/testing/run.ts";
import { openTestApi } from "./testing/test-api.ts";

const vitrine = await openTestApi();
afterAll(() => vitrine[Symbol.asyncDispose]());
const { token } = await vitrine.signUp("ada");

interface Deployed {
  readonly deployment_number: number;
  readonly active: boolean;
  readonly url: string;
  readonly deployment_url: string;
  readonly alias: string | null;
  readonly alias_url: string | null;
  readonly expires_at: string | null;
  readonly unchanged?: true;
}

const NO = { "X-Service-Activate": "no" };
const aliased = (alias: string) => ({ "X-Service-Alias": alias });

async function deploy(site: string, text: string, headers: Record<string, string> = {}): Promise<Deployed> {
  const response = await vitrine.deploy(token, await zipOf({ "index.html": text }), { site, headers });
  expect(response.status).toBeOneOf([200, 201]);
  return (await response.json()) as Deployed;
}

async function refusal(refused: Promise<Response>): Promise<[number, string]> {
  const response = await refused;
  return [response.status, await response.text()];
}

const put = (path: string, json: unknown) => vitrine.call("PUT", path, { token, json });
const call = async (method: string, path: string) => (await vitrine.call(method, path, { token })).json();
async function shown(label: string): Promise<string> {
  const response = await vitrine.visit(label);
  return `${response.status} ${await response.text()}`;
}
const statusOf = async (label: string) => (await vitrine.visit(label)).status;
const expire = () => previewsJob(vitrine).run(RUN);

test("a preview leaves the site unchanged, has its own URL and alias, and is published by activation", async () => {
  const live = await deploy("demo", "live");
  expect(live).toMatchObject({
    active: true,
    deployment_url: vitrine.siteUrl("1--demo"),
    alias: null,
    alias_url: null,
    expires_at: null,
  });
  const preview = await deploy("demo", "preview", aliased("Feature/Login_Form"));
  const lifetime = Date.parse(preview.expires_at ?? "") - vitrine.clock.now();
  expect(Math.abs(lifetime - 30 * DAY)).toBeLessThan(MINUTE);
  expect(preview).toMatchObject({
    deployment_number: 2,
    active: false,
    url: vitrine.siteUrl("demo"),
    deployment_url: vitrine.siteUrl("2--demo"),
    alias: "feature-login-form",
    alias_url: vitrine.siteUrl("feature-login-form--demo"),
  });
  expect(await shown("demo")).toBe("200 live");
  expect(await shown("2--demo")).toBe("200 preview");
  expect(await shown("feature-login-form--demo")).toBe("200 preview");
  const visit = await vitrine.visit("feature-login-form--demo");
  expect(visit.headers.get("x-robots-tag")).toBe("noindex");

  await deploy("demo", "third", aliased("feature-login-form"));
  expect(await shown("feature-login-form--demo")).toBe("200 third");
  expect(await call("GET", "/sites/demo/deployments")).toMatchObject([
    { deployment_number: 3, active: false, activated_at: null, expires_at: expect.any(String) },
    { deployment_number: 2, active: false, activated_at: null },
    { deployment_number: 1, active: true, expires_at: null },
  ]);

  expect(await call("POST", "/sites/demo/deployments/3/activate")).toMatchObject({ active: true, expires_at: null });
  expect(await shown("demo")).toBe("200 third");
});

test("a preview without an alias is addressed by its number", async () => {
  await deploy("plain", "live");
  expect(await deploy("plain", "preview", NO)).toMatchObject({ active: false, alias: null, alias_url: null });
  expect(await shown("plain")).toBe("200 live");
  expect(await shown("2--plain")).toBe("200 preview");
});

test("a site with previews alone shows at its URL that nothing is published yet", async () => {
  const first = await deploy("fresh", "first", NO);
  expect(first).toMatchObject({ deployment_number: 1, active: false });
  const page = await shown("fresh");
  expect(page).toStartWith("404 ");
  expect(page).toContain("Nothing has been published on fresh yet.");
  expect(await shown("1--fresh")).toBe("200 first");
  expect(await call("GET", "/sites")).toContainEqual(expect.objectContaining({ name: "fresh", size_bytes: null }));
  await call("POST", "/sites/fresh/deployments/1/activate");
  expect(await shown("fresh")).toBe("200 first");
});

test("an alias is set, listed, moved and removed, and the next visit shows it", async () => {
  await deploy("moved", "one");
  await deploy("moved", "two");
  const made = await put("/sites/moved/aliases/Staging", { deployment_number: 1 });
  expect([made.status, await made.json()]).toEqual([
    201,
    {
      name: "staging",
      url: vitrine.siteUrl("staging--moved"),
      deployment_number: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      expires_at: null,
    },
  ]);
  expect(await shown("staging--moved")).toBe("200 one");
  for (const [number, text] of [
    [2, "two"],
    [1, "one"],
    [2, "two"],
  ] as const) {
    const response = await put("/sites/moved/aliases/staging", { deployment_number: number, expires_in: "2h" });
    expect([response.status, await shown("staging--moved")]).toEqual([200, `200 ${text}`]);
  }
  expect(await call("GET", "/sites/moved/aliases")).toMatchObject([
    { name: "staging", deployment_number: 2, expires_at: expect.any(String) },
  ]);
  expect((await vitrine.call("DELETE", "/sites/moved/aliases/staging", { token })).status).toBe(204);
  expect(await statusOf("staging--moved")).toBe(404);
  expect((await vitrine.call("DELETE", "/sites/moved/aliases/staging", { token })).status).toBe(404);
});

test("unchanged files create no preview, but move the alias to the active deployment", async () => {
  await deploy("same", "same");
  await deploy("same", "other", aliased("pr-1"));
  const again = await deploy("same", "same", { ...aliased("pr-1"), "X-Service-If-Changed": "yes" });
  expect(again).toMatchObject({ deployment_number: 1, active: true, unchanged: true, alias: "pr-1" });
  expect(await shown("pr-1--same")).toBe("200 same");
});

test("invalid requests are refused, and the response names the field", async () => {
  await deploy("strict", "live");
  const archive = await zipOf({ "index.html": "x" });
  const deployed = (headers: Record<string, string>) =>
    refusal(vitrine.deploy(token, archive, { site: "strict", headers }));
  const named = (field: string) => expect.stringContaining(`"${field}"`);
  expect(await deployed({ "X-Service-Activate": "maybe" })).toEqual([422, named("X-Service-Activate")]);
  expect(await deployed({ "X-Service-Expires": "1d" })).toEqual([422, named("X-Service-Expires")]);
  for (const expires of ["59m", "366d", "soon", "14"])
    expect(await deployed({ ...NO, "X-Service-Expires": expires })).toEqual([422, named("X-Service-Expires")]);
  for (const alias of ["123", "%E6%97%A5", "xn", ""])
    expect(await deployed(aliased(alias))).toEqual([422, named("X-Service-Alias")]);
  const alias = "/sites/strict/aliases/pr-1";
  expect(await refusal(put("/sites/strict/aliases/12", { deployment_number: 1 }))).toEqual([422, named("alias")]);
  expect(await refusal(put(alias, { deployment_number: 1, expires_in: "0s" }))).toEqual([422, named("expires_in")]);
  expect(await refusal(put(alias, { deployment_number: 9 }))).toEqual([
    404,
    expect.stringContaining("no deployment 9"),
  ]);
  expect(await refusal(put("/sites/strict/previews", { access: "secret" }))).toEqual([422, named("access")]);
  const { token: eves } = await vitrine.signUp("eve");
  const json = { deployment_number: 1 };
  expect((await vitrine.call("PUT", alias, { token: eves, json })).status).toBe(403);
});

test("a site has at most 100 aliases", async () => {
  await deploy("many", "live");
  const site = await vitrine.store.sites.find("many");
  const { previews } = vitrine.store;
  for (let n = 1; n <= 100; n++)
    await previews.setAlias(site?.id ?? 0, { name: `pr-${n}`, deploymentNumber: 1, expiresAt: null, at: 0 });
  expect((await put("/sites/many/aliases/one-more", { deployment_number: 1 })).status).toBe(409);
  expect((await put("/sites/many/aliases/pr-7", { deployment_number: 1 })).status).toBe(200);
  const archive = await zipOf({ "index.html": "x" });
  const response = await vitrine.deploy(token, archive, { site: "many", headers: aliased("one-more") });
  expect([response.status, await response.text()]).toEqual([409, expect.stringContaining("100 aliases")]);
  expect(await call("GET", "/sites/many/deployments")).toHaveLength(1);
});

test("an expired preview responds with 410 for 30 days, then 404; the target of an alias stays", async () => {
  await using fresh = await openTestApi();
  const ada = (await fresh.signUp("ada")).token;
  const publish = async (text: string, headers: Record<string, string> = {}) =>
    fresh.deploy(ada, await zipOf({ "index.html": text }), { site: "demo", headers });
  const job = () => previewsJob(fresh).run(RUN);
  const statuses = async () => {
    const labels = ["demo", "2--demo", "pr-1--demo", "3--demo", "4--demo"];
    return Promise.all(labels.map(async (label) => (await fresh.visit(label)).status));
  };
  await publish("live");
  await publish("short", { ...aliased("pr-1"), "X-Service-Expires": "2h" });
  await publish("kept", { ...NO, "X-Service-Expires": "2h" });
  await publish("published", { ...NO, "X-Service-Expires": "2h" });
  await fresh.call("PUT", "/sites/demo/aliases/staging", { token: ada, json: { deployment_number: 3 } });
  await fresh.call("POST", "/sites/demo/deployments/4/activate", { token: ada });
  fresh.advance(HOUR);
  await job();
  expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  fresh.advance(HOUR);
  await job();
  expect(await statuses()).toEqual([200, 410, 410, 200, 200]);
  const page = await fresh.visit("pr-1--demo", "/", { headers: { accept: "text/html" } });
  expect(await page.text()).toContain("This preview of demo has expired.");
  const listed = await fresh.call("GET", "/sites/demo/deployments", { token: ada });
  expect(((await listed.json()) as Deployed[]).map((one) => one.deployment_number)).toEqual([4, 3, 1]);

  fresh.advance(30 * DAY - MINUTE);
  await job();
  expect(await statuses()).toEqual([200, 410, 410, 200, 200]);
  fresh.advance(2 * MINUTE);
  await job();
  expect(await statuses()).toEqual([200, 404, 404, 200, 200]);

  const site = await fresh.store.sites.find("demo");
  expect(await fresh.store.previews.deleteAlias(site?.id ?? 0, "staging")).toBe(true);
  await job();
  expect(await statuses()).toEqual([200, 404, 404, 410, 200]);
});

test("an alias that is set by itself may expire within seconds, or stay", async () => {
  await deploy("brief", "live");
  const set = await put("/sites/brief/aliases/now", { deployment_number: 1, expires_in: "2s" });
  expect(set.status).toBe(201);
  const stays = await put("/sites/brief/aliases/later", { deployment_number: 1, expires_in: null });
  expect(await stays.json()).toMatchObject({ expires_at: null });
  vitrine.advance(2 * SECOND);
  await expire();
  expect([await statusOf("now--brief"), await statusOf("later--brief")]).toEqual([410, 200]);
});

test("an alias that is set again after its expiry works again", async () => {
  await deploy("again", "live");
  await deploy("again", "one", { ...aliased("pr-1"), "X-Service-Expires": "1h" });
  vitrine.advance(2 * HOUR);
  await expire();
  expect(await statusOf("pr-1--again")).toBe(410);
  await deploy("again", "two", aliased("pr-1"));
  expect(await shown("pr-1--again")).toBe("200 two");
});

test("access to previews applies to aliases and deployments that were never active only", async () => {
  await deploy("closed", "live");
  await deploy("closed", "preview", aliased("pr-1"));
  const statuses = () => Promise.all(["closed", "1--closed", "2--closed", "pr-1--closed", "no--closed"].map(statusOf));
  expect(await statuses()).toEqual([200, 200, 200, 200, 404]);
  const policy = await put("/sites/closed/previews", { access: "private", expires_in: "14d" });
  expect([policy.status, await policy.json()]).toEqual([200, { access: "private", expires_in: "14d" }]);
  // The existence of an alias is hidden as well.
  expect(await statuses()).toEqual([200, 200, 401, 401, 401]);
  const html = { headers: { accept: "text/html" } };
  expect((await vitrine.visit("pr-1--closed", "/", html)).headers.get("location")).toStartWith(
    `${vitrine.baseUrl}/visit?`,
  );

  await vitrine.call("PUT", "/sites/closed/access", { token });
  expect(await put("/sites/closed/previews", { access: "public" }).then((response) => response.json())).toEqual({
    access: "public",
    expires_in: "14d",
  });
  expect(await statuses()).toEqual([401, 401, 200, 200, 401]);
  await put("/sites/closed/previews", { access: "site" });
  expect(await statuses()).toEqual([401, 401, 401, 401, 401]);
});

test("an alias of a deployment that was ever live is as private as the stricter of site and previews", async () => {
  await deploy("sealed", "once live");
  await deploy("sealed", "live");
  await put("/sites/sealed/aliases/old", { deployment_number: 1 });
  await deploy("sealed", "preview", aliased("pr-1"));
  const statuses = () => Promise.all(["1--sealed", "old--sealed", "pr-1--sealed"].map(statusOf));
  const share = async (alias: string) => {
    const json = { label: "a client", kind: "link", target: { alias } };
    return (await vitrine.call("POST", "/sites/sealed/shares", { token, json })).status;
  };
  await put("/sites/sealed/previews", { access: "private" });
  expect([await statuses(), await share("old")]).toEqual([[200, 401, 401], 201]);
  await vitrine.call("PUT", "/sites/sealed/access", { token });
  await put("/sites/sealed/previews", { access: "public" });
  expect([await statuses(), await share("old"), await share("pr-1")]).toEqual([[401, 401, 200], 201, 409]);
  await call("POST", "/sites/sealed/deployments/3/activate");
  expect(await statuses()).toEqual([401, 401, 401]);
  await vitrine.call("DELETE", "/sites/sealed/access", { token });
  expect([await statuses(), await share("old")]).toEqual([[200, 200, 200], 409]);
});

test("a preview token creates previews and moves aliases, and cannot change the site or its access", async () => {
  await deploy("guarded", "live");
  const json = { site_name: "guarded", permission: "preview" };
  const minted = (await (await vitrine.call("POST", "/tokens", { token, json })).json()) as { token: string };
  const archive = await zipOf({ "index.html": "preview" });
  const by = (headers: Record<string, string>) => vitrine.deploy(minted.token, archive, { site: "guarded", headers });
  expect((await by(aliased("pr-1"))).status).toBe(201);
  expect((await by({})).status).toBe(403);
  expect((await by({ ...aliased("pr-1"), "X-Service-Activate": "yes" })).status).toBe(403);
  expect((await by({ ...aliased("pr-1"), "X-Service-Access": "private" })).status).toBe(403);
  const moved = { token: minted.token, json: { deployment_number: 1 } };
  expect((await vitrine.call("PUT", "/sites/guarded/aliases/pr-1", moved)).status).toBe(200);
  expect(await shown("guarded")).toBe("200 live");
});

test("previews are in the audit log, the archive, the comparison and the explanation", async () => {
  await deploy("listed", "live");
  await deploy("listed", "preview", aliased("pr-1"));
  await put("/sites/listed/aliases/Pr-2", { deployment_number: 1 });
  const audit = (await call("GET", "/sites/listed/audit")) as { subject: string; summary: string }[];
  expect(audit.map(({ subject, summary }) => [subject, summary])).toEqual([
    ["alias=pr-2 deployment_number=1", "Pointed the alias pr-2 to deployment 1"],
    ["deployment_number=2 preview=yes alias=pr-1", "Made deployment 2 as a preview and pointed the alias pr-1 to it"],
    ["deployment_number=1", "Published deployment 1"],
  ]);
  expect(await call("GET", "/sites/listed/deployments/2/changes")).toMatchObject({ compared_with: 1, changed: 1 });
  expect((await vitrine.call("GET", "/sites/listed/deployments/2/archive", { token })).status).toBe(200);
  const path = encodeURIComponent(`${vitrine.siteUrl("pr-1--listed")}/`);
  expect(await call("GET", `/sites/listed/explain?path=${path}`)).toMatchObject({
    deployment_number: 2,
    file: "index.html",
    headers: { "x-robots-tag": "noindex" },
  });
});

test("the owner signs in to open a private preview of a public site", async () => {
  const grace = await addLocalAccount(vitrine, "grace");
  const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
  const session = await startSession(ports, { userId: grace.id, clientName: "test", address: null });
  const archive = await zipOf({ "index.html": "preview" });
  await vitrine.deploy(session.token, archive, { site: "inside", headers: aliased("pr-1") });
  await vitrine.call("PUT", "/sites/inside/previews", { token: session.token, json: { access: "private" } });
  const browser = await signIn(vitrine, "grace", vitrine.browser());
  const response = await browser.open(`${vitrine.siteUrl("pr-1--inside")}/`);
  expect([response.status, await response.text()]).toEqual([200, "preview"]);
});
