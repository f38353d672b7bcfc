import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLocalAccount, signIn } from "../acceptance/testing/accounts.ts";
import { zipOf } from "../acceptance/testing/archives.ts";
import { HOUR } from "../domain/timestamp.ts";
import { openTestApi, type TestApi } from "./testing/test-api.ts";

/** Expects that an action succeeds twice within an hour, fails the third time, and succeeds an hour later. */
async function expectTwoAnHour(api: TestApi, act: (time: number) => Promise<Response>, done: number) {
  expect([(await act(1)).status, (await act(2)).status]).toEqual([done, done]);
  const refused = await act(3);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(3000, 3601);
  api.advance(HOUR);
  expect((await act(4)).status).toBe(done);
}

describe("every rate limit in the store can be configured", () => {
  const NAMES = ["sign-in", "user-code", "device", "token", "claim", "deploy", "owner-deploy"];
  let api: TestApi;
  let token: string;
  let archive: Uint8Array;

  beforeAll(async () => {
    const rates = Object.fromEntries(NAMES.map((name) => [`${name}-rate`, "2/h"]));
    api = await openTestApi({ ...rates, "routing-targets": "A:203.0.113.7", "dns-resolvers": "127.0.0.1:1" });
    token = (await api.signUp("ada")).token;
    archive = await zipOf({ "index.html": "hello" });
    expect((await api.deploy(token, archive, { site: "demo" })).status).toBe(201);
    await addLocalAccount(api, "grace");
    api.advance(HOUR);
  });
  afterAll(() => api?.[Symbol.asyncDispose]());

  test("sign-ins", async () => {
    const browser = api.browser();
    const attempt = () => browser.submit("/sign-in", { login: "grace", password: "wrong" });
    await expectTwoAnHour(api, attempt, 401);
  });

  test("wrong codes of devices", async () => {
    const browser = await signIn(api, "grace", api.browser());
    await expectTwoAnHour(api, () => browser.get("/device?user_code=BBBB-BBBB"), 404);
  });

  test("device authorizations", async () => {
    await expectTwoAnHour(api, () => api.call("POST", "/auth/device", { json: {} }), 200);
  });

  test("tokens", async () => {
    const json = { site_name: "demo" };
    await expectTwoAnHour(api, () => api.call("POST", "/tokens", { token, json }), 201);
  });

  test("claims of domains, with the limit in the error", async () => {
    const claim = (time: number) =>
      api.call("POST", "/sites/demo/domains", { token, json: { hostname: `n${time}.example.org` } });
    await expectTwoAnHour(api, claim, 201);
    await claim(5);
    const { detail } = (await (await claim(6)).json()) as { detail: string };
    expect(detail).toBe("too many claims: at most 5 a minute and 2 an hour can be made");
  });

  test("uploads of an owner count for all credentials, including refused archives", async () => {
    api.advance(HOUR);
    const ci = (await api.mintDeploymentToken("demo")).token;
    expect((await api.deploy(token, new TextEncoder().encode("no archive"), { site: "demo" })).status).toBe(400);
    expect((await api.deploy(ci, archive, { site: "demo" })).status).toBe(201);
    for (const credential of [token, ci]) {
      const refused = await api.deploy(credential, archive, { site: "demo" });
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { detail: "too many deployments of this owner's sites: try again later" },
      ]);
    }
    api.advance(HOUR);
    expect((await api.deploy(token, archive, { site: "demo" })).status).toBe(201);
  });
});

test("uploads with a deployment token have a separate limit for each token", async () => {
  await using api = await openTestApi({ "deploy-rate": "2/h" });
  const archive = await zipOf({ "index.html": "hello" });
  const { token } = await api.signUp("ada");
  for (let time = 0; time < 4; time++) {
    expect((await api.deploy(token, archive, { site: "demo" })).status).toBe(201);
  }
  const [one, other] = [await api.mintDeploymentToken("demo"), await api.mintDeploymentToken("demo")];
  await expectTwoAnHour(api, () => api.deploy(one.token, archive, { site: "demo" }), 201);
  expect((await api.deploy(other.token, archive, { site: "demo" })).status).toBe(201);
});
