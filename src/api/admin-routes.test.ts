import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { DomainError } from "../domain/errors.ts";
import { addSite } from "../storage/contract/people.ts";
import { routes } from "./routes/routes.ts";
import { openTestApi } from "./testing/test-api.ts";

const OPERATIONS = routes
  .filter(({ path }) => path.startsWith("/admin/"))
  .map(({ method, path, params }) => {
    const unknown = path.replace(/:(\w+)/g, (_, name: string) => (params?.properties[name] ? "4711" : "not-there"));
    return [`${method} ${path}`, method, unknown] as const;
  });

const api = await openTestApi();
const closed = await openTestApi({ admin: "off" });
afterAll(async () => {
  for (const opened of [api, closed]) await opened[Symbol.asyncDispose]();
});

test("every operation below /admin is one of operators, and no other is", () => {
  const ofOperators = routes.filter(({ auth }) => auth === "operator").map(({ method, path }) => `${method} ${path}`);
  expect<readonly string[]>(OPERATIONS.map(([name]) => name)).toEqual(ofOperators);
});

test("an audit log that cannot be read is an error, and no CSV that breaks off", async () => {
  const { token, user } = await api.signUp("root");
  await api.store.users.setOperator(user.id, true);
  using _ = spyOn(api.store.audit, "list").mockRejectedValue(new DomainError("unavailable", "it is away"));
  expect((await api.call("GET", "/admin/audit?format=csv", { token })).status).toBe(503);
});

test("the owner of a site learns neither who the operator is that changes it, nor their IP address", async () => {
  const operator = await api.signUp("warden");
  await api.store.users.setOperator(operator.user.id, true);
  const owner = await api.signUp("lena");
  await addSite(api.store, "lenas", owner.user.id, false);
  const json = { frozen: { reason: "phishing" } };
  await api.call("PATCH", "/admin/sites/lenas", { token: operator.token, json });
  for (const path of ["/sites/lenas/audit", "/audit"]) {
    const seen = await (await api.call("GET", path, { token: owner.token })).json();
    expect(seen).toMatchObject([{ kind: "operator", actor: "", address: "", summary: "Froze the site" }]);
  }
  const kept = await (await api.call("GET", "/admin/audit?site=lenas", { token: operator.token })).json();
  expect(kept).toMatchObject([{ actor: "warden", address: "127.0.0.1" }]);
});

test("a transfer ends what the former owner set up, except what the operator keeps, and says how much", async () => {
  const operator = await api.signUp("ruth");
  await api.store.users.setOperator(operator.user.id, true);
  const former = await api.signUp("fred");
  const heir = await api.signUp("hana");
  await addSite(api.store, "given", former.user.id, true);
  const { token: minted } = await api.mintDeploymentToken("given");
  const add = async (what: string, json: object) => {
    const added = await api.call("POST", `/sites/given/${what}`, { token: former.token, json });
    expect(added.status).toBe(201);
  };
  for (const label of ["a client", "a reviewer"]) await add("shares", { label, kind: "link" });
  await add("webhooks", { url: "https://hooks.example.org/" });
  await add("publishers", { provider: "github", repository: "octo/blog", permission: "preview" });
  const transfer = (json: object) =>
    api.call("POST", "/admin/sites/given/transfer", { token: operator.token, json: { login: "hana", ...json } });
  for (const keep of [["everything"], ["shares", "shares"], "shares"])
    expect((await transfer({ keep })).status).toBe(422);

  const given = await transfer({ keep: ["webhooks"] });
  expect([given.status, await given.json()]).toEqual([
    200,
    expect.objectContaining({
      name: "given",
      owner: "hana",
      ended: { tokens: 1, shares: 2, webhooks: 0, publishers: 1 },
    }),
  ]);
  expect((await api.call("GET", "/sites/given/deployments", { token: minted })).status).toBe(401);
  const left = async (what: string) =>
    ((await (await api.call("GET", `/sites/given/${what}`, { token: heir.token })).json()) as object[]).length;
  expect([await left("shares"), await left("webhooks"), await left("publishers")]).toEqual([0, 1, 0]);
  const activity = await api.call("GET", "/sites/given/audit?limit=1", { token: heir.token });
  expect(await activity.json()).toMatchObject([
    { summary: "Transferred the site to hana, and ended 1 token, 2 shares, 1 publisher" },
  ]);
});

describe("of names that do not exist, everybody else learns nothing", () => {
  let credentials: readonly string[];

  beforeAll(async () => {
    const { token, user } = await api.signUp("eve");
    await addSite(api.store, "eves", user.id, false);
    credentials = [token, (await api.mintDeploymentToken("eves")).token];
  });

  // What is wrong with the request is not said either.
  test.each(OPERATIONS)("%s", async (_, method, path) => {
    for (const token of credentials) {
      const refused = await api.call(method, `${path}?limit=-1`, { token, ...(method === "GET" ? {} : { body: "{" }) });
      const { detail } = (await refused.json()) as { detail: string };
      expect([refused.status, detail]).toEqual([403, expect.stringContaining("operator permission is required")]);
    }
    expect((await api.call(method, path)).status).toBe(401);
  });
});

describe("with --admin off an operator gets 404", () => {
  let operator: string;

  beforeAll(async () => {
    const { token, user } = await closed.signUp("root");
    await closed.store.users.setOperator(user.id, true);
    operator = token;
  });

  test.each(OPERATIONS)("%s", async (_, method, path) => {
    expect((await closed.call(method, path, { token: operator })).status).toBe(404);
    expect((await closed.call(method, path)).status).toBe(404);
  });
});
