import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import type { ClaimResponse } from "../acceptance/testing/domains.ts";
import { openTestApi } from "./testing/test-api.ts";

const api = await openTestApi({ "routing-targets": "A:127.0.0.1", "dns-resolvers": "127.0.0.1:1" });
const owner = (await api.signUp("ada")).token;
await deploy(owner, {});
await deploy(owner, {});
const site = (await api.store.sites.find("demo"))!;
afterAll(() => api[Symbol.asyncDispose]());

async function deploy(token: string, headers: Record<string, string>): Promise<Response> {
  return api.deploy(token, await zipOf({ "index.html": crypto.randomUUID() }), { site: "demo", headers });
}

const setAlias = (token: string, alias: string, deployment_number: number) =>
  api.call("PUT", `/sites/demo/aliases/${alias}`, { token, json: { deployment_number } });

async function tokenFor(permission: string): Promise<string> {
  const json = { site_name: "demo", permission };
  return ((await (await api.call("POST", "/tokens", { token: owner, json })).json()) as { token: string }).token;
}

async function claim(alias: string): Promise<ClaimResponse> {
  const json = { hostname: `${alias}.example.org`, target: { alias } };
  return (await (await api.call("POST", "/sites/demo/domains", { token: owner, json })).json()) as ClaimResponse;
}

test("a credential for previews neither moves nor removes an alias that a custom domain shows", async () => {
  const preview = await tokenFor("preview");
  const publish = await tokenFor("publish");
  await setAlias(owner, "beta", 1);
  await setAlias(owner, "pr-1", 1);
  const { id } = await claim("beta");
  const attempts = (token: string, alias: string) => [
    () => setAlias(token, alias, 2),
    () => deploy(token, { "X-Service-Alias": alias }),
    () => api.call("DELETE", `/sites/demo/aliases/${alias}`, { token }),
  ];
  for (const attempt of attempts(preview, "Beta")) {
    const refused = await attempt();
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        detail:
          "credential cannot deploy this site: with the permission preview it cannot change the alias beta, because the custom domain beta.example.org shows it",
      },
    ]);
  }
  expect(await api.store.previews.listAliases(site.id)).toMatchObject([
    { name: "beta", deploymentNumber: 1 },
    { name: "pr-1", deploymentNumber: 1 },
  ]);
  for (const attempt of attempts(preview, "pr-1")) expect((await attempt()).ok).toBe(true);
  for (const token of [publish, owner]) {
    for (const attempt of attempts(token, "beta")) expect((await attempt()).ok).toBe(true);
  }
  await api.call("DELETE", `/sites/demo/domains/${id}`, { token: owner });
  for (const attempt of attempts(preview, "beta")) expect((await attempt()).ok).toBe(true);
});
