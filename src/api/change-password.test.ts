import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { addLocalAccount, PASSWORD, signIn } from "../acceptance/testing/accounts.ts";
import { runAtTerminal } from "../cli/testing/pseudo-terminal.ts";
import { runCli } from "../cli/testing/run-cli.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { openTestApi } from "./testing/test-api.ts";

const NEW = "staple correct horse";

const server = await openTestApi();
const address = server.listen();
const home = temporaryFolder();
afterAll(() => server[Symbol.asyncDispose]());

let login: string;
let token: string;
let count = 0;

beforeEach(async () => {
  server.advance(15 * MINUTE);
  login = `person-${++count}`;
  await addLocalAccount(server, login);
  token = await newSession();
});

const newSession = async () => (await signIn(server, login, server.browser())).cookies().get("vitrine") as string;
const isSignedIn = async (session: string) => (await server.call("GET", "/auth/me", { token: session })).status === 200;
const change = (old_password: string, new_password: string, session = token) =>
  server.call("POST", "/auth/password", { token: session, json: { old_password, new_password } });
const signInWith = async (password: string) => (await server.browser().submit("/sign-in", { login, password })).status;

test("GET /auth/me says which provider manages the password", async () => {
  const me = await server.call("GET", "/auth/me", { token });
  expect(await me.json()).toEqual({ login, name: null, provider: "local", operator: false });
});

describe("POST /auth/password", () => {
  test("sets a new password and ends the other sessions of the account only", async () => {
    const other = await newSession();
    const stranger = (await server.signUp(`stranger-${count}`)).token;
    expect((await change(PASSWORD, NEW)).status).toBe(204);
    expect([await isSignedIn(token), await isSignedIn(other), await isSignedIn(stranger)]).toEqual([true, false, true]);
    expect([await signInWith(PASSWORD), await signInWith(NEW)]).toEqual([401, 200]);
  });

  test("invalidates a device approval that has not been exchanged yet", async () => {
    const start = await server.call("POST", "/auth/device", { json: {} });
    const { user_code, device_code } = (await start.json()) as Record<string, string>;
    const browser = await signIn(server, login, server.browser());
    await browser.submit("/device", { user_code: user_code as string, verdict: "approved" });
    expect((await change(PASSWORD, NEW)).status).toBe(204);
    const poll = await server.call("POST", "/auth/device/token", { json: { device_code } });
    expect(await poll.json()).toMatchObject({ error: "access_denied" });
  });

  test("refuses a wrong old password and changes nothing", async () => {
    const other = await newSession();
    const response = await change("not the password", NEW);
    expect([response.status, await response.json()]).toEqual([403, { detail: "the old password is wrong" }]);
    expect([await isSignedIn(token), await isSignedIn(other)]).toEqual([true, true]);
    expect(await signInWith(PASSWORD)).toBe(200);
  });

  test("wrong old passwords count as sign-in attempts of the address", async () => {
    // One sign-in happened before.
    for (let guess = 2; guess <= 10; guess++) expect((await change(`guess ${guess}`, NEW)).status).toBe(403);
    const response = await change(PASSWORD, NEW);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await signInWith(PASSWORD)).toBe(429);
  });

  test.each([
    ["short", "at least 8 characters"],
    ["😀😀😀😀", "at least 8 characters"],
    ["", "at least 8"],
    ["a".repeat(1025), "at most 1024 characters"],
  ])("refuses %p as the new password", async (password, problem) => {
    const response = await change(PASSWORD, password);
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: { loc: string[]; msg: string }[] };
    expect(detail).toMatchObject([{ loc: ["body", "new_password"] }]);
    if (password.length > 0) expect(detail[0]?.msg).toMatch(new RegExp(`${problem}|greater or equal to 8`));
    expect(await signInWith(PASSWORD)).toBe(200);
  });

  test("of two concurrent changes with the same old password, one succeeds", async () => {
    const responses = await Promise.all([change(PASSWORD, `${NEW} 1`), change(PASSWORD, `${NEW} 2`)]);
    const statuses = responses.map(({ status }) => status).sort();
    // The later request may already see the new password.
    expect(statuses[0]).toBe(204);
    expect([403, 409]).toContain(statuses[1] as number);
  });

  test("is recorded in the account's activity", async () => {
    await change(PASSWORD, NEW);
    const activity = await server.call("GET", "/audit", { token });
    expect(await activity.text()).toContain("Changed the password");
  });

  test("responds with 409 to users of another provider", async () => {
    await using elsewhere = await openTestApi({ provider: "github", "provider-client-id": "x" });
    const { token: session } = await elsewhere.signUp("ada");
    const json = { old_password: PASSWORD, new_password: NEW };
    const response = await elsewhere.call("POST", "/auth/password", { token: session, json });
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ detail: expect.stringContaining("GitHub") });
  });
});

describe("vitrine passwd", () => {
  const env = () => ({
    VITRINE_SERVER: address,
    VITRINE_TOKEN: token,
    XDG_CONFIG_HOME: home,
  });

  const piped = (text: string) => runCli(["passwd", "--password-stdin"], env(), text);

  test("asks for the old password and twice for the new one, without echo", async () => {
    const session = runAtTerminal(["passwd"], env());
    await session.shows("Current password: ");
    session.type(`${PASSWORD}\r`);
    await session.shows("New password: ");
    session.type("short\r");
    await session.shows("at least 8 characters");
    await session.shows("New password: \r\nThe password needs at least 8 characters.\r\nNew password: ");
    session.type(`${NEW}\r`);
    await session.shows("Repeat the password: ");
    session.type(`${NEW}\r`);
    const { status, screen } = await session.exited;
    expect({ status, echoed: /horse|short/.test(screen) }).toEqual({ status: 0, echoed: false });
    expect([await signInWith(PASSWORD), await signInWith(NEW)]).toEqual([401, 200]);
  });

  test("reads both from a pipe", async () => {
    expect(await piped(`${PASSWORD}\n${NEW}\n`)).toEqual({
      status: 0,
      stdout: "",
      stderr: "✓ Changed your password and ended your other sessions.\n",
    });
    expect(await signInWith(NEW)).toBe(200);
  });

  test.each([
    ["", 2, "one per line"],
    ["only one\n", 2, "one per line"],
    ["one\ntwo\nthree\n", 2, "one per line"],
    [`not the password\n${NEW}\n`, 1, "the old password is wrong"],
    [`${PASSWORD}\nshort\n`, 1, "the new password: "],
  ])("refuses %p", async (text, status, message) => {
    expect(await piped(text)).toMatchObject({ status, stderr: expect.stringContaining(message) });
    expect(await signInWith(PASSWORD)).toBe(200);
  });
});
