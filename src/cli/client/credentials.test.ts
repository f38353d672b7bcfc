import { beforeEach, describe, expect, test } from "bun:test";
import { chmod, readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { capturedTerminal } from "../testing/run-cli.ts";
import { connect, serverUrl } from "./connect.ts";
import { credentialsFile, forgetCredential, readCredentials, saveCredential } from "./credentials.ts";

let env: { XDG_CONFIG_HOME: string };

beforeEach(async () => {
  env = { XDG_CONFIG_HOME: temporaryFolder() };
});

const A = "https://a.example.org";
const B = "https://b.example.org";

test("only its owner can read the file, even if that was different before", async () => {
  await saveCredential(env, A, { token: "vts_a", login: "ada" });
  const file = credentialsFile(env);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  await chmod(file, 0o644);
  await saveCredential(env, B, { token: "vts_b", login: "ada" });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(file))).toEqual(["credentials.json"]);
});

test("credentials of several servers are stored, and the last sign-in is the current one", async () => {
  await saveCredential(env, A, { token: "vts_a", login: "ada" });
  await saveCredential(env, B, { token: "vts_b", login: "bob" });
  expect(await readCredentials(env)).toEqual({
    current: B,
    servers: { [A]: { token: "vts_a", login: "ada" }, [B]: { token: "vts_b", login: "bob" } },
  });
  await forgetCredential(env, B);
  expect(await readCredentials(env)).toEqual({ current: A, servers: { [A]: { token: "vts_a", login: "ada" } } });
});

test("the file is below ~/.config if XDG_CONFIG_HOME is not set", () => {
  expect(credentialsFile({ HOME: "/home/ada" })).toBe("/home/ada/.config/vitrine/credentials.json");
});

test("a damaged file is reported with a remedy", async () => {
  await Bun.write(credentialsFile(env), "{");
  expect(readCredentials(env)).rejects.toMatchObject({ advice: expect.stringContaining("vitrine login") });
});

describe("the server and the credential of a command", () => {
  const options = { server: "https://flag.example.org", token: "vts_flag" };
  const variables = { VITRINE_SERVER: "https://variable.example.org", VITRINE_TOKEN: "vts_variable" };

  async function connection(given: typeof options | object, more: object = {}) {
    const { server, token } = await connect(capturedTerminal({ ...env, ...more }), given);
    return [server, token];
  }

  test("come from a flag, else a variable, else the last login", async () => {
    await saveCredential(env, A, { token: "vts_a", login: "ada" });
    expect(await connection(options, variables)).toEqual(["https://flag.example.org", "vts_flag"]);
    expect(await connection({}, variables)).toEqual(["https://variable.example.org", "vts_variable"]);
    expect(await connection({})).toEqual([A, "vts_a"]);
  });

  test("a stored credential is used for its own server only", async () => {
    await saveCredential(env, A, { token: "vts_a", login: "ada" });
    expect(connection({ server: B })).rejects.toThrow(`not signed in to ${B}`);
  });

  test("default to this machine without a credential", async () => {
    expect(connection({})).rejects.toThrow("not signed in to http://localhost:8080");
  });
});

test.each([
  ["https://pages.example.org/", "https://pages.example.org"],
  ["pages.example.org", "https://pages.example.org"],
  ["pages.example.org:8443", "https://pages.example.org:8443"],
  ["localhost:8080", "http://localhost:8080"],
  ["127.0.0.1:80", "http://127.0.0.1"],
  ["[::1]:8080", "http://[::1]:8080"],
])("the server %p is %p", (given, url) => {
  expect(serverUrl(given)).toBe(url);
});

test.each(["https://pages.example.org/app", "ftp://x", "a b", "https://me@x.org", ""])(
  "the server %p is refused",
  (given) => {
    expect(() => serverUrl(given)).toThrow("is not a server's URL");
  },
);
