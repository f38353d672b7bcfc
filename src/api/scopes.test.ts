import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { Browser } from "../acceptance/testing/browser.ts";
import { DAY, HOUR } from "../domain/timestamp.ts";
import { addSite } from "../storage/contract/people.ts";
import { openTestApi } from "./testing/test-api.ts";

let page: Browser;

const api = await openTestApi({ "device-rate": "1000/1m" });
const owner = (await api.signUp("ada")).token;
const archive = await zipOf({ "index.html": "hello" });
for (const site of ["blog", "docs", "gone"]) await deploy(owner, site, "no-preview");
await deploy((await api.signUp("eve")).token, "theirs", "no-preview");
page = browserOf(owner);
afterAll(() => api[Symbol.asyncDispose]());

/** A browser with the cookie of a session. */
function browserOf(token: string): Browser {
  const browser = api.browser();
  browser.cookies().set("vitrine", token);
  return browser;
}

async function deploy(token: string, site: string | undefined, kind: "preview" | "no-preview"): Promise<Response> {
  const headers = kind === "preview" ? { "X-Service-Activate": "no" } : {};
  return api.deploy(token, archive, { ...(site ? { site } : {}), headers });
}

interface Started {
  readonly device_code: string;
  readonly user_code: string;
}

async function start(body: object): Promise<Started> {
  const response = await api.call("POST", "/auth/device", { json: { client_name: "an agent", ...body } });
  expect(response.status).toBe(200);
  return (await response.json()) as Started;
}

async function poll({ device_code }: Started): Promise<Record<string, unknown>> {
  return (await api.call("POST", "/auth/device/token", { json: { device_code } })).json() as never;
}

function approve({ user_code }: Started, choice: Record<string, string>, verdict = "approved"): Promise<Response> {
  return page.submit("/device", { user_code, verdict, ...choice });
}

/** Returns the response to the poll after an approval. */
async function granted(
  requested: object,
  choice: Record<string, string>,
): Promise<Record<string, unknown> & { access_token: string }> {
  const codes = await start(requested);
  expect((await approve(codes, choice)).status).toBe(200);
  return (await poll(codes)) as never;
}

const refusalOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { detail: string }).detail,
];

test.each(["admin", "preview admin", " ", "site:", "site:No"])(
  "a device that asks for the scope %p gets no codes",
  async (scope) => {
    const asJson = await api.call("POST", "/auth/device", { json: { scope } });
    const body = new URLSearchParams({ scope }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    for (const response of [asJson, await api.call("POST", "/auth/device", { body, headers })]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: "invalid_scope", detail: expect.stringContaining("scope ") });
    }
  },
);

test("without a scope, and with an empty one, everything is as before scopes", async () => {
  for (const requested of [{}, { scope: "" }]) {
    const response = await granted(requested, {});
    expect(Object.keys(response)).toEqual(["access_token", "token_type", "expires_in", "user"]);
    const me = await api.call("GET", "/auth/me", { token: response.access_token });
    expect(await me.json()).not.toHaveProperty("scope");
  }
});

test("full access that is asked for by name is named in the response", async () => {
  expect((await granted({ scope: "publish" }, {})).scope).toBe("publish");
});

describe("the scope preview", () => {
  let token: string;
  beforeAll(async () => {
    const response = await granted({ scope: "preview" }, { site: "blog gone", expires: "1d" });
    expect(response).toMatchObject({
      scope: "preview site:blog site:gone",
      expires_in: DAY / 1000,
      token_type: "bearer",
    });
    token = response.access_token;
  });

  test("makes previews of its sites, and moves their aliases", async () => {
    expect((await deploy(token, "blog", "preview")).status).toBe(201);
    const json = { deployment_number: 1 };
    expect((await api.call("PUT", "/sites/blog/aliases/pr-1", { token, json })).status).toBe(201);
    expect((await api.call("GET", "/sites/blog/deployments", { token })).status).toBe(200);
  });

  test("can do what the page of its approval says: list versions, remove aliases, and see the name", async () => {
    const { user_code } = await start({ scope: "preview" });
    const text = await (await page.get(`/device?user_code=${user_code}`)).text();
    expect(text).toContain("list the versions, and set and remove aliases");
    expect(text).toContain("of which it sees only your name");
    const json = { deployment_number: 1 };
    expect((await api.call("PUT", "/sites/blog/aliases/short-lived", { token, json })).status).toBe(201);
    expect((await api.call("DELETE", "/sites/blog/aliases/short-lived", { token })).status).toBe(204);
    const told = Object.keys((await (await api.call("GET", "/auth/me", { token })).json()) as object);
    expect(told).toEqual(["login", "name", "provider", "operator", "scope"]);
  });

  test("puts nothing live, and changes no access", async () => {
    const mayNot = [403, expect.stringContaining("credential cannot deploy this site")];
    expect(await refusalOf(await deploy(token, "blog", "no-preview"))).toEqual(mayNot);
    expect(await refusalOf(await api.call("POST", "/sites/blog/deployments/1/activate", { token }))).toEqual(mayNot);
    const headers = { "X-Service-Activate": "no", "X-Service-Access": "private" };
    expect(await refusalOf(await api.deploy(token, archive, { site: "blog", headers }))).toEqual(mayNot);
  });

  test("reaches neither the person's other sites, nor new ones, nor anybody else's", async () => {
    const outside = [
      403,
      'credential cannot deploy this site: the scope of this token is "preview site:blog site:gone"',
    ];
    for (const site of ["docs", "theirs", "new-site", undefined]) {
      expect(await refusalOf(await deploy(token, site, "preview"))).toEqual(outside);
    }
    expect(await refusalOf(await api.call("GET", "/sites/docs/deployments", { token }))).toEqual([
      403,
      'site ownership is required: the scope "preview site:blog site:gone" does not include docs',
    ]);
    expect(await api.store.sites.find("new-site")).toBeNull();
  });

  test("signs nobody in to the dashboard or to a private site", async () => {
    const browser = browserOf(token);
    const consent = await browser.get("/device?user_code=BBBB-BBBB");
    expect([consent.status, consent.headers.get("location")]).toEqual([303, expect.stringContaining("/sign-in?")]);
    expect((await browser.get("/auth/me")).status).toBe(401);
    const refusal = await refusalOf(await api.call("GET", "/sites", { token }));
    expect(refusal).toEqual([
      403,
      'a session token is required: the scope "preview site:blog site:gone" cannot do this',
    ]);
  });

  test("is shown to who holds the token and to the person", async () => {
    const me = await api.call("GET", "/auth/me", { token });
    expect(await me.json()).toMatchObject({ login: "ada", operator: false, scope: "preview site:blog site:gone" });
    const sessions = (await (await api.call("GET", "/auth/sessions", { token: owner })).json()) as object[];
    expect(sessions[0]).toMatchObject({ client_name: "an agent", scope: "preview site:blog site:gone" });
    expect(sessions.at(-1)).not.toHaveProperty("scope");
  });

  test("is named by every audit record of what it did, and by that of the approval", async () => {
    await deploy(token, "blog", "preview");
    const json = { deployment_number: 1 };
    await api.call("PUT", "/sites/blog/aliases/pr-2", { token, json });
    const [alias, deployment] = await api.store.audit.list({ site: "blog" }, { limit: 2, before: null });
    const scope = `scope=${encodeURIComponent("preview site:blog site:gone")}`;
    for (const entry of [alias, deployment]) {
      expect(entry).toMatchObject({ kind: "session", actor: "ada", subject: expect.stringContaining(scope) });
    }
    const approvals = await api.store.audit.list({ action: "POST /device" }, { limit: 10, before: null });
    expect(approvals.some(({ subject }) => subject === `verdict=approved device=an%20agent ${scope}`)).toBe(true);
  });

  test("does not reach a site of the same name that is made later", async () => {
    expect((await api.call("DELETE", "/sites/gone", { token: owner })).status).toBe(204);
    await deploy(owner, "gone", "no-preview");
    expect(await refusalOf(await deploy(token, "gone", "preview"))).toEqual([
      403,
      "credential cannot deploy this site: gone is not the site that this token was granted any more",
    ]);
    expect((await api.call("GET", "/sites/gone/deployments", { token })).status).toBe(403);
  });

  test("ends when it was said to end, however often it is used", async () => {
    api.advance(DAY - HOUR);
    expect((await api.call("GET", "/auth/me", { token })).status).toBe(200);
    api.advance(HOUR);
    expect((await api.call("GET", "/auth/me", { token })).status).toBe(401);
  });
});

test("a site that goes to somebody else is out of the scope", async () => {
  const { access_token: token } = await granted({ scope: "preview" }, { site: "docs" });
  expect((await deploy(token, "docs", "preview")).status).toBe(201);
  const { id = 0 } = (await api.store.sites.find("docs")) ?? {};
  const { user: heir } = await api.signUp("heir");
  await api.store.sites.transfer(id, heir.id, { quota: { sites: null, bytes: null }, keep: [] });
  expect((await deploy(token, "docs", "preview")).status).toBe(403);
  expect((await api.call("GET", "/sites/docs/deployments", { token })).status).toBe(403);
});

test("the scope site:blog publishes on that site, until its session is ended", async () => {
  const { access_token: token, scope } = await granted({ scope: "site:blog" }, { site: "blog" });
  expect(scope).toBe("publish site:blog");
  expect((await deploy(token, "blog", "no-preview")).status).toBe(201);
  expect((await api.call("POST", "/sites/blog/deployments/1/activate", { token })).status).toBe(200);
  expect((await api.call("DELETE", "/sites/blog", { token })).status).toBe(403);
  expect((await api.call("DELETE", "/auth/session", { token })).status).toBe(204);
  expect((await deploy(token, "blog", "no-preview")).status).toBe(401);
});

test("a person can grant less than full access, which the response then names", async () => {
  const response = await granted({}, { extent: "preview", site: "blog", expires: "1h" });
  expect(response).toMatchObject({ scope: "preview site:blog", expires_in: HOUR / 1000 });
  expect((await deploy(response.access_token, "blog", "no-preview")).status).toBe(403);
});

describe("the page of a device", () => {
  const show = async (requested: object) => {
    const codes = await start(requested);
    return { codes, text: await (await page.get(`/device?user_code=${codes.user_code}`)).text() };
  };

  test("names what the device may do, where and until when, and offers no more than it asks for", async () => {
    const { text } = await show({ scope: "preview site:blog" });
    for (const shown of ["an agent", "Make previews", "It may not", 'value="blog" checked', "Until"]) {
      expect(text).toContain(shown);
    }
    for (const hidden of ['value="full"', 'value="publish"', 'value="docs"', "theirs"])
      expect(text).not.toContain(hidden);
  });

  test("is approved once: a second approval cannot grant more, and a second poll gets nothing", async () => {
    const { codes } = await show({});
    expect((await approve(codes, { extent: "preview", site: "blog" })).status).toBe(200);
    expect((await approve(codes, { extent: "full" })).status).toBe(404);
    expect(await poll(codes)).toMatchObject({ scope: "preview site:blog" });
    expect(await poll(codes)).toMatchObject({ error: "invalid_grant" });
  });

  test("asks again for a choice that cannot be granted, with what was chosen", async () => {
    const { codes } = await show({ scope: "preview" });
    const again = await approve(codes, { expires: "7d" });
    expect(again.status).toBe(400);
    const text = await again.text();
    expect(text).toContain("Choose at least one site.");
    expect(text).toContain('value="7d" selected');
    expect((await approve(codes, { site: "theirs" })).status).toBe(400);
    expect((await poll(codes)).error).toBe("authorization_pending");
    await approve(codes, {}, "denied");
    expect(await poll(codes)).toMatchObject({ error: "access_denied" });
  });

  test("lets nobody approve a device that asks for somebody else's site, and does not say whose it is", async () => {
    for (const name of ["theirs", "nobodys"]) {
      const { codes, text } = await show({ scope: `preview site:${name}` });
      expect(text).toContain(`<strong>${name}</strong>, which is no site of yours: you can only deny it.`);
      expect(text).not.toContain('value="approved"');
      expect((await approve(codes, { site: name })).status).toBe(400);
    }
  });

  test("takes typed names from somebody with many sites", async () => {
    const many = await api.signUp("many");
    for (let at = 0; at <= 100; at++) await addSite(api.store, `many-${at}`, many.user.id, false);
    page = browserOf(many.token);
    const { text } = await show({ scope: "preview" });
    expect(text).toContain("Names, separated by spaces");
    expect(await granted({ scope: "preview" }, { site: "many-3, many-99" })).toMatchObject({
      scope: "preview site:many-3 site:many-99",
    });
  });
});
