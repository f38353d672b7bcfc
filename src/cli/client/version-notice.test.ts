import { beforeEach, expect, test } from "bun:test";
import { VERSION } from "../../config/version.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { capturedTerminal } from "../testing/run-cli.ts";
import { stubServer } from "../testing/stub-server.ts";
import { versionNotice } from "./version-notice.ts";

let env: { XDG_CONFIG_HOME: string };
beforeEach(async () => {
  env = { XDG_CONFIG_HOME: temporaryFolder() };
});

/** Returns what a command says that gets several responses of a server of this version. */
async function said(version: string | null, form: string | null = "npm", server = "http://127.0.0.1:9") {
  const terminal = capturedTerminal(env);
  const seen = versionNotice(terminal, server, form);
  const headers = version === null ? {} : { "Vitrine-Version": version };
  for (const response of [1, 2].map(() => new Response(null, { headers }))) await seen(response);
  return terminal.err.join("");
}

test.each([null, VERSION.version, "", "the newest", `9${"9".repeat(40)}`])(
  "a server of the version %j needs no notice",
  async (version) => {
    expect(await said(version)).toBe("");
  },
);

test("another version is reported once, and again when it changes", async () => {
  const note = `Note: this is vitrine ${VERSION.version}, and the server is version 99.0.0. `;
  expect(await said("99.0.0")).toStartWith(note);
  expect(await said("99.0.0")).toBe("");
  expect(await said("99.0.1")).toContain("is version 99.0.1.");
  expect(await said("99.0.1", "npm", "http://127.0.0.1:10")).toContain("is version 99.0.1.");
});

test.each([
  ["npm", "/vitrine.tgz", "npm install --global URL/vitrine.tgz"],
  [
    "linux-x64",
    "/download/vitrine-linux-x64",
    `curl --fail --output ${process.execPath} URL/download/vitrine-linux-x64`,
  ],
])("a client of the form %s gets the line that updates it, if the server has it", async (form, path, line) => {
  await using server = stubServer({ [`HEAD ${path}`]: new Response() });
  expect(await said("99.0.0", form, server.url)).toEndWith(`Update: ${line.replace("URL", server.url)}\n`);
  await using without = stubServer({});
  expect(await said("99.0.0", form, without.url)).toEndWith("Ask the operator for that version of the command.\n");
});
