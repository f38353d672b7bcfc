import { afterAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

const server = await openTestApi();
const token = (await server.signUp("owner")).token;
await server.deploy(token, await zipOf({ "index.html": "x" }), { site: "diary", access: "private" });
afterAll(() => server[Symbol.asyncDispose]());

interface ValidationError {
  readonly detail: readonly { readonly loc: readonly unknown[]; readonly msg: string; readonly type: string }[];
}

async function expectValidationError(response: Response, ...loc: string[]): Promise<void> {
  expect(response.status).toBe(422);
  const { detail } = (await response.json()) as ValidationError;
  expect(detail[0]).toEqual({ loc: expect.anything(), msg: expect.any(String), type: expect.any(String) });
  expect(detail[0]?.loc.slice(0, loc.length)).toEqual(loc);
}

describe("JSON of the wrong type", () => {
  const site_name = "diary";
  test.each<[string, string, unknown, string[]]>([
    ["POST", "/tokens", {}, ["body", "site_name"]],
    ["POST", "/tokens", { site_name: 5 }, ["body", "site_name"]],
    ["POST", "/tokens", { site_name: null }, ["body", "site_name"]],
    ["POST", "/tokens", { site_name: ["diary"] }, ["body", "site_name"]],
    ["POST", "/tokens", { site_name, name: 5 }, ["body", "name"]],
    ["POST", "/tokens", { site_name, name: null }, ["body", "name"]],
    ["POST", "/tokens", { site_name, name: "" }, ["body", "name"]],
    ["POST", "/tokens", { site_name, name: "x".repeat(101) }, ["body", "name"]],
    ["POST", "/tokens", { site_name, name: "a\u0007b" }, ["body", "name"]],
    ["POST", "/tokens", { site_name, name: "a\ud800" }, ["body", "name"]],
    ["POST", "/tokens", [], ["body"]],
    ["POST", "/tokens", "text", ["body"]],
    ["POST", "/tokens", null, ["body"]],
    ["POST", "/sites/diary/access/readers", {}, ["body", "provider_login"]],
    ["POST", "/sites/diary/access/readers", { provider_login: 5 }, ["body", "provider_login"]],
    ["POST", "/sites/diary/access/readers", { provider_login: null }, ["body", "provider_login"]],
    ["POST", "/sites/diary/access/readers", { provider_login: {} }, ["body", "provider_login"]],
    ["POST", "/sites/diary/domains", { hostname: 5 }, ["body", "hostname"]],
    ["POST", "/sites/diary/domains", {}, ["body", "hostname"]],
    ["PUT", "/sites/diary/retention", { keep_last: "1", keep_days: null }, ["body", "keep_last"]],
    ["PUT", "/sites/diary/previews", { unknown: 1 }, ["body"]],
  ])("%s %s with %j is 422 and names the field", async (method, path, json, loc) => {
    await expectValidationError(await server.call(method, path, { token, json }), ...loc);
  });

  // One character that takes two UTF-16 code units.
  test.each(["x", "é", "名", "🏷", "𝒶"])(
    "a name has up to 100 characters, regardless of their encoding: %s",
    async (character) => {
      const names = [character.repeat(100), character.repeat(101)];
      const create = (name: string) => server.call("POST", "/tokens", { token, json: { site_name, name } });
      const start = (client_name: string) => server.call("POST", "/auth/device", { json: { client_name } });
      for (const [ask, field, status] of [
        [create, "name", 201],
        [start, "client_name", 200],
      ] as const) {
        const [fits, refused] = await Promise.all(names.map(ask));
        expect(fits?.status).toBe(status);
        await expectValidationError(refused as Response, "body", field);
      }
    },
  );

  test.each<[string, RequestInit["body"], string | null]>([
    ["broken JSON", '{"site_name":', "application/json"],
    ["no JSON at all", "site_name=diary", "application/x-www-form-urlencoded"],
    ["JSON that says it is text", '{"site_name":"diary"}', "text/plain"],
    ["nothing", null, null],
    ["a field that hides behind a prototype", '{"__proto__":{"site_name":"diary"}}', "application/json"],
    ["a field that nests deeply", `{"site_name":${"[".repeat(5000)}${"]".repeat(5000)}}`, "application/json"],
  ])("%s is 422", async (_what, body, type) => {
    const headers = type === null ? {} : { "Content-Type": type };
    expect((await server.call("POST", "/tokens", { token, body, headers })).status).toBe(422);
  });
});

describe("a body that is not UTF-8 is 400 and creates nothing", () => {
  const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const JSON_TYPE = "application/json";
  test.each([
    ["a lone byte of a longer character", "POST", "/tokens", '{"site_name":"diary","name":"a\xff"}', JSON_TYPE],
    ["an overlong slash", "POST", "/tokens", '{"site_name":"diary","name":"a\xc0\xaf"}', JSON_TYPE],
    ["a surrogate", "POST", "/tokens", '{"site_name":"diary","name":"\xed\xa0\x80"}', JSON_TYPE],
    ["an end within a character", "POST", "/sites/diary/domains", '{"hostname":"a.test"}\xe2\x82', JSON_TYPE],
    ["a form", "POST", "/auth/device", "client_name=\xff", "application/x-www-form-urlencoded"],
  ])("%s", async (_what, method, path, text, type) => {
    const before = await server.call("GET", "/tokens", { token }).then((response) => response.text());
    const response = await server.call(method, path, { token, body: bytes(text), headers: { "Content-Type": type } });
    expect([response.status, await response.json()]).toEqual([400, { detail: "the body is not valid UTF-8" }]);
    expect(await server.call("GET", "/tokens", { token }).then((after) => after.text())).toBe(before);
  });
});

test("a character may be split over two chunks, and a byte order mark is removed", async () => {
  const bytes = new TextEncoder().encode('\ufeff{"site_name":"diary","name":"caf\u00e9"}');
  const cut = bytes.indexOf(0xc3) + 1;
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.slice(0, cut));
      await new Promise((done) => setImmediate(done));
      controller.enqueue(bytes.slice(cut));
      controller.close();
    },
  });
  const response = await server.call("POST", "/tokens", {
    token,
    body,
    headers: { "Content-Type": "application/json" },
  });
  expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ name: "caf\u00e9" })]);
});

describe("an object with its own toString is 422 and names the field", () => {
  test.each([
    ["POST", "/auth/device", "client_name"],
    ["POST", "/auth/device/token", "device_code"],
    ["POST", "/tokens", "site_name"],
    ["POST", "/tokens", "name"],
    ["POST", "/sites/diary/access/readers", "provider_login"],
    ["POST", "/sites/diary/domains", "hostname"],
    ["POST", "/sites/diary/webhooks", "url"],
    ["PATCH", "/sites/diary/webhooks/any", "url"],
    ["PUT", "/sites/diary/retention", "keep_last"],
  ])("%s %s, %s", async (method, path, field) => {
    for (const value of [{ toString: 1 }, [[{ toString: 1 }]], { valueOf: 1, constructor: { name: 1 } }]) {
      const json = { site_name: "diary", keep_last: 1, keep_days: null, [field]: value };
      await expectValidationError(await server.call(method, path, { token, json }), "body", field);
    }
  });

  test("also without a credential, and in a form", async () => {
    const json = { client_name: { toString: 1 } };
    await expectValidationError(await server.call("POST", "/auth/device", { json }), "body", "client_name");
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const response = await server.call("POST", "/auth/device/token", { body: "toString=1&valueOf=2", headers });
    await expectValidationError(response, "body", "device_code");
  });
});

test("the last value counts for a key that occurs twice in JSON", async () => {
  const headers = { "Content-Type": "application/json" };
  const body = '{"site_name":"diary","name":"first","name":"last","site_name":"diary"}';
  const response = await server.call("POST", "/tokens", { token, body, headers });
  expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ name: "last" })]);
  const broken = await server.call("POST", "/tokens", { token, body: body.replace('"last"', "7"), headers });
  await expectValidationError(broken, "body", "name");
});

describe("an empty body is treated the same with and without a content type", () => {
  const empty = () => new ReadableStream({ start: (controller) => controller.close() });
  test.each([
    ["PUT", "/sites/diary/access", 200],
    ["POST", "/sites/diary/deployments/1/activate", 200],
    ["POST", "/auth/device", 200],
    ["POST", "/auth/device/token", 422],
  ])("%s %s", async (method, path, status) => {
    for (const [body, headers] of [
      [null, {}],
      ["", { "Content-Type": "application/json" }],
      [empty(), {}],
    ] as const) {
      expect((await server.call(method, path, { token, body, headers })).status).toBe(status);
    }
  });
});

test("a path without an id deletes nothing", async () => {
  const response = await server.call("DELETE", "/sites/diary/", { token });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ detail: "there is nothing at /sites/diary/" });
  expect((await server.call("DELETE", "/sites/diary/access/", { token })).status).toBe(404);
  expect(await (await server.call("GET", "/sites/diary/access", { token })).json()).toMatchObject({ private: true });
});

describe("ids that are not integers", () => {
  test.each([
    ["DELETE", "/sites/diary/access/readers/abc", "reader_id"],
    ["DELETE", "/sites/diary/access/readers/1.5", "reader_id"],
    ["DELETE", "/sites/diary/access/readers/1e400", "reader_id"],
    ["DELETE", "/sites/diary/access/readers/%00", "reader_id"],
    ["DELETE", "/auth/sessions/abc", "session_id"],
    ["POST", "/sites/diary/deployments/abc/activate", "deployment_number"],
    ["POST", "/sites/diary/deployments/0/activate", "deployment_number"],
    ["POST", "/sites/diary/deployments/-1/activate", "deployment_number"],
    ["POST", "/sites/diary/deployments/0x1/activate", "deployment_number"],
    ["POST", "/sites/diary/deployments/1e0/activate", "deployment_number"],
    ["POST", "/sites/diary/deployments/%201/activate", "deployment_number"],
    ["GET", "/sites/diary/deployments/x/archive", "deployment_number"],
    ["POST", "/sites/diary/domains/abc/check", "claim_id"],
    ["DELETE", "/sites/diary/domains/abc", "claim_id"],
    ["POST", "/sites/diary/domains/abc/transition/retry", "claim_id"],
  ])("%s %s is 422 and names it", async (method, path, parameter) => {
    await expectValidationError(await server.call(method, path, { token }), "path", parameter);
  });

  test("the error names the parameter as in the specification", async () => {
    await expectValidationError(await server.call("GET", "/sites/%zz/access", { token }), "path", "site_name");
    await expectValidationError(await server.call("GET", "/sites/%zz/deployments", { token }), "path", "name");
  });

  test.each([
    ["/sites/2e3/deployments?limit=2000", "query", "limit"],
    ["/sites/0/deployments?limit=0", "query", "limit"],
    ["/sites/0/deployments?before=2000&limit=2000", "query", "limit"],
    ["/sites/diary/deployments?limit=99999999999999999999", "query", "limit"],
    ["/sites/diary/deployments?limit=9007199254740993", "query", "limit"],
    [`/sites/diary/deployments?before=${"9".repeat(400)}`, "query", "before"],
    ["/sites/diary/deployments?before=-0", "query", "before"],
    ["/sites/diary/retention/preview?keep_last=99999999999999999999", "query", "keep_last"],
    ["/sites/diary/retention/preview?default=maybe", "query", "default"],
    ["/sites/diary/retention/preview?default=1", "query", "default"],
    ["/sites/diary/deployments/-0/archive", "path", "deployment_number"],
    ["/sites/diary/deployments/-99999999999999999999/archive", "path", "deployment_number"],
    ["/sites/0/deployments/0/archive", "path", "deployment_number"],
  ])("%s: the error names the field of the %s that is out of range: %s", async (path, place, field) => {
    await expectValidationError(await server.call("GET", path, { token }), place, field);
  });

  test.each(["2026-11-01T23:30:00-05:00", "2026-11-01T00:00:00Z", "2026-02-31", "2026-11-1", "x"])(
    "%s is not a day, and the error explains the format",
    async (text) => {
      const response = await server.call("GET", `/sites/diary/analytics?from=${text}`, { token });
      const msg = "a day is written as YYYY-MM-DD";
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["query", "from"], msg }] });
    },
  );

  test("days start in the year 0000", async () => {
    const requested = server.call("GET", "/sites/diary/analytics?to=0000-01-05", { token });
    await expectValidationError(await requested, "query", "to");
    const earliest = await server.call("GET", "/sites/diary/analytics?from=0000-01-01&to=0000-01-05", { token });
    expect([earliest.status, await earliest.json()]).toEqual([200, expect.objectContaining({ from: "0000-01-01" })]);
  });

  test("a setup link that cannot be decoded is 404", async () => {
    expect((await server.call("GET", "/setup/%zz")).status).toBe(404);
  });

  test.each(["limit=0", "limit=x", "limit=1.5", "limit=0x5", "limit=05", "before=0", "before="])(
    "?%s is 422 and names it",
    async (query) => {
      const [name = ""] = query.split("=");
      await expectValidationError(
        await server.call("GET", `/sites/diary/deployments?${query}`, { token }),
        "query",
        name,
      );
    },
  );

  test.each([
    ["DELETE", "/sites/diary/access/readers/9007199254740991"],
    ["DELETE", "/sites/diary/access/readers/-1"],
    ["DELETE", "/auth/sessions/0"],
    ["DELETE", "/tokens/nonsense"],
    ["DELETE", "/tokens/%00"],
    ["DELETE", "/tokens/"],
    ["GET", "/sites/__proto__/access"],
    ["GET", "/sites/..%2f..%2fetc/access"],
    ["GET", "/sites/%00/access"],
  ])("%s %s is 404", async (method, path) => {
    expect((await server.call(method, path, { token })).status).toBe(404);
  });
});

test.each<[string, string, unknown, string]>([
  ["PUT", "/sites/diary/retention", { keep_last: 0, keep_days: null }, "Expected integer to be greater or equal to 1"],
  ["PUT", "/sites/diary/retention", { keep_last: 1.5, keep_days: null }, "Expected integer"],
  ["PUT", "/sites/diary/retention", { keep_last: "1", keep_days: null }, "Expected integer"],
  ["POST", "/sites/diary/webhooks", { url: "https://a.example", events: "x" }, "Expected array"],
  [
    "POST",
    "/sites/diary/webhooks",
    { url: "https://a.example", events: [] },
    "Expected array length to be greater or equal to 1",
  ],
  ["POST", "/tokens", { site_name: "diary", name: "a\u0007b" }, "Expected text without control characters"],
  ["POST", "/tokens", { site_name: "diary", name: "a\ud800" }, "Expected text without control characters"],
  ["POST", "/tokens", { site_name: "diary", name: "" }, "Expected 1 to 100 characters"],
  ["POST", "/tokens", { site_name: "diary", name: "🏷".repeat(101) }, "Expected 1 to 100 characters"],
  ["POST", "/tokens", { site_name: "diary", name: 7 }, "Expected string"],
  ["POST", "/sites/diary/deployments/0x1/activate", undefined, "Expected integer"],
])("%s %s with %j gets: %s", async (method, path, json, msg) => {
  const response = await server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  expect(await response.json()).toMatchObject({ detail: [{ msg }] });
});

test("the error for an invalid choice lists the choices", async () => {
  const operator = await server.signUp("operator");
  await server.store.users.setOperator(operator.user.id, true);
  const json = { site_name: "diary", permission: "admin" };
  for (const [loc, msg, requested] of [
    [["body", "permission"], "Expected one of publish, preview", server.call("POST", "/tokens", { token, json })],
    [
      ["query", "format"],
      "Expected one of json, csv",
      server.call("GET", "/admin/audit?format=xml", { token: operator.token }),
    ],
  ] as const) {
    const response = await requested;
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc, msg }] }]);
  }
});

describe("invalid logins", () => {
  test.each(["a\u0000b", "a b", "", "<b>", "../x", "x".repeat(65), "a\u202Eb"])("%j is 400", async (login) => {
    const json = { provider_login: login };
    const response = await server.call("POST", "/sites/diary/access/readers", { token, json });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.stringMatching(/^the provider username is invalid/) });
  });
});

describe("invalid Authorization headers", () => {
  test.each(["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Token abc", "bearer", "Bearer vts_", "vts_abc"])(
    "%j is 401 and requires a Bearer token",
    async (value) => {
      const response = await server.call("GET", "/auth/me", { headers: { Authorization: value } });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    },
  );

  test("an invalid header is not replaced by a cookie", async () => {
    const headers = { Authorization: "Bearer nonsense", Cookie: `vitrine=${token}` };
    expect((await server.call("GET", "/auth/me", { headers })).status).toBe(401);
  });
});

describe("the dashboard's cookie", () => {
  const json = { "Content-Type": "application/json" };

  const cookie = async () => (await server.signUp(`cookie-${crypto.randomUUID()}`)).token;

  test("can read from any origin, and change something only from its own origin", async () => {
    const headers = { Cookie: `vitrine=${await cookie()}` };
    expect((await server.call("GET", "/auth/me", { headers })).status).toBe(200);
    const signOut = (from: Record<string, string>) =>
      server.call("DELETE", "/auth/session", { headers: { ...headers, ...from } });
    for (const from of [
      {},
      { Origin: "null" },
      { Origin: "https://evil.example" },
      { Origin: server.siteUrl("diary") },
      { Origin: `${server.baseUrl}.evil.example` },
      { Origin: server.baseUrl, "Sec-Fetch-Site": "same-site" },
    ] as Record<string, string>[]) {
      expect((await signOut(from)).status).toBe(403);
    }
    expect((await signOut({ Origin: server.baseUrl, "Sec-Fetch-Site": "same-origin" })).status).toBe(204);
    expect((await server.call("GET", "/auth/me", { headers })).status).toBe(401);
  });

  test.each([
    ["forged", () => `vitrine=vts_${"a".repeat(33)}`],
    ["empty", () => "vitrine="],
    ["doubled", (good: string) => `vitrine=${good}; vitrine=${good}`],
    ["doubled by a site's", (good: string) => `vitrine=x; vitrine=${good}`],
    ["of another name", (good: string) => `vitrine-visit=${good}; __Host-vitrine=${good}`],
    ["a deployment token", (_good: string, deploy: string) => `vitrine=${deploy}`],
  ])("is invalid when it is %s", async (_what, forge) => {
    const { token: deploy } = await server.mintDeploymentToken("diary");
    const headers = { ...json, Cookie: forge(await cookie(), deploy), Origin: server.baseUrl };
    expect((await server.call("GET", "/auth/me", { headers })).status).toBe(401);
    expect((await server.call("POST", "/tokens", { headers, json: { site_name: "diary" } })).status).toBe(401);
    server.advance(15 * 60_000);
  });
});

test("sites have no CORS access to the API", async () => {
  const headers = { Origin: server.siteUrl("diary"), "Access-Control-Request-Method": "POST" };
  for (const method of ["GET", "POST", "OPTIONS"]) {
    const response = await server.call(method, "/tokens", { headers });
    for (const name of ["access-control-allow-origin", "access-control-allow-credentials"]) {
      expect(response.headers.get(name)).toBeNull();
    }
  }
});

test("users list and revoke their own sessions", async () => {
  const { token: mine } = await server.signUp("with-two-sessions");
  const list = async () =>
    (await (await server.call("GET", "/auth/sessions", { token: mine })).json()) as {
      id: number;
      current: boolean;
      client_name: string;
    }[];
  const [session] = await list();
  expect(await list()).toEqual([expect.objectContaining({ current: true, client_name: "test" })]);
  expect((await server.call("DELETE", `/auth/sessions/${session?.id}`, { token })).status).toBe(404);
  expect((await server.call("DELETE", `/auth/sessions/${session?.id}`, { token: mine })).status).toBe(204);
  expect((await server.call("GET", "/auth/me", { token: mine })).status).toBe(401);
});
