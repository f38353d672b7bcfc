import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { startTestServer } from "../acceptance/testing/test-server.ts";
import { runCli } from "./testing/run-cli.ts";

const server = await startTestServer({ workers: "1" });
const { token } = await server.signUp("ada");
await server.deploy(token, await zipOf({ "index.html": "hello" }), { site: "hello", access: "private" });
const env = {
  VITRINE_SERVER: server.baseUrl.replace("localhost", "127.0.0.1"),
  VITRINE_TOKEN: token,
  XDG_CONFIG_HOME: "/nowhere",
};
afterAll(() => server[Symbol.asyncDispose]());

const cli = async (...args: string[]) => {
  const result = await runCli(args, env);
  expect(result.stderr).not.toContain("✗");
  return result;
};

test("tags are set, listed and removed", async () => {
  expect((await cli("sites", "tag", "hello", "client", "docs")).stderr).toContain("hello has the tags client, docs.");
  expect((await cli("sites", "list", "--tag", "client", "--long")).stdout).toMatch(/TAGS +client, docs/);
  expect((await cli("sites", "list", "--tag", "other")).stderr).toContain("No site has the tag other.");
  expect(JSON.parse((await cli("sites", "tag", "hello", "--clear", "--json")).stdout).tags).toEqual([]);
  const [neither, both] = [["hello"], ["hello", "client", "--clear"]];
  for (const words of [neither, both]) expect((await runCli(["sites", "tag", ...words], env)).status).toBe(2);
});

test("shares are created, listed and revoked", async () => {
  const created = await cli("shares", "create", "hello", "--label", "The client", "--expires-in", "14d");
  expect(created.stdout).toStartWith(`${server.siteUrl("hello")}/.vitrine/enter?share=vtv_`);
  expect(created.stderr).toContain("Everybody with this link can see the site. Save it now");
  const [share] = JSON.parse((await cli("shares", "list", "hello", "--json")).stdout);
  expect((await cli("shares", "list", "hello")).stdout).toMatch(/The client +link/);
  expect((await cli("shares", "revoke", "hello", share.id)).stderr).toContain("Revoked the share");
  expect((await cli("shares", "list", "hello")).stderr).toContain("No shares.");
});

test("a share for scripts has a token", async () => {
  const { stdout } = await cli("shares", "create", "hello", "--deployment", "1", "--automation");
  const headers = { Authorization: `Bearer ${stdout.trim()}` };
  expect((await server.visit("1--hello", "/", { headers })).status).toBe(200);
});

test("the message about a share names what it shows", async () => {
  await cli("aliases", "set", "hello", "staging", "1");
  const said = async (...target: string[]) => (await cli("shares", "create", "hello", ...target)).stderr;
  expect(await said("--alias", "staging")).toContain("Everybody with this link can see the preview staging.");
  expect(await said("--deployment", "1")).toContain("Everybody with this link can see deployment 1.");
});

test("an alias is removed, and a missing one only with --if-exists", async () => {
  await cli("aliases", "set", "hello", "pr-7", "1");
  expect((await cli("aliases", "remove", "hello", "pr-7", "--if-exists")).stderr).toContain("Removed the alias pr-7");
  expect((await cli("aliases", "remove", "hello", "pr-7", "--if-exists")).stderr).toContain("hello has no alias pr-7.");
  for (const words of [
    ["hello", "pr-7"],
    ["no-such-site", "pr-7", "--if-exists"],
  ])
    expect((await runCli(["aliases", "remove", ...words], env)).status).toBe(1);
});

test("publishers are added, listed and removed", async () => {
  const ref = ["--github", "octo/blog", "--ref", "refs/heads/main"];
  const added = await cli("publishers", "add", "hello", ...ref);
  expect(added.stderr).toContain("octo/blog may publish hello from CI.");
  expect(added.stderr).toContain("id-token: write");
  expect((await cli("publishers", "list", "hello")).stdout).toMatch(/octo\/blog +publish +refs\/heads\/main/);
  const [publisher] = JSON.parse((await cli("publishers", "list", "hello", "--json")).stdout);
  await cli("publishers", "remove", "hello", publisher.id);
  expect((await cli("publishers", "list", "hello")).stderr).toContain("No publishers.");
});

test("the command for a credential that may only make previews makes one", async () => {
  const token = await cli("tokens", "create", "hello", "--permission", "preview");
  expect(token.stderr).toContain("vitrine deploy FOLDER --site hello --preview NAME --server ");
  const publisher = await cli("publishers", "add", "hello", "--github", "octo/blog", "--preview");
  expect(publisher.stderr).toContain("vitrine deploy FOLDER --site hello --preview --server ");
});

test("a publisher needs a repository", async () => {
  const none = await runCli(["publishers", "add", "hello"], env);
  const two = await runCli(["publishers", "add", "hello", "--github", "a/b", "--gitlab", "a/b"], env);
  expect([none.status, two.status]).toEqual([2, 2]);
});
