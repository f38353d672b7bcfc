import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import { addPerson } from "../storage/contract/people.ts";
import { temporaryStore } from "../storage/sqlite/testing/temporary-store.ts";
import { attachConnection } from "./connection.ts";
import { mount } from "./mount.ts";
import type { RoutePorts } from "./ports.ts";
import { pageRoute, reply, route } from "./route.ts";
import { CONNECTION, openTestApi, type TestApi } from "./testing/test-api.ts";

describe("a route", () => {
  const store = temporaryStore();
  const reported: unknown[] = [];
  const ports = {
    store,
    clock: { now: () => 7 },
    report: (error: unknown) => reported.push(error),
  } as Partial<RoutePorts>;
  const owner = addPerson(store, "ada");
  const common = { tag: "", summary: "", auth: "public" } as const;
  const app = mount(
    [
      route({
        ...common,
        endpoint: "GET /talkative",
        response: { 200: t.Object({ name: t.String() }) },
        handler: () => ({ name: "ada", passwordHash: "secret" }),
      }),
      route({
        ...common,
        endpoint: "GET /wrong",
        response: { 200: t.Object({ name: t.Unsafe<number>(t.String()) }) },
        handler: () => ({ name: 7 }),
      }),
      route({
        ...common,
        endpoint: "POST /sites/:name/things/:number",
        operation: "activate",
        params: { number: t.Integer() },
        response: { 201: t.Object({ id: t.Integer() }) },
        audit: "Made a thing",
        handler: async () =>
          reply({ id: 3 }, { headers: { location: "/things/3" }, audit: { thing_id: "3" }, madeBy: await owner }),
      }),
      route({ ...common, endpoint: "DELETE /silent", audit: "Nothing", handler: async () => {} }),
      route({
        ...common,
        endpoint: "PUT /aliases/:alias",
        audit: "Moved an alias",
        handler: async () => reply(undefined, { audit: { to: "2", alias: "pr-7" }, madeBy: await owner }),
      }),
      route({
        ...common,
        endpoint: "GET /backups/:status",
        params: { status: t.Integer() },
        audit: "Downloaded a backup",
        handler: async ({ params }) => reply(new Response(null, { status: params.status }), { madeBy: await owner }),
      }),
      pageRoute("POST /links/:code", async () => reply(new Response("done"), { madeBy: await owner }), "Used a link"),
    ],
    ports as RoutePorts,
  );

  function call(method: string, path: string): Promise<Response> {
    const request = new Request(`http://localhost${path}`, { method });
    attachConnection(request, CONNECTION);
    return app.handle(request);
  }

  async function records(): Promise<readonly Partial<AuditEntry>[]> {
    const kept = await store.audit.list({}, { limit: 10, before: null });
    return kept.map(({ at, actor, action, site, subject }) => ({ at, actor, action, site, subject }));
  }

  beforeEach(() => {
    reported.length = 0;
  });

  test("sends only the properties of its response schema", async () => {
    expect(await (await call("GET", "/talkative")).json()).toEqual({ name: "ada" });
  });

  test("with a response that does not match its schema is an internal error", async () => {
    const response = await call("GET", "/wrong");
    expect([response.status, await response.json()]).toEqual([500, { detail: "internal error" }]);
    expect(reported).toHaveLength(1);
  });

  test("responds with the status of its schema and the headers of the reply, and 204 without a schema", async () => {
    const created = await call("POST", "/sites/blog/things/2");
    expect([created.status, created.headers.get("location"), await created.json()]).toEqual([
      201,
      "/things/3",
      { id: 3 },
    ]);
    const silent = await call("DELETE", "/silent");
    expect([silent.status, await silent.text()]).toEqual([204, ""]);
  });

  test("records who changed what, without secret codes, and nothing for refused requests", async () => {
    await call("POST", "/links/secret");
    await call("DELETE", "/silent");
    expect(await records()).toEqual([
      { at: 7, actor: "ada", action: "POST /links/:code", site: null, subject: "" },
      {
        at: 7,
        actor: "ada",
        action: "POST /sites/:name/things/:number",
        site: "blog",
        subject: "thing_id=3 number=2",
      },
    ]);
  });

  test("records a download of which something was sent", async () => {
    const before = (await records()).length;
    for (const status of [304, 416]) expect((await call("GET", `/backups/${status}`)).status).toBe(status);
    expect(await records()).toHaveLength(before);
    for (const status of [200, 206]) expect((await call("GET", `/backups/${status}`)).status).toBe(status);
    expect((await records()).slice(0, 2).map(({ subject }) => subject)).toEqual(["status=206", "status=200"]);
  });

  test("records the subject of its handler before the parameters of the path, which it overrides", async () => {
    await call("PUT", "/aliases/PR%207");
    expect((await records())[0]).toMatchObject({ subject: "to=2 alias=pr-7" });
  });

  test.each([
    ["it cannot be added", () => spyOn(store.audit, "append")],
    ["the site cannot be read", () => spyOn(store.sites, "find")],
  ])("reports an audit record that cannot be written, and responds as usual: %s", async (_, failing) => {
    using method = failing();
    method.mockRejectedValue(new Error("the disk is full"));
    expect((await call("POST", "/sites/blog/things/2")).status).toBe(201);
    expect(reported).toEqual([new Error("the disk is full")]);
  });
});

describe("the base host", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test.each([
    ["PUT", "/sites", "GET, HEAD"],
    ["PATCH", "/sites/blog", "DELETE"],
    ["OPTIONS", "/tokens", "POST, GET, HEAD"],
    ["GET", "/deploy", "POST"],
  ])("%s %s is 405 and allows %s", async (method, path, allowed) => {
    const response = await api.call(method, path);
    const detail = `method not allowed: ${path} takes ${allowed}`;
    expect([response.status, response.headers.get("allow"), await response.json()]).toEqual([405, allowed, { detail }]);
  });

  test.each(["/none", "/sites/blog/none", "/SITES", "/sites//deployments"])("%s is 404", async (path) => {
    const response = await api.call("GET", path);
    expect([response.status, await response.json()]).toEqual([404, { detail: `there is nothing at ${path}` }]);
  });

  test("every response forbids content sniffing, frames, caching and other origins", async () => {
    for (const path of ["/version", "/none", "/sites", "/sign-in", "/device", "/auth/me/"]) {
      const { headers } = await api.call(path.endsWith("/") ? "DELETE" : "GET", path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
      });
    }
  });

  test("HEAD has the status and headers of GET", async () => {
    const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => api.call(method, "/version")));
    expect([head?.status, Object.fromEntries(head?.headers ?? [])]).toEqual([
      200,
      Object.fromEntries(get?.headers ?? []),
    ]);
  });
});
