import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createPasswords } from "../clients/identity/passwords.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { DAY, MINUTE, SECOND } from "../domain/timestamp.ts";
import { Browser } from "./testing/browser.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ workers: "2" });
  const passwordHash = await createPasswords().hash("correct horse");
  const alice = await server.store.users.add({
    provider: "local",
    subject: "1",
    login: "alice",
    name: "Alice",
    avatarUrl: null,
    mayOwn: true,
    passwordHash,
    createdAt: 0,
  });
  expect(alice).not.toBeNull();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

async function start(json: unknown = { client_name: "test client" }): Promise<Codes> {
  const response = await server.call("POST", "/auth/device", { json });
  expect(response.status).toBe(200);
  return (await response.json()) as Codes;
}

async function poll(device_code: string) {
  const response = await server.call("POST", "/auth/device/token", { json: { device_code } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Returns a browser in which alice is signed in. */
async function signIn(): Promise<Browser> {
  const browser = new Browser(server.baseUrl);
  const page = await browser.submit("/sign-in", { login: "alice", password: "correct horse", return_to: "/device" });
  expect(page.status).toBe(200);
  expect(page.headers.get("refresh")).toBe("0; url=/device");
  return browser;
}

describe("the device flow", () => {
  test("leads from the codes to a working session", async () => {
    const codes = await start();
    expect(codes).toMatchObject({
      verification_uri: `${server.baseUrl}/device`,
      verification_uri_complete: `${server.baseUrl}/device?user_code=${codes.user_code}`,
      expires_in: 900,
      interval: 5,
    });
    expect(codes.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect((await poll(codes.device_code)).body.error).toBe("authorization_pending");

    const browser = await signIn();
    const consent = await (await browser.get(`/device?user_code=${codes.user_code.toLowerCase()}`)).text();
    for (const shown of [codes.user_code, "test client", "127.0.0.1", "alice"]) expect(consent).toContain(shown);
    const approved = await browser.submit("/device", { user_code: codes.user_code, verdict: "approved" });
    expect(await approved.text()).toContain("Device connected");

    const { status, body } = await poll(codes.device_code);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^vts_/),
      token_type: "bearer",
      expires_in: (30 * DAY) / SECOND,
      user: { login: "alice", name: "Alice" },
    });
    const me = await server.call("GET", "/auth/me", { token: body.access_token as string });
    expect(await me.json()).toEqual({ login: "alice", name: "Alice", operator: false, provider: "local" });
    expect((await poll(codes.device_code)).body.error).toBe("invalid_grant");

    expect((await server.call("DELETE", "/auth/session", { token: body.access_token as string })).status).toBe(204);
    expect((await server.call("GET", "/auth/me", { token: body.access_token as string })).status).toBe(401);
  });

  test("a poll that comes too early increases the interval by five seconds each time", async () => {
    const { device_code } = await start();
    const begun = server.clock.now();
    // Each poll has its time on the server's clock, because two requests of a busy machine may be seconds apart.
    const pollAfter = (seconds: number) => {
      server.advance(begun + seconds * SECOND - server.clock.now());
      return poll(device_code);
    };
    await pollAfter(0);
    expect(await pollAfter(0)).toMatchObject({ status: 400, body: { error: "slow_down" } });
    expect((await pollAfter(6)).body.error).toBe("slow_down");
    expect((await pollAfter(17)).body.error).toBe("slow_down");
    expect((await pollAfter(45)).body.error).toBe("authorization_pending");
  });

  test("a denied device gets access_denied", async () => {
    const codes = await start();
    const browser = await signIn();
    await browser.submit("/device", { user_code: codes.user_code, verdict: "denied" });
    expect((await poll(codes.device_code)).body.error).toBe("access_denied");
  });

  test("a device whose approval was ended by a new password gets the possible reasons", async () => {
    const codes = await start();
    const browser = await signIn();
    await browser.submit("/device", { user_code: codes.user_code, verdict: "approved" });
    const { id = 0 } = (await server.store.users.findByLogin("local", "alice")) ?? {};
    await server.store.users.setPassword(id, await createPasswords().hash("correct horse"));
    const { body } = await poll(codes.device_code);
    expect(body).toEqual({ error: "access_denied", detail: expect.stringContaining("given a new password") });
  });

  test("codes expire after fifteen minutes for both the device and the user", async () => {
    const codes = await start();
    const browser = await signIn();
    server.advance(15 * MINUTE);
    expect((await poll(codes.device_code)).body.error).toBe("expired_token");
    const page = await browser.get(`/device?user_code=${codes.user_code}`);
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("wrong, was used or has expired");
  });

  test("an unknown device code is invalid_grant", async () => {
    expect(await poll("nonsense")).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("both routes accept forms and JSON, and the first also no body", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = "client_name=form+client&scope=preview";
    const started = await server.call("POST", "/auth/device", { body, headers });
    const codes = (await started.json()) as Codes;
    const form = `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=${codes.device_code}`;
    const polled = await server.call("POST", "/auth/device/token", { body: form, headers });
    expect(await polled.json()).toMatchObject({ error: "authorization_pending" });
    expect((await server.call("POST", "/auth/device")).status).toBe(200);
  });

  test.each<[string, string, unknown]>([
    ["/auth/device", "a name that is a number", { client_name: 5 }],
    ["/auth/device", "a name with control characters", { client_name: "a\u0007b" }],
    ["/auth/device", "a name that is empty", { client_name: "" }],
    ["/auth/device", "a name that is too long", { client_name: "x".repeat(101) }],
    ["/auth/device", "an array", []],
    ["/auth/device/token", "no code", {}],
    ["/auth/device/token", "a code that is a number", { device_code: 5 }],
    ["/auth/device/token", "a code that is null", { device_code: null }],
    ["/auth/device/token", "a text", "device_code"],
  ])("%s refuses %s with 422", async (path, _what, json) => {
    const response = await server.call("POST", path, { json });
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: { loc: unknown[] }[] };
    expect(detail[0]?.loc[0]).toBe("body");
  });

  test("an address can start twenty flows per minute across threads", async () => {
    server.advance(MINUTE);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt++) {
      statuses.push((await server.call("POST", "/auth/device", { headers: { Connection: "close" } })).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    const refused = await server.call("POST", "/auth/device");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    server.advance(MINUTE);
    expect((await server.call("POST", "/auth/device")).status).toBe(200);
  });
});

test("a session ends 30 days after its last use, and 90 days after sign-in in any case", async () => {
  const { token } = await server.signUp("grace");
  const status = async () => (await server.call("GET", "/auth/me", { token })).status;
  for (let used = 0; used < 3; used++) {
    server.advance(29 * DAY);
    expect(await status()).toBe(200);
  }
  server.advance(3 * DAY);
  expect(await status()).toBe(401);

  const idle = (await server.signUp("lin")).token;
  server.advance(30 * DAY);
  expect((await server.call("GET", "/auth/me", { token: idle })).status).toBe(401);
});

describe("the device page", () => {
  test("asks signed-out users to sign in first and then shows the code", async () => {
    const page = await new Browser(server.baseUrl).get("/device?user_code=BCDF-GHJK");
    expect(page.status).toBe(303);
    expect(page.headers.get("location")).toBe("/sign-in?return_to=%2Fdevice%3Fuser_code%3DBCDF-GHJK");
  });

  test("refuses a decision from another origin", async () => {
    const { user_code } = await start();
    const browser = await signIn();
    for (const origin of ["https://evil.example", server.siteUrl("evil"), "null", null]) {
      const refused = await browser.submit("/device", { user_code, verdict: "approved" }, origin);
      expect(refused.status).toBe(403);
    }
    expect((await browser.get(`/device?user_code=${user_code}`)).status).toBe(200);
  });

  test("blocks an address for ten minutes after five wrong codes, also for the right code", async () => {
    server.advance(15 * MINUTE);
    const { user_code } = await start();
    const browser = await signIn();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      statuses.push((await browser.get("/device?user_code=BBBB-BBBB")).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
    expect((await browser.get(`/device?user_code=${user_code}`)).status).toBe(429);
    server.advance(10 * MINUTE);
    expect((await browser.get(`/device?user_code=${user_code}`)).status).toBe(200);
  });

  test("escapes the name of a device", async () => {
    const { user_code } = await start({ client_name: "<script>alert(1)</script>" });
    const page = await (await (await signIn()).get(`/device?user_code=${user_code}`)).text();
    expect(page).not.toContain("<script>");
    expect(page).toContain("&#60;script&#62;");
  });
});

test("codes are not stored in the database", async () => {
  const codes = await start();
  const database = `${server.config.dataDir}/vitrine.db`;
  const bytes = Buffer.concat([
    Buffer.from(await Bun.file(database).arrayBuffer()),
    Buffer.from(await Bun.file(`${database}-wal`).arrayBuffer()),
  ]);
  expect(bytes.includes(systemSecrets.sha256(codes.device_code))).toBe(true);
  expect(bytes.includes(codes.device_code)).toBe(false);
  expect(bytes.includes(codes.user_code)).toBe(false);
});
