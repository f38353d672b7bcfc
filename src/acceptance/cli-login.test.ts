import { afterAll, beforeAll, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { login } from "../cli/account.ts";
import { ApiClient } from "../cli/client/client.ts";
import { credentialsFile, readCredentials } from "../cli/client/credentials.ts";
import { runAtTerminal } from "../cli/testing/pseudo-terminal.ts";
import { capturedTerminal, runCli } from "../cli/testing/run-cli.ts";
import { addSite } from "../storage/contract/people.ts";
import { addLocalAccount, signIn } from "./testing/accounts.ts";
import type { Browser } from "./testing/browser.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;

beforeAll(async () => {
  vitrine = await startTestServer();
});
afterAll(() => vitrine[Symbol.asyncDispose]());

/** Returns what the person does while a login waits: they answer the page of the device. */
function answering(terminal: ReturnType<typeof capturedTerminal>, browser: Browser, fields: Record<string, string>) {
  return async (milliseconds: number) => {
    const [userCode = ""] = /[B-Z]{4}-[B-Z]{4}(?=\n)/.exec(terminal.err.join("")) ?? [];
    vitrine.advance(milliseconds);
    await browser.submit("/device", { user_code: userCode, ...fields });
  };
}

test("login through the browser stores a private credential until logout also ends the session on the server", async () => {
  using folder = scratchFolder();
  await addLocalAccount(vitrine, "lena");
  const env = { XDG_CONFIG_HOME: folder.path };
  const terminal = capturedTerminal(env);
  const browser = await signIn(vitrine, "lena");
  await login(terminal, { server: vitrine.baseUrl }, answering(terminal, browser, { verdict: "approved" }));
  expect((await stat(credentialsFile(env))).mode & 0o777).toBe(0o600);
  expect(await runCli(["whoami"], env)).toMatchObject({ status: 0, stdout: "lena\n" });

  const { servers } = await readCredentials(env);
  const { token = null } = servers[vitrine.baseUrl] ?? {};
  expect(await runCli(["logout"], env)).toMatchObject({ status: 0 });
  expect(await readCredentials(env)).toEqual({ current: null, servers: {} });
  expect(new ApiClient(vitrine.baseUrl, token).get("/auth/me")).rejects.toThrow("authentication is required");
  expect(await runCli(["whoami"], env)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("not signed in"),
  });
});

test("login with a scope keeps a credential that may do no more", async () => {
  using folder = scratchFolder();
  await addLocalAccount(vitrine, "mira");
  const env = { XDG_CONFIG_HOME: folder.path };
  const terminal = capturedTerminal(env);
  const browser = await signIn(vitrine, "mira");
  const { id = 0 } = (await vitrine.store.users.findByLogin("local", "mira")) ?? {};
  await addSite(vitrine.store, "miras", id, false);
  const approval = { verdict: "approved", site: "miras", expires: "1d" };
  await login(terminal, { server: vitrine.baseUrl, scope: "preview" }, answering(terminal, browser, approval));
  expect(terminal.err.join("")).toContain("The scope is preview site:miras.\n");
  expect(JSON.parse((await runCli(["whoami", "--json"], env)).stdout)).toMatchObject({ scope: "preview site:miras" });
  expect(await runCli(["deployments", "activate", "miras", "1"], env)).toMatchObject({
    status: 1,
    stderr: "error: this sign-in may only make previews of miras\nFor more: vitrine login\n",
  });
  expect(await runCli(["logout"], env)).toMatchObject({ status: 0 });
  expect(await readCredentials(env)).toEqual({ current: null, servers: {} });

  const unknown = login(terminal, { server: vitrine.baseUrl, scope: "everything" }, async () => {});
  await expect(unknown).rejects.toThrow('unknown scope "everything": send publish, preview or site:<name>');
});

test("login reports a denial in the browser and saves nothing", async () => {
  using folder = scratchFolder();
  await addLocalAccount(vitrine, "nora");
  const env = { XDG_CONFIG_HOME: folder.path };
  const terminal = capturedTerminal(env);
  const browser = await signIn(vitrine, "nora");
  const attempt = login(terminal, { server: vitrine.baseUrl }, answering(terminal, browser, { verdict: "denied" }));
  expect(attempt).rejects.toThrow("the person denied the device");
  await attempt.catch(() => {});
  expect(await Bun.file(credentialsFile(env)).exists()).toBe(false);
});

test("login in a terminal shows URL, code and a spinner", async () => {
  using folder = scratchFolder();
  const session = runAtTerminal(["login", "--server", vitrine.baseUrl], { XDG_CONFIG_HOME: folder.path });
  const screen = await session.shows("Waiting for you to approve it in the browser");
  expect(Bun.stripANSI(screen)).toMatch(
    /Open this page in a browser:\r\n {2}http:\/\/localhost:\d+\/device\?user_code=/,
  );
  session.type("\x03");
  await session.exited;
});

test("login with --token saves a valid credential and refuses others", async () => {
  using folder = scratchFolder();
  const { token } = await vitrine.signUp("ada");
  const env = { XDG_CONFIG_HOME: folder.path, VITRINE_SERVER: vitrine.baseUrl };
  expect((await runCli(["login", "--token", "vts_wrong"], env)).status).toBe(1);
  expect((await runCli(["login", "--token", token], env)).status).toBe(0);
  expect((await runCli(["whoami"], env)).stdout).toBe("ada\n");
});
