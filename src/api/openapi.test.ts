import { afterAll, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { plugin } from "bun";
import { addLocalAccount, signIn } from "../acceptance/testing/accounts.ts";
import { zipOf } from "../acceptance/testing/archives.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import clientStory from "./testing/client-story.txt" with { type: "text" };
import { openTestApi } from "./testing/test-api.ts";

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly security?: unknown[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>;
}

interface Media {
  readonly schema?: { readonly examples?: unknown[]; readonly items?: { readonly examples?: unknown[] } };
  readonly example?: unknown;
}

const server = await openTestApi();
const text = await (await server.call("GET", "/openapi.json")).text();
const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
);
afterAll(() => server[Symbol.asyncDispose]());

test("Redocly's linter finds nothing in /openapi.json", async () => {
  // Tests run on localhost. A server's document has its own base URL.
  const rules = { "no-server-example.com": "off" } as const;
  const config = await createConfig({ extends: ["recommended"], rules });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
});

test.each([
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
  ["gzip", gunzipSync],
] as const)("documents are sent compressed with %s, and only once", async (encoding, decode) => {
  for (const path of ["/openapi.json", "/docs"]) {
    const headers = { "Accept-Encoding": encoding };
    const response = await server.call("GET", path, { headers });
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, encoding]);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    const bytes = await response.bytes();
    expect(bytes.length).toBeLessThan(44_000);
    const whole = await (await server.call("GET", path, { headers: { "Accept-Encoding": "identity" } })).text();
    expect(decode(bytes).toString()).toBe(whole);
    const etag = response.headers.get("etag") ?? "";
    const again = await server.call("GET", path, { headers: { ...headers, "If-None-Match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const other = await server.call("GET", path, { headers: { ...headers, "If-None-Match": '"another"' } });
    expect(other.status).toBe(200);
  }
});

test("the reference page has every operation and every schema", async () => {
  const page = await (await server.call("GET", "/docs")).text();
  const { components } = JSON.parse(text) as { components: { schemas: object } };
  const ids = [
    ...operations.map(([, { operationId }]) => operationId ?? ""),
    ...Object.keys(components.schemas).map((name) => `schema-${name}`),
  ];
  expect(ids.filter((id) => !page.includes(`<div id="${id}"`))).toEqual([]);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id ?? "");
  expect(links.filter((id) => !page.includes(` id="${id}"`))).toEqual([]);
});

test("every operation has a unique summary", () => {
  const summaries = operations.map(([, { summary }]) => summary);
  expect(summaries.filter((summary) => !summary)).toEqual([]);
  expect(new Set(summaries).size).toBe(summaries.length);
});

test("every operation documents its errors: the validation error, and 401 if it needs a credential", () => {
  const lacking = operations.filter(
    ([name, { responses, security }]) =>
      !responses[422] ||
      // A sign-in needs no credential, and its failure is a 401.
      (security?.length === 0 && name !== "post /sign-in/passkey") === (responses[401] !== undefined),
  );
  expect(lacking.map(([name]) => name)).toEqual([]);
});

test("every operation with a body documents the errors for large bodies and invalid text", () => {
  const lacking = operations.filter(
    ([name, { responses }]) => !name.startsWith("get ") && !(responses[413] && responses[400]),
  );
  expect(lacking.map(([name]) => name)).toEqual([]);
});

test("every JSON body of requests, responses and errors has an example", () => {
  const lacking = operations.flatMap(([name, { requestBody, responses }]) => {
    const bodies = [["request", requestBody], ...Object.entries(responses)] as const;
    return bodies.filter(([, body]) => !hasExample(body?.content?.["application/json"])).map(([of]) => `${name} ${of}`);
  });
  expect(lacking).toEqual([]);
});

test.each([
  ["get /sites/{name}/analytics", "200", ["application/json", "text/csv"]],
  ["get /admin/audit", "200", ["application/json", "text/csv"]],
  ["get /admin/backups/{backup_id}/archive", "206", ["application/x-tar"]],
  ["get /admin/backups/{backup_id}/archive", "416", []],
  ["get /vitrine.tgz", "206", ["application/gzip"]],
  ["get /vitrine.tgz", "304", []],
  ["get /download/{file}", "412", []],
] as const)("%s %s documents the media types that are sent", (name, status, types) => {
  const [, operation] = operations.find(([one]) => one === name) ?? [];
  expect(operation?.responses).toHaveProperty(status);
  expect(Object.keys(operation?.responses[status]?.content ?? {})).toEqual([...types]);
});

test("the specification's resources are schemas under their own names", () => {
  const { components } = JSON.parse(text) as { components: { schemas: object } };
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining([
      "ApiUser",
      "CreatedDeploymentTokenResponse",
      "CustomDomainCapabilityResponse",
      "DeploySiteResponse",
      "DeploymentTokenResponse",
      "DomainClaimResponse",
      "ErrorResponse",
      "HTTPValidationError",
      "SiteAccessResponse",
      "SiteDeploymentResponse",
      "SiteReaderResponse",
      "SiteResponse",
    ]),
  );
});

test("names are described with their limits", () => {
  const body = (name: string) => operations.find(([of]) => of === name)?.[1].requestBody?.content["application/json"];
  const bounds = { type: "string", minLength: 1, maxLength: 100 };
  expect(body("post /tokens")?.schema).toMatchObject({
    properties: { name: { ...bounds, default: "Deployment token" } },
  });
  const { components } = JSON.parse(text) as { components: { schemas: object } };
  expect(components.schemas).toMatchObject({ StartDeviceRequest: { properties: { client_name: bounds } } });
});

test("device authorization, token exchange and OAuth accept a form", () => {
  const formed = operations.filter(([, { requestBody }]) => requestBody?.content["application/x-www-form-urlencoded"]);
  expect(formed.map(([name]) => name)).toEqual([
    "post /auth/token",
    "post /auth/device",
    "post /auth/device/token",
    "post /auth/oauth/token",
    "post /auth/oauth/revoke",
  ]);
});

function hasExample(media: Media | undefined): boolean {
  return (
    media === undefined ||
    media.example !== undefined ||
    (media.schema?.examples ?? media.schema?.items?.examples ?? []).length > 0
  );
}

test("a client generated from it compiles and runs an owner's story", async () => {
  const folder = temporaryFolder();
  await symlink(join(import.meta.dir, "../../node_modules"), join(folder, "node_modules"));
  await Bun.write(join(folder, "schema.d.ts"), await generateTypes(text));
  await Bun.write(join(folder, "story.ts"), clientStory);
  await Bun.write(join(folder, "tsconfig.json"), await strictly());
  const compiled = await Bun.$`node_modules/.bin/tsc`.cwd(folder).nothrow().quiet();
  expect(compiled.stdout.toString()).toBe("");

  await addLocalAccount(server, "ada");
  await addLocalAccount(server, "grace");
  const browser = await signIn(server, "ada", server.browser());
  const approve = async (user_code: string) => {
    await browser.submit("/device", { user_code, verdict: "approved" });
  };
  const { story } = await import(join(folder, "story.ts"));
  expect(await story(server.listen(), await zipOf({ "index.html": "hello" }), approve)).toEqual({
    who: "ada",
    number: 1,
    private: true,
    readers: [[true, "grace"]],
    secretKind: "vtd_",
    tokens: [["Deployment token", ""]],
    sites: [["typed", true]],
    missing: { detail: expect.stringContaining("site does not exist") },
    deleted: 204,
  });
});

test("the document does not depend on earlier requests", async () => {
  const { token } = await server.signUp("grace-hopper");
  for (const [name, { requestBody }] of operations) {
    const [method = "", path = ""] = name.split(" ");
    const json = requestBody?.content["application/json"]?.example;
    await server.call(method.toUpperCase(), path.replaceAll(/[{}]/g, ""), { token, json });
  }
  const later = await (await server.call("GET", "/openapi.json")).text();
  expect(later).toBe(text);
  expect(later).not.toContain("additionalProperties");
});

/** The generator needs the compiler's API, which TypeScript 7 no longer has. */
async function generateTypes(document: string): Promise<string> {
  plugin({
    name: "typescript-5",
    setup(build) {
      build.module("typescript", async () => ({ exports: { ...(await import("typescript-5")) }, loader: "object" }));
    },
  });
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  return astToString(await openapiTS(JSON.parse(document)));
}

async function strictly(): Promise<string> {
  const { compilerOptions } = Bun.JSONC.parse(await Bun.file(join(import.meta.dir, "../../tsconfig.json")).text()) as {
    compilerOptions: object;
  };
  return JSON.stringify({ compilerOptions: { ...compilerOptions, lib: ["ESNext", "DOM"], types: [] }, include: ["."] });
}
