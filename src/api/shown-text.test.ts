import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

const server = await openTestApi();
const owner = (await server.signUp("owner")).token;
await server.deploy(owner, await zipOf({ "index.html": "x" }), { site: "diary", access: "private" });
const made = await server.signUp("operator");
await server.store.users.setOperator(made.user.id, true);
const operator = made.token;
afterAll(() => server[Symbol.asyncDispose]());

const publisher = { provider: "github", repository: "acme/site", ref: "refs/heads/main", permission: "publish" };

/** Every text that a client gives, and that the server shows to others. */
const PLACES: readonly [what: string, send: (text: string) => Promise<Response>][] = [
  ["the name of a token", (name) => sent("POST", "/tokens", { site_name: "diary", name })],
  ["the label of a share", (label) => sent("POST", "/sites/diary/shares", { label, kind: "link" })],
  ["a tag", (tag) => sent("PUT", "/sites/diary/tags", { tags: [tag] })],
  ["the name of a device", (client_name) => sent("POST", "/auth/device", { client_name })],
  ["the URL of a webhook", (text) => sent("POST", "/sites/diary/webhooks", { url: `https://a.example/${text}` })],
  ...["repository", "workflow", "ref", "environment"].map((field): (typeof PLACES)[number] => [
    `the ${field} of a publisher`,
    (text) => sent("POST", "/sites/diary/publishers", { ...publisher, [field]: text }),
  ]),
  ...["Message", "Commit", "Ref"].map((field): (typeof PLACES)[number] => [
    `the ${field} of a deployment`,
    async (text) => {
      const headers = { [`X-Service-${field}`]: encodeURIComponent(text) };
      return server.deploy(owner, await zipOf({ "index.html": text }), { site: "diary", headers });
    },
  ]),
  ["the reason of a site's freeze", (reason) => sent("PATCH", "/admin/sites/diary", { frozen: { reason } }, operator)],
  ["the reason of a user's freeze", (reason) => sent("PATCH", "/admin/users/owner", { frozen: { reason } }, operator)],
  ["the name of a user", (name) => sent("PATCH", "/admin/users/owner", { name }, operator)],
  ["the name of an invited user", (name) => sent("POST", "/admin/users", { login: "guest", name }, operator)],
];

function sent(method: string, path: string, json: object, token = owner): Promise<Response> {
  return server.call(method, path, { token, json });
}

test.each(PLACES)("%s holds no character that controls the text around it", async (_what, send) => {
  for (const character of "\n\u0007\u001b\u007f\u009b\u061c\u200f\u2028\u202e\u2066") {
    const answer = await send(`a${character}b`);
    expect([character, [400, 422].includes(answer.status), await answer.text()]).toEqual([
      character,
      true,
      expect.stringMatching(/control characters/),
    ]);
  }
});

test("the activity shows an alias by its label, however it was written", async () => {
  const json = { deployment_number: 1 };
  await sent("PUT", "/sites/diary/aliases/pr-1", json);
  const removed = await server.call("DELETE", `/sites/diary/aliases/${encodeURIComponent("PR\u202e1")}`, {
    token: owner,
  });
  expect(removed.status).toBe(204);
  const activity = await server.call("GET", "/sites/diary/audit", { token: owner });
  expect(await activity.json()).toMatchObject([{ summary: "Removed the alias pr-1" }, {}, {}]);
});
