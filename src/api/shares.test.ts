import { afterAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { DAY, MINUTE, SECOND } from "../domain/timestamp.ts";
import { openTestApi } from "./testing/test-api.ts";

const SECRET = "the draft of the brochure";
const PASSWORD = "correct horse";

const server = await openTestApi({ "share-guess-rate": "3/15m" });
const owner = (await server.signUp("ada")).token;
const archive = await zipOf({ "index.html": SECRET, "page.html": SECRET });
await server.deploy(owner, archive, { site: "draft", access: "private" });
await server.deploy(owner, archive, { site: "open" });
afterAll(() => server[Symbol.asyncDispose]());

interface Created {
  readonly id: string;
  readonly url?: string;
  readonly secret?: string;
  readonly expires_at: string;
}

const post = (site: string, json: object) =>
  server.call("POST", `/sites/${site}/shares`, { token: owner, json: { label: "The client", kind: "link", ...json } });
async function share(json: object, site = "draft"): Promise<Created> {
  const created = await post(site, json);
  expect(created.status).toBe(201);
  return (await created.json()) as Created;
}
async function sharePassword(): Promise<string> {
  return pathOf(await share({ kind: "password", password: PASSWORD }));
}
const revoke = (id: string) => server.call("DELETE", `/sites/draft/shares/${id}`, { token: owner });
async function listed(site = "draft") {
  const list = await server.call("GET", `/sites/${site}/shares`, { token: owner });
  return (await list.json()) as (Created & Record<string, unknown>)[];
}
/** Path and query of a share's URL. */
function pathOf({ url = "" }: Created): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
const cookieOf = (response: Response) => (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const visit = (cookie: string, label = "draft", path = "/") => server.visit(label, path, { headers: { cookie } });
const guess = (path: string, password: string, label = "draft", headers: Record<string, string> = {}) => {
  const { searchParams } = new URL(path, "http://localhost");
  const body = new URLSearchParams({ password, id: searchParams.get("id") ?? "" });
  return server.visit(label, "/.vitrine/enter", { method: "POST", body, headers });
};

describe("a link", () => {
  test("opens the private site, leaves the address bar at once, and works until it is revoked", async () => {
    const created = await share({ expires_in: "14d" });
    expect(created.url).toStartWith(`${server.siteUrl("draft")}/.vitrine/enter?share=vtv_`);
    expect(created.secret).toBeUndefined();

    const entered = await server.visit("draft", pathOf(created));
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
    expect(entered.headers.get("referrer-policy")).toBe("no-referrer");
    expect(entered.headers.get("cache-control")).toBe("private, no-store");
    const cookie = cookieOf(entered);
    expect(created.url).not.toContain(cookie.split("=")[1] as string);

    const page = await visit(cookie, "draft", "/page");
    expect([page.status, await page.text()]).toEqual([200, SECRET]);
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect((await listed())[0]).toMatchObject({
      id: created.id,
      label: "The client",
      kind: "link",
      target: { alias: null, deployment_number: null },
      uses: 1,
      last_used_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(await listed())).not.toContain("vtv_");

    expect((await revoke(created.id)).status).toBe(204);
    const refused = await visit(cookie);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("clear-site-data")).toBe('"cache", "storage"');
    expect((await server.visit("draft", pathOf(created))).status).toBe(400);
    expect((await revoke(created.id)).status).toBe(404);
  });

  test("expires at its time", async () => {
    const created = await share({ expires_in: "90s" });
    const cookie = cookieOf(await server.visit("draft", pathOf(created)));
    expect((await visit(cookie)).status).toBe(200);
    server.advance(90 * SECOND);
    expect((await visit(cookie)).status).toBe(401);
    expect((await server.visit("draft", pathOf(created))).status).toBe(400);
  });

  test("opens no other host, no other site, and no API", async () => {
    const created = await share({});
    await server.deploy(owner, archive, { site: "other", access: "private" });
    const secret = new URL(created.url ?? "").searchParams.get("share") ?? "";
    const cookie = cookieOf(await server.visit("draft", pathOf(created)));
    for (const label of ["other", "1--draft"]) {
      expect((await server.visit(label, pathOf(created))).status).toBe(400);
      expect((await visit(cookie, label)).status).toBe(401);
    }
    expect((await server.visit("draft", "/", { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(401);
    expect((await server.call("GET", "/sites", { token: secret })).status).toBe(401);
  });

  test("of a site that was made public redirects to it", async () => {
    await server.deploy(owner, archive, { site: "later", access: "private" });
    const created = await share({}, "later");
    await server.call("DELETE", "/sites/later/access", { token: owner });
    const response = await server.visit("later", pathOf(created));
    expect([response.status, response.headers.get("location"), response.headers.getSetCookie()]).toEqual([
      303,
      "/",
      [],
    ]);
  });

  test("of a frozen site opens nothing", async () => {
    await server.deploy(owner, archive, { site: "cold", access: "private" });
    const created = await share({}, "cold");
    const cookie = cookieOf(await server.visit("cold", pathOf(created)));
    const { id } = (await server.store.sites.find("cold"))!;
    await server.store.sites.setFrozen(id, { at: server.clock.now(), reason: null });
    expect(await (await visit(cookie, "cold")).text()).not.toContain(SECRET);
    expect((await server.visit("cold", pathOf(created))).headers.getSetCookie()).toEqual([]);
    expect((await post("cold", {})).status).toBe(403);
  });
});

describe("a share of a preview", () => {
  test("reaches its alias, also of a public site, and not the live host", async () => {
    await server.call("PUT", "/sites/open/previews", { token: owner, json: { access: "private" } });
    await server.deploy(owner, archive, { site: "open", headers: { "X-Service-Alias": "PR/12" } });
    const created = await share({ target: { alias: "PR/12" } }, "open");
    expect(created.url).toStartWith(server.siteUrl("pr-12--open"));
    expect((await server.visit("pr-12--open")).status).toBe(401);
    const cookie = cookieOf(await server.visit("pr-12--open", pathOf(created)));
    const page = await visit(cookie, "pr-12--open");
    expect([page.status, page.headers.get("x-robots-tag")]).toEqual([200, "noindex"]);
    expect((await listed("open"))[0]?.target).toEqual({ alias: "pr-12", deployment_number: null });
    expect((await post("open", {})).status).toBe(409);

    await server.deploy(owner, archive, { site: "draft", headers: { "X-Service-Alias": "pr-1" } });
    const ofAlias = await share({ target: { alias: "pr-1" } });
    expect((await server.visit("draft", pathOf(ofAlias))).status).toBe(400);
  });

  test("reaches one deployment by its number", async () => {
    const created = await share({ kind: "automation", target: { deployment_number: 1 } });
    const headers = { Authorization: `Bearer ${created.secret}` };
    expect((await server.visit("1--draft", "/", { headers })).status).toBe(200);
    expect((await server.visit("draft", "/", { headers })).status).toBe(401);
  });
});

describe("a password", () => {
  test("is requested by a form, and opens the site", async () => {
    const path = await sharePassword();
    expect(path).not.toContain("vtv_");
    const form = await server.visit("draft", path);
    expect(form.status).toBe(200);
    expect(form.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(await form.text()).toContain('<input id="password" name="password" type="password"');
    const entered = await guess(path, PASSWORD);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
    expect((await visit(cookieOf(entered))).status).toBe(200);
    // Also without the id of the share.
    expect((await guess("/.vitrine/enter", PASSWORD)).status).toBe(303);
    expect((await guess("/.vitrine/enter", "correct horse ")).status).toBe(403);
  });

  test("allows as many wrong attempts in a quarter of an hour as the server does", async () => {
    server.advance(DAY);
    const path = await sharePassword();
    for (let attempt = 0; attempt < 3; attempt++) expect((await guess(path, "wrong guess")).status).toBe(403);
    const refused = await guess(path, PASSWORD);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await server.deploy(owner, archive, { site: "another", access: "private" });
    const elsewhere = pathOf(await share({ kind: "password", password: PASSWORD }, "another"));
    expect((await guess(elsewhere, PASSWORD, "another")).status).toBe(303);
    server.advance(15 * MINUTE);
    expect((await guess(path, PASSWORD)).status).toBe(303);
  });

  test.each([{ password: "seven 7" }, { password: "x".repeat(129) }, {}, { password: null }])(
    "cannot be %p",
    async (json) => {
      const refused = await post("draft", { kind: "password", ...json });
      expect(refused.status).toBe(422);
      const { detail } = (await refused.json()) as { detail: { loc: string[] }[] };
      expect(detail[0]?.loc).toEqual(["body", "password"]);
    },
  );

  test.each([
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-origin", Origin: "null" }, 303],
    [{ Origin: "https://evil.example" }, 403],
    [{ Origin: "null" }, 403],
    [{ Origin: "https://draft.localhost" }, 303],
    [{}, 303],
  ] as const)("form with %p is answered %i", async (headers, status) => {
    server.advance(DAY);
    expect((await guess(await sharePassword(), PASSWORD, "draft", headers)).status).toBe(status);
  });

  test("form from elsewhere counts no attempt", async () => {
    server.advance(DAY);
    const path = await sharePassword();
    const elsewhere = { Origin: "https://evil.example" };
    for (let attempt = 0; attempt < 3; attempt++) await guess(path, "wrong guess", "draft", elsewhere);
    expect((await guess(path, PASSWORD)).status).toBe(303);
  });

  test("form must not be too long or use another method", async () => {
    const path = await sharePassword();
    expect((await guess(path, "x".repeat(10_000))).status).toBe(400);
    expect((await server.visit("draft", "/.vitrine/enter", { method: "PUT", body: "x" })).status).toBe(401);
  });
});

test("a script sends its token as a header, never in the URL", async () => {
  const created = await share({ kind: "automation" });
  expect(created.url).toBeUndefined();
  const { secret = "" } = created;
  const bearer = { headers: { Authorization: `Bearer ${secret}` } };
  const page = await server.visit("draft", "/page", bearer);
  expect([page.status, page.headers.get("cache-control"), page.headers.getSetCookie()]).toEqual([
    200,
    "private, no-store",
    [],
  ]);
  expect((await server.visit("draft", "/", { method: "HEAD", ...bearer })).status).toBe(200);
  expect((await server.visit("draft", `/.vitrine/enter?share=${secret}`)).status).toBe(400);
  expect((await server.call("GET", "/auth/me", { token: secret })).status).toBe(401);
  await server.visit("draft", "/", bearer);
  expect((await listed()).find(({ id }) => id === created.id)).toMatchObject({ uses: 1 });
  await revoke(created.id);
  expect((await server.visit("draft", "/", bearer)).status).toBe(401);
});

describe("is refused:", () => {
  test.each<[object, string[]]>([
    [{ label: "" }, ["body", "label"]],
    [{ kind: "email" }, ["body", "kind"]],
    [{ expires_in: "0s" }, ["body", "expires_in"]],
    [{ expires_in: "366d" }, ["body", "expires_in"]],
    [{ target: { alias: "pr-1", deployment_number: 1 } }, ["body", "target"]],
    [{ target: { alias: "12" } }, ["body", "target", "alias"]],
    [{ target: { deployment_number: 0 } }, ["body", "target", "deployment_number"]],
    [{ password: PASSWORD }, ["body", "password"]],
  ])("%p", async (json, loc) => {
    const refused = await post("draft", json);
    expect(refused.status).toBe(422);
    expect(((await refused.json()) as { detail: object[] }).detail).toMatchObject([{ loc }]);
  });

  test("a public site, and an unknown target", async () => {
    const open = await post("draft", { target: { deployment_number: 99 } });
    expect(open.status).toBe(404);
    expect((await post("draft", { target: { alias: "nowhere" } })).status).toBe(404);
    const refused = await post("open", {});
    expect(refused.status).toBe(409);
    expect(((await refused.json()) as { detail: string }).detail).toStartWith("site is not private");
  });
});
