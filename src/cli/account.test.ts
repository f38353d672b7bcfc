import { beforeEach, describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { login, verificationPage } from "./account.ts";
import { capturedTerminal } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

const SERVER = "https://pages.example.org";

describe("a verification page", () => {
  test.each([
    [`${SERVER}/device?user_code=WDJB-MJHT`, `${SERVER}/device?user_code=WDJB-MJHT`],
    ["HTTPS://Pages.Example.ORG:443/device?a b\n", `${SERVER}/device?a%20b`],
  ])("%p is opened as %p", (named, opened) => {
    expect(verificationPage(SERVER, named)).toBe(opened);
  });

  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "--help",
    "-a Calculator",
    "/device",
    "device",
    "",
    "ssh://pages.example.org/",
    "http://pages.example.org/device",
    "https://pages.example.org:8443/device",
    "https://evil.example/device",
    "https://pages.example.org@evil.example/device",
    "https://user:secret@pages.example.org/device",
    "//evil.example/device",
    "\\\\evil.example\\share",
  ])("%p is refused", (named) => {
    expect(() => verificationPage(SERVER, named)).toThrow("names no page of its own to sign in at");
  });
});

describe("vitrine login", () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    const opener = join(folder, "opener");
    await Bun.write(opener, `#!/bin/sh\nprintf '%s\\n' "$@" > "$0.partial" && mv "$0.partial" "$0.opened"\n`);
    await chmod(opener, 0o700);
  });

  /** Signs in at a server with this verification page. Returns the output and the result. */
  async function logIn(named: (server: string) => string) {
    const grant = { access_token: "vts_x", token_type: "bearer", expires_in: 9, user: { login: "ada", name: null } };
    const responses: Record<string, Response> = { "POST /auth/device/token": Response.json(grant) };
    await using server = stubServer(responses);
    const page = { verification_uri: named(server.url), verification_uri_complete: named(server.url) };
    const codes = { device_code: "d", user_code: "WDJB-MJHT", expires_in: 900, interval: 5 };
    responses["POST /auth/device"] = Response.json({ ...codes, ...page });
    const terminal = {
      ...capturedTerminal({ XDG_CONFIG_HOME: folder, BROWSER: join(folder, "opener") }),
      canRedraw: true,
    };
    const failure = await login(terminal, { server: server.url }, async () => {}).then(
      () => null,
      (error: Error) => error.message,
    );
    return { failure, said: terminal.err.join(""), requested: server.requested.map(({ path }) => path) };
  }

  test("opens the page of the server itself in the browser", async () => {
    const { failure, said } = await logIn((server) => `${server}/device?user_code=WDJB-MJHT`);
    expect(failure).toBeNull();
    const opened = join(folder, "opener.opened");
    while (!(await Bun.file(opened).exists())) await new Promise(setImmediate);
    expect(await Bun.file(opened).text()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/device\?user_code=WDJB-MJHT\n$/);
    expect(said).toContain("Opening this page in your browser:");
  });

  test.each(["file:///etc/passwd", "--version", "http://evil.example/device"])(
    "refuses the page %p without opening or printing it",
    async (named) => {
      const { failure, said, requested } = await logIn(() => named);
      expect(failure).toContain("names no page of its own to sign in at");
      expect(said).not.toContain(named);
      expect(requested).toEqual(["/auth/device"]);
      expect(await Bun.file(join(folder, "opener.opened")).exists()).toBe(false);
    },
  );
});
