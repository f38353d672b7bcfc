import { beforeAll, describe, expect, test } from "bun:test";
import { addLocalAccount, PASSWORD, signIn } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { startDomainsServer } from "./testing/domains.ts";
import { run } from "./testing/executable.ts";
import { serverStories } from "./testing/stories.ts";

const SECRET = "what nobody may see";
const HOSTNAME = "www.frozen.example";

const { vitrine, ada: token } = await serverStories(() => startDomainsServer({ workers: "2" }));
let ci: string;
let claimId: string;

beforeAll(async () => {
  for (const site of ["demo", "other"]) await deploy(site);
  ci = (await vitrine.mintDeploymentToken("demo")).token;
  await vitrine.connect(token, "demo", HOSTNAME);
  const [claim] = (await (await vitrine.call("GET", "/sites/demo/domains", { token })).json()) as { id: number }[];
  claimId = String(claim?.id);
});

const operator = (...args: string[]) => run([...args, "--data-dir", vitrine.config.dataDir]);

async function deploy(site: string, credential = token): Promise<Response> {
  return vitrine.deploy(credential, await zipOf({ "index.html": SECRET, "app.js": SECRET }), { site });
}

async function detail(response: Response): Promise<string> {
  return ((await response.json()) as { detail: string }).detail;
}

describe("a frozen site", () => {
  beforeAll(async () => {
    const { id: siteId } = (await vitrine.store.sites.find("demo")) as { id: number };
    const facts = { url: "https://hooks.example.org/", events: [], secret: "whsec_AAAA", createdAt: 0 };
    await vitrine.store.webhooks.add({ id: "hook", siteId, ...facts }, 1);
    const frozen = await operator("freeze", "demo", "--reason", "reported as phishing");
    expect([frozen.status, frozen.stderr]).toEqual([0, "✓ demo is frozen.\n"]);
  });

  test.each(["/", "/app.js", "/nowhere", "/.vitrine/enter?code=x"])(
    "shows visitors of %s a plain page and nothing else, on each of its hosts",
    async (path) => {
      const responses = [
        await vitrine.visit("demo", path),
        await vitrine.visit("1--demo", path),
        await vitrine.visit("99--demo", path),
        await vitrine.visitHostname(HOSTNAME, path),
      ];
      for (const response of responses) {
        expect(response.status).toBe(403);
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.get("clear-site-data")).toBe('"cache", "storage"');
        expect([...response.headers.keys()]).not.toContain("etag");
        const text = await response.text();
        expect(text).toContain("Site frozen");
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain("phishing");
      }
    },
  );

  test("has the same response for every method", async () => {
    for (const method of ["HEAD", "OPTIONS", "POST"]) {
      expect((await vitrine.visit("demo", "/", { method })).status).toBe(403);
    }
    const response = await vitrine.visit("demo", "/", { headers: { accept: "application/json" } });
    expect(await response.json()).toEqual({ detail: "site frozen" });
  });

  test("still serves its challenges and probes", async () => {
    const [claim] = (await (await vitrine.call("GET", "/sites/demo/domains", { token })).json()) as {
      challenge_path: string;
    }[];
    expect((await vitrine.visitHostname(HOSTNAME, claim?.challenge_path)).status).toBe(200);
    expect((await vitrine.visitHostname(HOSTNAME, "/.well-known/acme-challenge/x")).status).toBe(404);
  });

  test("does not affect other sites of its owner", async () => {
    expect(await (await vitrine.visit("other")).text()).toBe(SECRET);
    expect((await deploy("other")).status).toBe(201);
  });

  test("is marked in its owner's list only", async () => {
    const sites = (await (await vitrine.call("GET", "/sites", { token })).json()) as {
      name: string;
      frozen?: object;
    }[];
    expect(sites.map(({ name, frozen }) => [name, frozen])).toEqual([
      ["demo", { since: expect.stringMatching(/^20.*Z$/), reason: "reported as phishing" }],
      ["other", undefined],
    ]);
  });

  test.each([
    ["POST", "/sites/demo/deployments/1/activate", undefined],
    ["PUT", "/sites/demo/access", undefined],
    ["POST", "/sites/demo/access/readers", { provider_login: "bob" }],
    ["POST", "/sites/demo/domains", { hostname: "more.frozen.example" }],
    ["POST", "/sites/demo/webhooks", { url: "https://hooks.example.org/" }],
    ["PATCH", "/sites/demo/webhooks/hook", { enabled: false }],
    ["POST", "/sites/demo/webhooks/hook/test", undefined],
    ["PUT", "/sites/demo/retention", { keep_last: 1, keep_days: null }],
    ["DELETE", "/sites/demo/retention", undefined],
    ["POST", "/sites/demo/deployments/1/pin", undefined],
    ["DELETE", "/sites/demo/deployments/1/pin", undefined],
    ["POST", "/tokens", { site_name: "demo" }],
    ["POST", "/sites/demo/domains/CLAIM/transition/retry", undefined],
    ["POST", "/sites/demo/domains/CLAIM/transition/cancel", undefined],
  ])("cannot be changed by its owner's %s %s", async (method, path, json) => {
    const response = await vitrine.call(method, path.replace("CLAIM", claimId), { token, json });
    expect([response.status, await detail(response)]).toEqual([
      403,
      "site is frozen: the operator froze demo: reported as phishing",
    ]);
  });

  test("accepts no deployment from a user or a token, and for others it is a site of another owner", async () => {
    for (const credential of [token, ci]) {
      const response = await deploy("demo", credential);
      expect([response.status, await detail(response)]).toEqual([403, expect.stringContaining("site is frozen: ")]);
    }
    const stranger = (await vitrine.signUp("eve")).token;
    expect(await detail(await deploy("demo", stranger))).toContain("credential cannot deploy this site");
  });

  test("can be viewed and downloaded by its owner", async () => {
    for (const path of ["deployments", "access", "analytics", "domains", "webhooks", "deployments/1/archive"]) {
      expect((await vitrine.call("GET", `/sites/demo/${path}`, { token })).status).toBe(200);
    }
    const explained = await vitrine.call("GET", "/sites/demo/explain", { token });
    expect(await explained.json()).toMatchObject({ frozen: true, status: 200 });
  });

  test("is unchanged once the freeze is lifted, without a restart", async () => {
    expect((await operator("unfreeze", "demo")).stderr).toBe("✓ demo is unfrozen.\n");
    expect(await (await vitrine.visit("demo")).text()).toBe(SECRET);
    expect(await (await vitrine.visitHostname(HOSTNAME)).text()).toBe(SECRET);
    expect((await deploy("demo")).status).toBe(201);
    expect((await operator("unfreeze", "demo")).stderr).toContain("demo is not frozen");
  });

  test("can be deleted by its owner, who cannot use its name again", async () => {
    await deploy("gone");
    await operator("freeze", "gone");
    expect((await vitrine.call("DELETE", "/sites/gone", { token })).status).toBe(204);
    expect(await detail(await deploy("gone"))).toContain(
      "gone was deleted within the last 30 days: choose another name",
    );
  });

  test("is recorded in the audit log when it is frozen and unfrozen", async () => {
    const entries = await vitrine.store.audit.list({ site: "demo" }, { limit: 100, before: null });
    const actions = entries.filter(({ kind }) => kind === "operator").map(({ action, subject }) => [action, subject]);
    expect(actions).toEqual([
      ["unfreeze", ""],
      ["freeze", "reported as phishing"],
    ]);
  });
});

describe("a frozen user", () => {
  let browser: Awaited<ReturnType<typeof signIn>>;
  let session: string;
  let tokenOfTheirs: string;

  beforeAll(async () => {
    const { id } = await addLocalAccount(vitrine, "grace");
    browser = await signIn(vitrine, "grace");
    const { startSession } = await import("../domain/accounts/sessions.ts");
    const { systemSecrets } = await import("../clients/system/secrets.ts");
    const ports = { store: vitrine.store, clock: vitrine.clock, secrets: systemSecrets };
    session = (await startSession(ports, { userId: id, clientName: "test", address: null })).token;
    await deploy("graces", session);
    tokenOfTheirs = (await vitrine.mintDeploymentToken("graces")).token;
    const frozen = await operator("users", "freeze", "grace", "--reason", "unpaid");
    expect(frozen.stderr).toBe("✓ grace is frozen, with 1 site.\n");
  });

  test("is refused with session, cookie and deployment token, and gets the reason", async () => {
    const refused = [403, "account is frozen: unpaid: ask the operator"] as const;
    for (const credential of [session, tokenOfTheirs]) {
      const response = await vitrine.call("GET", "/sites/graces/deployments", { token: credential });
      expect([response.status, await detail(response)]).toEqual([...refused]);
      const attempt = await deploy("graces", credential);
      expect([attempt.status, await detail(attempt)]).toEqual([...refused]);
    }
    const response = await browser.get("/auth/me", { Accept: "application/json" });
    expect([response.status, await detail(response)]).toEqual([...refused]);
  });

  test("cannot sign in, and sees the reason in the browser", async () => {
    const page = await browser.submit("/sign-in", { login: "grace", password: PASSWORD });
    expect([page.status, await page.text()]).toEqual([403, expect.stringMatching(/Your account is frozen.*unpaid/s)]);
    const wrong = await browser.submit("/sign-in", { login: "grace", password: "wrong" });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.not.stringContaining("frozen")]);
    const waiting = await browser.get("/sign-in?return_to=/dashboard");
    expect([waiting.status, await waiting.text()]).toEqual([
      403,
      expect.stringMatching(/Your account is frozen.*unpaid.*Ask the operator of this server.*Use another account/s),
    ]);
    expect((await operator("users", "session", "grace")).stderr).toContain("grace is frozen");
  });

  test("gets no session for a device that they approved before", async () => {
    const started = await vitrine.call("POST", "/auth/device", { json: {} });
    const codes = (await started.json()) as { device_code: string; user_code: string };
    const { systemSecrets } = await import("../clients/system/secrets.ts");
    const waiting = await vitrine.store.deviceCodes.findByUserCode(systemSecrets.sha256(codes.user_code));
    const theirs = await vitrine.store.sessions.findByHash(systemSecrets.sha256(session));
    const { id = 0 } = theirs?.session ?? {};
    await vitrine.store.deviceCodes.resolve(
      waiting?.id ?? 0,
      { verdict: "approved", granted: null },
      id,
      vitrine.clock.now(),
    );
    const polled = await vitrine.call("POST", "/auth/device/token", { json: { device_code: codes.device_code } });
    expect([polled.status, await polled.json()]).toEqual([400, expect.objectContaining({ error: "access_denied" })]);
  });

  test("freezes all their sites and no others", async () => {
    expect((await vitrine.visit("graces")).status).toBe(403);
    expect((await vitrine.visit("other")).status).toBe(200);
  });

  test("is shown to the operator", async () => {
    const users = JSON.parse((await operator("users", "list", "--json")).stdout) as { login: string; frozen: object }[];
    expect(users.filter(({ frozen }) => frozen)).toEqual([
      expect.objectContaining({ login: "grace", frozen: { since: expect.any(String), reason: "unpaid" } }),
    ]);
    expect((await operator("users", "list")).stdout).toMatch(/grace .*owner, frozen/);
  });

  test("continues after the freeze; a site that is frozen itself does not", async () => {
    await operator("freeze", "graces");
    const lifted = await operator("users", "unfreeze", "grace");
    expect(lifted.stderr).toBe("✓ grace is unfrozen.\nSites that stay frozen: graces\n");
    expect((await browser.get("/auth/me", { Accept: "application/json" })).status).toBe(200);
    expect((await vitrine.call("GET", "/sites", { token: session })).status).toBe(200);
    expect((await vitrine.visit("graces")).status).toBe(403);
    await operator("unfreeze", "graces");
    expect((await vitrine.visit("graces")).status).toBe(200);
  });
});
