import { afterAll, describe, expect, test } from "bun:test";
import { addLocalAccount, PASSWORD, signIn } from "../acceptance/testing/accounts.ts";
import type { Browser } from "../acceptance/testing/browser.ts";
import { systemSecrets } from "../clients/system/secrets.ts";
import { startSession } from "../domain/accounts/sessions.ts";
import type { User } from "../domain/model/user.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { Authenticator, type Claims } from "./testing/authenticator.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

const ORIGIN = "http://localhost:8080";
const WRONG = [401, { detail: "login or password is wrong" }] as const;

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** Somebody with an account, a browser in which they have just signed in, and an authenticator. */
interface Person {
  readonly user: User;
  readonly browser: Browser;
  readonly authenticator: Authenticator;
}

let accounts = 0;
const api = await openTestApi({ "sign-in-rate": "off", "passkey-rate": "off" });
afterAll(() => api[Symbol.asyncDispose]());

/** Without a password, which would take most of the time. */
async function person(): Promise<Person> {
  accounts += 1;
  const { user } = await api.signUp(`person-${accounts}`);
  const ports = { store: api.store, clock: api.clock, secrets: systemSecrets };
  const session = await startSession(ports, { userId: user.id, clientName: "test", address: null, signedIn: true });
  const browser = api.browser();
  browser.cookies().set("vitrine", session.token);
  return { user, browser, authenticator: await Authenticator.create(ORIGIN) };
}

/** The same with the password `PASSWORD`. */
async function passwordHolder(): Promise<Person> {
  accounts += 1;
  const login = `person-${accounts}`;
  const user = await addLocalAccount(api, login);
  const browser = await signIn(api, login, api.browser());
  return { user, browser, authenticator: await Authenticator.create(ORIGIN) };
}

async function outcome(response: Response): Promise<readonly [status: number, body: unknown]> {
  const text = await response.text();
  return [response.status, text === "" ? null : JSON.parse(text)];
}

async function optionsFor(browser: Browser, path: string) {
  const response = await browser.request("POST", `${path}/options`);
  expect(response.status).toBe(200);
  return (await response.json()) as { challenge: string; rpId?: string; user?: { id: string } };
}

async function register({ browser, authenticator }: Person, lies: Partial<Claims> = {}, name = "Laptop") {
  const response = await authenticator.register(await optionsFor(browser, "/auth/passkeys"), lies);
  return browser.request("POST", "/auth/passkeys", { name, response });
}

/** Signs in with the passkey in a browser, which is new by default. */
async function enter(authenticator: Authenticator, lies: Partial<Claims> = {}, browser = api.browser()) {
  const response = await authenticator.sign(await optionsFor(browser, "/sign-in/passkey"), lies);
  return browser.request("POST", "/sign-in/passkey", { response, return_to: "/dashboard/sites/blog" });
}

async function passkeysOf({ browser }: Person): Promise<Passkey[]> {
  return (await (await browser.request("GET", "/auth/passkeys")).json()) as Passkey[];
}

/** A person with one passkey. */
async function keyHolder(lies: Partial<Claims> = {}): Promise<Person> {
  const somebody = await person();
  expect((await register(somebody, lies)).status).toBe(201);
  return somebody;
}

describe("a passkey", () => {
  test("is created, named, used to sign in, and removed", async () => {
    const ada = await passwordHolder();
    const options = await optionsFor(ada.browser, "/auth/passkeys");
    expect(options).toMatchObject({
      rp: { id: "localhost" },
      user: { name: ada.user.login, displayName: ada.user.login },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const created = (await (await register(ada, {}, "Laptop 💻")).json()) as Passkey;
    expect(Object.keys(created)).toEqual(["id", "name", "created_at", "last_used_at"]);
    expect(created).toMatchObject({ name: "Laptop 💻", last_used_at: null });
    const renamed = await ada.browser.request("PATCH", `/auth/passkeys/${created.id}`, { name: "Phone" });
    expect(await outcome(renamed)).toEqual([200, { ...created, name: "Phone" }]);

    const browser = api.browser();
    expect(await outcome(await enter(ada.authenticator, {}, browser))).toEqual([
      200,
      { return_to: "/dashboard/sites/blog" },
    ]);
    expect(await (await browser.request("GET", "/auth/me")).json()).toMatchObject({ login: ada.user.login });
    const [used] = await passkeysOf(ada);
    expect(used?.last_used_at).not.toBeNull();
    // The sign-in with it is recent enough to remove it.
    expect((await browser.request("DELETE", `/auth/passkeys/${created.id}`)).status).toBe(204);
    expect((await browser.request("DELETE", `/auth/passkeys/${created.id}`)).status).toBe(404);
    expect(await outcome(await enter(ada.authenticator))).toEqual(WRONG);
  });

  test("of an account is known to it alone", async () => {
    const [ada, eve] = [await keyHolder(), await person()];
    const id = (await passkeysOf(ada))[0]?.id;
    expect((await eve.browser.request("PATCH", `/auth/passkeys/${id}`, { name: "Mine" })).status).toBe(404);
    expect((await eve.browser.request("DELETE", `/auth/passkeys/${id}`)).status).toBe(404);
    expect(await passkeysOf(eve)).toEqual([]);
    const again = await ada.authenticator.register(await optionsFor(eve.browser, "/auth/passkeys"));
    const taken = await eve.browser.request("POST", "/auth/passkeys", { name: "Taken", response: again });
    expect(taken.status).toBe(409);
  });

  test("is refused after ten, and the first ten succeed", async () => {
    const ada = await person();
    const register1 = async () => register({ ...ada, authenticator: await Authenticator.create(ORIGIN) });
    for (let number = 1; number <= 10; number += 1) expect((await register1()).status).toBe(201);
    expect(await outcome(await register1())).toEqual([
      409,
      { detail: "an account has at most 10 passkeys: remove one first" },
    ]);
  });
});

test.each<[string, Partial<Claims>]>([
  ["a page of a site below the host", { origin: "http://blog.localhost:8080" }],
  ["another port", { origin: "http://localhost:9090" }],
  ["another relying party", { relyingPartyId: "blog.localhost" }],
  ["another challenge", { challenge: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A" }],
  ["an authenticator that verified nobody", { isVerified: false }],
  ["an algorithm that is not offered", { algorithm: -48 }],
  ["a signature instead of a new key", { type: "webauthn.get" }],
  ["an attestation with certificates", { format: "android-key" }],
  ["an unknown attestation", { format: "other" }],
])("a new passkey from %s is 400, and is not added", async (_what, lie) => {
  const ada = await person();
  expect((await register(ada, lie)).status).toBe(400);
  expect(await passkeysOf(ada)).toEqual([]);
});

describe("a sign-in looks like a wrong password", () => {
  test.each<[string, Partial<Claims>]>([
    ["from a page of a site below the host", { origin: "http://blog.localhost:8080" }],
    ["with another relying party", { relyingPartyId: "blog.localhost" }],
    ["with another challenge", { challenge: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A" }],
    ["without verification of the user", { isVerified: false }],
    ["with the response to a registration", { type: "webauthn.create" }],
    ["for another account", { userHandle: "NWI2ZTNjMGM" }],
  ])("%s", async (_what, lie) => {
    const { authenticator } = await keyHolder();
    expect(await outcome(await enter(authenticator, lie))).toEqual(WRONG);
    expect((await enter(authenticator)).status).toBe(200);
  });

  test("with an unknown passkey, as the form says it", async () => {
    const stranger = await Authenticator.create(ORIGIN);
    expect(await outcome(await enter(stranger))).toEqual(WRONG);
    const { user } = await person();
    const form = await api.browser().submit("/sign-in", { login: user.login, password: "wrong" });
    expect(await form.text()).toContain("Login or password is wrong.");
  });

  test("with a signature by another key", async () => {
    const { authenticator } = await keyHolder();
    const browser = api.browser();
    const forged = await (await Authenticator.create(ORIGIN)).sign(await optionsFor(browser, "/sign-in/passkey"));
    const response = { ...forged, id: authenticator.credentialId, rawId: authenticator.credentialId };
    expect(await outcome(await browser.request("POST", "/sign-in/passkey", { response }))).toEqual(WRONG);
  });

  test("with a challenge that was used, failed, expired, or is another browser's", async () => {
    const { authenticator, browser: owner } = await keyHolder();
    const browser = api.browser();
    const answer = async () => {
      const response = await authenticator.sign(await optionsFor(browser, "/sign-in/passkey"));
      return { response };
    };
    const send = async (body: object, from = browser) => outcome(await from.request("POST", "/sign-in/passkey", body));
    const first = await answer();
    expect((await send(first))[0]).toBe(200);
    expect(await send(first)).toEqual(WRONG);

    const second = await answer();
    const lie = { response: { ...second.response, id: "AQID", rawId: "AQID" } };
    expect([await send(lie), await send(second)]).toEqual([WRONG, WRONG]);

    const third = await answer();
    expect([await send(third, api.browser()), (await send(third))[0]]).toEqual([WRONG, 200]);

    const registration = await optionsFor(owner, "/auth/passkeys");
    const fourth = { response: await authenticator.sign({ ...registration, rpId: "localhost" }) };
    expect(await send(fourth, owner)).toEqual(WRONG);

    const late = await answer();
    api.advance(5 * MINUTE);
    expect(await send(late)).toEqual(WRONG);
  });

  test("with a counter that does not rise", async () => {
    const { authenticator } = await keyHolder({ counter: 7 });
    const statuses = [];
    for (const counter of [8, 8, 7, 0, 9]) statuses.push((await enter(authenticator, { counter })).status);
    expect(statuses).toEqual([200, 401, 401, 401, 200]);
  });
});

test("a frozen account is refused as frozen", async () => {
  const { user, authenticator } = await keyHolder();
  await api.store.users.setFrozen(user.id, { at: 0, reason: "unpaid" });
  const [status, body] = await outcome(await enter(authenticator));
  expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining("frozen")]);
});

test.each(["/sign-in/passkey/options", "/sign-in/passkey"])("POST %s from another origin is 403", async (path) => {
  const { authenticator } = await keyHolder();
  const browser = api.browser();
  const response = await authenticator.sign(await optionsFor(browser, "/sign-in/passkey"));
  for (const origin of ["http://blog.localhost:8080", "https://evil.example", "null"]) {
    expect((await browser.request("POST", path, { response }, origin)).status).toBe(403);
  }
  // Nothing of it spent the challenge.
  expect((await browser.request("POST", "/sign-in/passkey", { response })).status).toBe(200);
});

test.each([
  ["nothing", undefined],
  ["a list", []],
  ["text", { response: "AQID" }],
  [
    "no signature",
    { response: { id: "AQID", rawId: "AQID", type: "public-key", response: { clientDataJSON: "e30" } } },
  ],
  ["a number", { response: { id: 7, rawId: 7, type: "public-key", response: {} } }],
  ["bytes that are none", { response: garbage("%%%") }],
  ["JSON that is none", { response: garbage("AAAA") }],
  ["an empty object", { response: garbage("e30") }],
  ["deep arrays", { response: garbage("gYGBgYGB") }],
])("a response that is %s gets 4xx, wherever it is sent", async (_what, body) => {
  const { browser } = await person();
  for (const [path, begin] of [
    ["/sign-in/passkey", "/sign-in/passkey"],
    ["/auth/confirm", "/sign-in/passkey"],
    ["/auth/passkeys", "/auth/passkeys"],
  ] as const) {
    await optionsFor(browser, begin);
    const sent = body && !Array.isArray(body) ? { name: "Laptop", ...body } : body;
    expect((await browser.request("POST", path, sent)).status).toBeWithin(400, 500);
  }
  expect(api.reported).toEqual([]);
});

function garbage(value: string) {
  const values = { clientDataJSON: value, attestationObject: value, authenticatorData: value, signature: value };
  return { id: "AQID", rawId: "AQID", type: "public-key", response: values };
}

describe("what gives away or destroys needs a recent sign-in", () => {
  test("which a passkey of the account confirms, for that session", async () => {
    const [ada, eve] = [await keyHolder(), await keyHolder()];
    await register({ ...ada, authenticator: await Authenticator.create(ORIGIN) });
    const [passkey] = await passkeysOf(ada);
    api.advance(15 * MINUTE);
    const removal = () => ada.browser.request("DELETE", `/auth/passkeys/${passkey?.id}`);
    const confirm = async (by: Authenticator) => {
      const response = await by.sign(await optionsFor(ada.browser, "/sign-in/passkey"));
      return ada.browser.request("POST", "/auth/confirm", { response });
    };
    const pending = await ada.authenticator.register(await optionsFor(ada.browser, "/auth/passkeys"));
    const second = { ...pending, id: "AQID", rawId: "AQID" };
    const addition = () => ada.browser.request("POST", "/auth/passkeys", { name: "Phone", response: second });
    for (const refused of [await removal(), await addition(), await ada.browser.request("DELETE", "/auth/password")]) {
      expect(await outcome(refused)).toEqual([403, { detail: expect.stringMatching(/^recent sign-in is required/) }]);
    }
    expect((await confirm(eve.authenticator)).status).toBe(403);
    expect((await removal()).status).toBe(403);
    expect((await confirm(ada.authenticator)).status).toBe(204);
    // The challenge for the new passkey was kept meanwhile: this one is refused for what it is.
    expect((await addition()).status).toBe(409);
    expect((await removal()).status).toBe(204);
  });

  test("and a confirmation has a password or a passkey, and not both", async () => {
    const { browser, authenticator } = await keyHolder();
    const response = await authenticator.sign(await optionsFor(browser, "/sign-in/passkey"));
    for (const body of [{}, { password: PASSWORD, response }]) {
      expect((await browser.request("POST", "/auth/confirm", body)).status).toBe(422);
    }
    expect((await browser.request("POST", "/auth/confirm", { response })).status).toBe(204);
  });
});

test("the last way in stays: a password without passkeys, or a passkey without a password", async () => {
  const ada = await passwordHolder();
  const removePassword = () => ada.browser.request("DELETE", "/auth/password");
  expect((await removePassword()).status).toBe(409);
  expect((await register(ada)).status).toBe(201);
  expect((await removePassword()).status).toBe(204);
  expect((await removePassword()).status).toBe(409);
  const methods = await ada.browser.request("GET", "/auth/sign-in-methods");
  expect(await methods.json()).toEqual({ password: false, passkeys_problem: null });
  const form = { login: ada.user.login, password: PASSWORD };
  expect((await api.browser().submit("/sign-in", form)).status).toBe(401);
  const [passkey] = await passkeysOf(ada);
  expect(await outcome(await ada.browser.request("DELETE", `/auth/passkeys/${passkey?.id}`))).toEqual([
    409,
    { detail: "this passkey is your last way to sign in: add another one first" },
  ]);
  expect((await enter(ada.authenticator)).status).toBe(200);
});

test("a password link of an operator lists the passkeys and removes those that are chosen", async () => {
  const ada = await keyHolder();
  const other = { ...ada, authenticator: await Authenticator.create(ORIGIN) };
  await register(other, {}, "<Lost> phone");
  const operator = await person();
  await api.store.users.setOperator(operator.user.id, true);
  const made = await operator.browser.request("POST", `/admin/users/${ada.user.login}/password-link`);
  const { pathname } = new URL(((await made.json()) as { url: string }).url);
  const form = await (await api.browser().get(pathname)).text();
  const ids = [...form.matchAll(/name="remove_passkey" value="(\w+)"> <span>(.*?)<.span>/g)].map(([, id, words]) => [
    id,
    words,
  ]);
  expect(ids.map(([, words]) => words)).toEqual([
    expect.stringMatching(/^Laptop, added on <time>\d{4}-/),
    expect.stringMatching(/^&#60;Lost&#62; phone, added on /),
  ]);
  const fields = { password: "a new password", remove_passkey: ids[1]?.[0] ?? "" };
  expect((await api.browser().submit(pathname, fields)).status).toBe(200);
  expect((await enter(other.authenticator)).status).toBe(401);
  expect((await enter(ada.authenticator)).status).toBe(200);
});

describe("the sign-in page", () => {
  const pageAt = async (server: TestApi, base: string) => {
    const response = await server.browser().get(`${base}/sign-in?return_to=/device`);
    return { text: await response.text(), policy: response.headers.get("content-security-policy") };
  };

  test("offers passkeys in the suggestions and with a button", async () => {
    const { text, policy } = await pageAt(api, ORIGIN);
    expect(text).toContain('autocomplete="username webauthn"');
    expect(text).toContain('<div class="passkey" data-return-to="/device" hidden>');
    expect(text).toContain('src="/assets/passkey-sign-in.js"');
    expect(policy).toContain("connect-src 'self'");
  });

  test("leads from 127.0.0.1 to localhost", async () => {
    const { text } = await pageAt(api, "http://127.0.0.1:8080");
    expect(text).toContain('href="http://localhost:8080/sign-in?return_to=%2Fdevice"');
    expect(text).not.toContain("passkey-sign-in.js");
  });

  test.each([
    ["http://127.0.0.1:8080", "Passkeys need a host name, and http://127.0.0.1:8080 is an IP address."],
    ["http://pages.lan", "Passkeys need HTTPS, and http://pages.lan is plain HTTP."],
  ])("at %s says why there are none, as the API does", async (baseUrl, reason) => {
    await using server = await openTestApi({ "base-url": baseUrl, "sites-domain": "sites.lan" });
    expect((await pageAt(server, baseUrl)).text).toContain(reason);
    await addLocalAccount(server, "ada");
    const browser = await signIn(server, "ada", server.browser());
    const detail = expect.stringMatching(/^passkeys need /);
    const methods = await browser.request("GET", "/auth/sign-in-methods");
    expect(await methods.json()).toEqual({ password: true, passkeys_problem: detail });
    for (const path of ["/auth/passkeys/options", "/sign-in/passkey/options"]) {
      expect(await outcome(await browser.request("POST", path))).toEqual([409, { detail }]);
    }
    expect(await outcome(await browser.request("POST", "/sign-in/passkey", { response: garbage("e30") }))).toEqual(
      WRONG,
    );
  });
});

test("challenges are limited to 20 a minute, and sign-ins with passkeys count as sign-ins", async () => {
  await using limited = await openTestApi();
  const browser = limited.browser();
  const status = async (path: string, body?: object) => (await browser.request("POST", path, body)).status;
  const challenges = [];
  for (let number = 1; number <= 21; number += 1) challenges.push(await status("/sign-in/passkey/options"));
  expect(challenges).toEqual([...Array<number>(20).fill(200), 429]);
  const attempts = [];
  for (let number = 1; number <= 11; number += 1)
    attempts.push(await status("/sign-in/passkey", { response: garbage("e30") }));
  expect(attempts).toEqual([...Array<number>(10).fill(401), 429]);
  expect((await browser.submit("/sign-in", { login: "ada", password: "wrong" })).status).toBe(429);
});
