import { expect, test } from "bun:test";
import { optionOf } from "./command.ts";
import { runCli } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

test.each([
  ["expires_in", ["--name", "--expires-in"], "--expires-in"],
  ["expires_in", ["--expires"], "--expires"],
  ["X-Service-Expires", ["--preview", "--expires"], "--expires"],
  ["X-Service-Alias", ["--preview", "--expires"], "--preview"],
  ["target.alias", ["--alias"], "--alias"],
  ["target.deployment_number", ["--deployment"], "--deployment"],
  ["events.0", ["--events"], "--events"],
  ["provider_login", ["--json"], null],
  ["", ["--json"], null],
])("the field %j is set by the first of %j that fits: %j", (field, options, expected) => {
  expect(optionOf(field, options)).toBe(expected);
});

test.each([
  ["tokens", "POST /tokens", ["tokens", "create", "demo", "--expires-in", "soon"], "--expires-in"],
  ["aliases", "PUT /sites/demo/aliases/x", ["aliases", "set", "demo", "x", "3", "--expires", "soon"], "--expires"],
])("%s names the option of an invalid value", async (_command, route, args, option) => {
  const detail = [{ loc: ["body", "expires_in"], msg: "Send a duration", type: "duration" }];
  await using server = stubServer({ [route]: Response.json({ detail }, { status: 422 }) });
  const { status, stderr } = await runCli([...args, "--token", "t", "--server", server.url], {
    XDG_CONFIG_HOME: "/nowhere",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: `error: ${option}: Send a duration\n` });
});

test.each([
  [
    ["sites", "tag", "demo", "Client"],
    "PUT /sites/demo/tags",
    ["body", "tags", 0],
    "send the tag in lower case: client",
  ],
  [["explain", "demo", "about"], "GET /sites/demo/explain", ["query", "path"], "a path begins with /"],
])("vitrine %j does not name the API's field, which it has no option for", async (args, route, loc, msg) => {
  await using server = stubServer({ [route]: Response.json({ detail: [{ loc, msg }] }, { status: 422 }) });
  const { stderr } = await runCli([...args, "--token", "t", "--server", server.url], { XDG_CONFIG_HOME: "/nowhere" });
  expect(stderr).toBe(`error: ${msg}\n`);
});
