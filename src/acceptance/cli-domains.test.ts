import { afterAll, beforeAll, expect, test } from "bun:test";
import { runCli } from "../cli/testing/run-cli.ts";
import { zipOf } from "./testing/archives.ts";
import { type DomainsServer, startDomainsServer } from "./testing/domains.ts";

let vitrine: DomainsServer;
let env: Record<string, string>;

beforeAll(async () => {
  vitrine = await startDomainsServer();
  const { token } = await vitrine.signUp("ada");
  await vitrine.deploy(token, await zipOf({ "index.html": "<h1>shop</h1>" }), { site: "boutique" });
  env = { VITRINE_SERVER: vitrine.baseUrl, VITRINE_TOKEN: token, XDG_CONFIG_HOME: "/nowhere" };
});
afterAll(async () => {
  await vitrine?.[Symbol.asyncDispose]();
});

/** Advances the clock first, so that the command does not get the result of an earlier check. */
function domains(...args: string[]) {
  vitrine.advance(1001);
  return runCli(["domains", ...args], env);
}

/** Checks a claim until the command shows a text. On a busy machine, a check may run out of time. */
async function checkUntil(text: string, ...claim: readonly string[]) {
  for (let again = 0; ; again++) {
    const checked = await domains("check", ...claim);
    if (again === MAX_CHECKS || checked.stdout.includes(text)) return checked;
  }
}
const MAX_CHECKS = 5;

test("a domain is added, explained step by step until it is connected, and removed", async () => {
  const added = await domains("add", "boutique", "www.shop.example");
  const [, name = "", value = ""] = /^(\S+) TXT (token=\S+)\n$/.exec(added.stdout) ?? [];
  expect({ name, stderr: added.stderr }).toEqual({
    name: "_vitrine-challenge.www.shop.example",
    stderr: expect.stringContaining("vitrine domains check boutique www.shop.example"),
  });
  expect((await domains("add", "boutique", "www.shop.example")).status).toBe(1);

  const notFound = "… The TXT record was not found yet.";
  const unproven = await checkUntil(notFound, "boutique", "www.shop.example");
  expect(unproven.stdout).toContain(notFound);
  expect(unproven.stdout).toContain(`value  ${value}`);

  vitrine.names.zone[`TXT ${name}`] = [value];
  const verified = "✓ Ownership verified by the TXT record";
  const proven = await checkUntil(verified, "boutique");
  expect(proven.stdout).toContain(verified);
  expect(proven.stdout).toMatch(/name {3}www\.shop\.example\n +type {3}A\n +value {2}127\.0\.0\.1\n/);

  vitrine.names.zone["A www.shop.example"] = ["127.0.0.1"];
  const connected = await checkUntil("www.shop.example: connected", "boutique", "www.shop.example");
  expect(connected.stdout).toStartWith("www.shop.example: connected\n");
  expect(await (await vitrine.visitHostname("www.shop.example")).text()).toBe("<h1>shop</h1>");
  expect((await domains("list", "boutique")).stdout).toMatch(/www\.shop\.example +connected +verified +direct/);

  const operator = ["users", "remove", "ada", "--with-sites", "--data-dir", vitrine.config.dataDir];
  expect(await runCli(operator)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("boutique has the custom domain www.shop.example: nothing was removed"),
  });
  expect(await (await vitrine.visitHostname("www.shop.example")).text()).toBe("<h1>shop</h1>");

  expect((await domains("remove", "boutique", "www.shop.example")).status).toBe(0);
  expect((await domains("remove", "boutique", "other.example")).stderr).toContain("vitrine domains add boutique");
});

test("a hostname that cannot be claimed is refused with the server's error", async () => {
  const { status, stderr } = await domains("add", "boutique", "boutique.localhost");
  expect(status).toBe(1);
  expect(stderr).toStartWith("error: ");
});
