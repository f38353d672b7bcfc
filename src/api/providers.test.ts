import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { Browser } from "../acceptance/testing/browser.ts";
import { invite, type OidcServer, openOidcApi } from "../acceptance/testing/oidc-server.ts";
import { startTestServer } from "../acceptance/testing/test-server.ts";
import { CLIENT, type GitHubStandIn, OCTOCAT, startGitHub } from "../clients/identity/testing/github.ts";
import { signInAtIssuer } from "../clients/identity/testing/issuer.ts";
import { MINUTE, SECOND } from "../domain/timestamp.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

const who = async (browser: Browser) => (await browser.get("/auth/me", { Accept: "application/json" })).json();

describe("OpenID Connect", () => {
  let oidc: OidcServer<TestApi>;
  let server: TestApi;

  beforeAll(async () => {
    oidc = await openOidcApi();
    server = oidc.server;
  });
  afterAll(() => oidc[Symbol.asyncDispose]());

  /** Signs in at the issuer. Returns the page of the callback. */
  async function signIn(browser: Browser, login: string): Promise<Response> {
    const left = await browser.get("/sign-in/provider?return_to=/device");
    expect(left.status).toBe(303);
    const back = await signInAtIssuer(left.headers.get("location") ?? "", oidc.callback, login);
    return browser.get(back.pathname + back.search);
  }

  /** Signs ada in at the issuer, up to the callback. */
  async function adaReturns(): Promise<{ readonly browser: Browser; readonly back: URL }> {
    const browser = server.browser();
    const left = await browser.get("/sign-in/provider");
    return { browser, back: await signInAtIssuer(left.headers.get("location") ?? "", oidc.callback, "ada") };
  }

  test("a user whom the operator invited can sign in, and then keeps the issuer's id", async () => {
    const invited = await invite(oidc, "Ada");
    const browser = server.browser();
    const page = await signIn(browser, "ada");
    expect(page.headers.get("refresh")).toBe("0; url=/device");
    expect(await who(browser)).toMatchObject({ login: "ada", name: "Full name of ada" });
    expect(await server.store.users.find(invited.id)).toMatchObject({
      subject: `${oidc.issuer.url}#ada`,
      mayOwn: true,
    });
  });

  test("an unknown user is refused with an explanation, and can sign in as a reader", async () => {
    const stranger = server.browser();
    const refused = await signIn(stranger, "grace");
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("vitrine users add grace");
    expect(stranger.cookies().has("vitrine")).toBe(false);
    expect(await server.store.users.findByLogin("oidc", "grace")).toBeNull();

    await invite(oidc, "owner");
    const owner = server.browser();
    await signIn(owner, "owner");
    const token = owner.cookies().get("vitrine") ?? "";
    await server.deploy(token, await zipOf({ "index.html": "x" }), { site: "diary", access: "private" });
    const look = (login: string) => server.call("GET", `/sites/diary/access/provider-users/${login}`, { token });
    expect((await look("grace")).status).toBe(404);
    const json = { provider_login: "grace" };
    expect((await server.call("POST", "/sites/diary/access/readers", { token, json })).status).toBe(201);
    expect(await (await look("grace")).json()).toMatchObject({ provider_login: "grace" });

    expect((await signIn(stranger, "grace")).status).toBe(200);
    const session = stranger.cookies().get("vitrine") ?? "";
    const refusedSite = await server.deploy(session, await zipOf({ "index.html": "x" }), { site: "graces" });
    expect(refusedSite.status).toBe(403);
  });

  test("a callback is invalid in another browser, a second time, or without the cookie", async () => {
    const { browser, back } = await adaReturns();
    const other = server.browser();
    expect((await other.get(back.pathname + back.search)).status).toBe(400);
    await other.get("/sign-in/provider");
    expect((await other.get(back.pathname + back.search)).status).toBe(400);
    expect(other.cookies().has("vitrine")).toBe(false);
    const kept = browser.cookies().get("vitrine-sign-in") ?? "";
    expect((await browser.get(back.pathname + back.search)).status).toBe(200);
    browser.cookies().set("vitrine-sign-in", kept);
    const again = await browser.get(back.pathname + back.search);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain("This sign-in is unknown, was used or has expired");
  });

  test("an image, or a link with another state, does not end a sign-in", async () => {
    const { browser, back } = await adaReturns();
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const image = { ...link, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" };
    for (const [query, headers] of [
      [back.search, image],
      ["?code=x&state=x", link],
      ["?code=x", link],
    ] as const) {
      expect((await browser.get(back.pathname + query, headers)).status).toBe(400);
    }
    expect((await browser.get(back.pathname + back.search, link)).status).toBe(200);
  });

  test("a callback after a quarter of an hour is too late", async () => {
    const { browser, back } = await adaReturns();
    server.advance(15 * MINUTE);
    expect((await browser.get(back.pathname + back.search)).status).toBe(400);
  });

  test("secrets of a sign-in are not in the database, before or after it ends", async () => {
    const { browser, back } = await adaReturns();
    const secrets = [
      back.searchParams.get("code"),
      back.searchParams.get("state"),
      browser.cookies().get("vitrine-sign-in"),
    ];
    await browser.get(back.pathname + back.search);
    secrets.push(browser.cookies().get("vitrine") ?? null);
    const file = `${server.config.dataDir}/vitrine.db`;
    const bytes = Buffer.concat(
      await Promise.all([file, `${file}-wal`].map(async (path) => Buffer.from(await Bun.file(path).bytes()))),
    );
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(10);
      expect(bytes.includes(secret as string)).toBe(false);
    }
  });

  test("there is no password form, and passwords cannot sign in", async () => {
    const browser = server.browser();
    expect(await (await browser.get("/sign-in")).text()).not.toContain("password");
    expect((await browser.submit("/sign-in", { login: "ada", password: "x" })).status).toBe(404);
  });
});

describe("GitHub", () => {
  let github: GitHubStandIn;
  let server: TestApi;
  const settings = () => ({ provider: "github", "provider-url": github.url, "provider-client-id": CLIENT.id });

  beforeAll(async () => {
    github = startGitHub();
    github.people.push({ ...OCTOCAT, id: 2, login: "grace", name: "Grace Hopper" });
    server = await openTestApi({ ...settings(), "provider-client-secret": CLIENT.secret });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    github.stop();
  });

  async function signIn(browser: Browser): Promise<Response> {
    const left = await browser.get("/sign-in/provider");
    const sent = await fetch(left.headers.get("location") ?? "", { redirect: "manual" });
    const back = new URL(sent.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(`${server.baseUrl}/sign-in/callback`);
    return browser.get(back.pathname + back.search);
  }

  test.each([
    ["cross-site", true],
    ["same-site", true],
    ["same-origin", false],
    ["none", false],
    [null, false],
  ])("a start that the browser marks as %s is redirected to the sign-in page: %p", async (site, isSent) => {
    const browser = server.browser();
    const headers: Record<string, string> = site === null ? {} : { "Sec-Fetch-Site": site };
    const left = await browser.get("/sign-in/provider?return_to=/device", headers);
    expect(left.headers.get("location") === "/sign-in?return_to=%2Fdevice").toBe(isSent);
    expect(browser.cookies().has("vitrine-sign-in")).toBe(!isSent);
  });

  test("with sign-up closed an unknown user is not stored", async () => {
    const browser = server.browser();
    expect((await signIn(browser)).status).toBe(403);
    expect(await server.store.users.count()).toBe(0);
  });

  test("readers are looked up, stored by numeric id, and may sign in", async () => {
    const owner = await server.signUp("owner");
    const call = (method: string, path: string, json?: unknown) =>
      server.call(method, `/sites/handbook/access${path}`, { token: owner.token, json });
    await server.deploy(owner.token, await zipOf({ "index.html": "x" }), { site: "handbook", access: "private" });

    expect(await (await call("GET", "/provider-users/GRACE")).json()).toEqual({
      provider_login: "grace",
      provider_name: "Grace Hopper",
      avatar_url: OCTOCAT.avatar_url,
    });
    expect((await call("GET", "/provider-users/nobody")).status).toBe(404);
    expect((await call("GET", "/provider-users/not%20a%20login")).status).toBe(400);
    expect((await call("POST", "/readers", { provider_login: "a\u0000b" })).status).toBe(400);
    expect((await call("POST", "/readers", { provider_login: "nobody" })).status).toBe(404);
    const added = await call("POST", "/readers", { provider_login: "octocat" });
    expect(added.status).toBe(201);

    github.instead = () => new Response("<html>unicorn</html>", { status: 502 });
    const failed = await call("POST", "/readers", { provider_login: "grace" });
    expect(failed.status).toBe(502);
    expect(await failed.json()).toEqual({ detail: expect.stringMatching(/^the provider lookup failed: GitHub/) });
    expect((await call("GET", "/provider-users/grace")).status).toBe(502);
    github.instead = null;

    const browser = server.browser();
    expect((await signIn(browser)).status).toBe(200);
    expect(await who(browser)).toMatchObject({ login: "octocat", name: "The Octocat" });
  });

  test("a provider that does not respond is reported, even with a short idle timeout", async () => {
    // Over HTTPS, where Bun also counts the time since the request's body.
    const flags = { "provider-client-secret": CLIENT.secret, "idle-timeout": "5s", tls: "internal" };
    await using hurried = await startTestServer({ ...settings(), ...flags });
    const { token } = await hurried.signUp("owner");
    await hurried.deploy(token, await zipOf({ "index.html": "x" }), { site: "waiting", access: "private" });
    github.instead = () => new Promise(() => {});
    const json = { provider_login: "grace" };
    const added = await hurried.call("POST", "/sites/waiting/access/readers", { token, json });
    github.instead = null;
    expect(added.status).toBe(502);
  });

  test("a renamed login that another user took gives that user no access", async () => {
    const octocat = github.people[0] as (typeof github.people)[number];
    github.people[0] = { ...octocat, id: 999 };
    const owner = await server.signUp("second-owner");
    await server.deploy(owner.token, await zipOf({ "index.html": "x" }), { site: "notes", access: "private" });
    const json = { provider_login: "octocat" };
    await server.call("POST", "/sites/notes/access/readers", { token: owner.token, json });
    github.people[0] = octocat;
    const known = await server.store.users.findByLogin("github", "octocat");
    expect(known?.subject).toStartWith("999@");
    const [reader] = await server.store.readers.list((await server.store.sites.find("handbook"))?.id ?? 0);
    expect(reader?.login).toStartWith("octocat~");
  });

  test("without a client secret users type GitHub's code while the page waits", async () => {
    await using device = await openTestApi({ ...settings(), signup: "open" });
    const begun = device.clock.now();
    github.polls.push({ error: "authorization_pending" }, { error: "slow_down", interval: 10 });
    const browser = device.browser();
    expect((await browser.get("/sign-in/provider?return_to=/device")).headers.get("location")).toBe("/sign-in/wait");
    /** Opens the page at a time after the start, whatever time a busy machine has taken. */
    const waitAt = (seconds: number) => {
      device.advance(begun + seconds * SECOND - device.clock.now());
      return browser.get("/sign-in/wait");
    };
    const page = await waitAt(-20);
    expect(page.headers.get("refresh")).toBe("5; url=/sign-in/wait");
    expect(await page.text()).toContain("WDJB-MJHT");
    expect(github.polls).toHaveLength(2);
    await waitAt(30);
    await waitAt(10);
    expect(github.polls).toHaveLength(1);
    expect((await waitAt(60)).headers.get("refresh")).toBe("10; url=/sign-in/wait");
    expect((await waitAt(40)).headers.get("refresh")).toBe("10; url=/sign-in/wait");
    expect((await waitAt(100)).headers.get("refresh")).toBe("0; url=/device");
    expect(await who(browser)).toMatchObject({ login: "octocat", name: "The Octocat" });
    expect((await waitAt(100)).status).toBe(400);
  });
});
