import { afterAll, describe, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { readDeployHeaders } from "./deploy-headers.ts";
import { openTestApi } from "./testing/test-api.ts";

const vitrine = await openTestApi();
const token = (await vitrine.signUp("ada")).token;
afterAll(() => vitrine[Symbol.asyncDispose]());

interface ReceivedResponse {
  readonly deployment_number: number;
  readonly private: boolean;
  readonly unchanged?: true;
}

async function deploy(
  site: string,
  files: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<[status: number, number: number, unchanged: boolean]> {
  const response = await vitrine.deploy(token, await zipOf(files), { site, headers });
  const { deployment_number, unchanged } = (await response.json()) as ReceivedResponse;
  return [response.status, deployment_number, unchanged ?? false];
}

async function history(site: string): Promise<Record<string, unknown>[]> {
  return (await vitrine.call("GET", `/sites/${site}/deployments`, { token })).json() as Promise<
    Record<string, unknown>[]
  >;
}

const IF_CHANGED = { "X-Service-If-Changed": "yes" };

describe("with X-Service-If-Changed: yes", () => {
  test("the same files create no deployment, in any order", async () => {
    expect(await deploy("same", { "index.html": "1", "a.css": "a" }, IF_CHANGED)).toEqual([201, 1, false]);
    expect(await deploy("same", { "a.css": "a", "index.html": "1" }, IF_CHANGED)).toEqual([200, 1, true]);
    expect(await history("same")).toHaveLength(1);
  });

  test.each([
    ["content of the same size", { "index.html": "2", "a.css": "a" }],
    ["a path", { "index.htm": "1", "a.css": "a", b: "" }],
    ["one file more", { "index.html": "1", "a.css": "a", empty: "" }],
    ["one file less", { "index.html": "1" }],
    ["a rule", { "index.html": "1", "a.css": "a", _redirects: "/x /y" }],
  ])("another %s creates one", async (what, files) => {
    const site = `other-${what.replaceAll(" ", "-")}`;
    await deploy(site, { "index.html": "1", "a.css": "a" });
    expect(await deploy(site, files as Record<string, string>, IF_CHANGED)).toEqual([201, 2, false]);
  });

  test("files are compared with the active deployment, not with the newest", async () => {
    await deploy("back", { "index.html": "1" });
    await deploy("back", { "index.html": "2" });
    await vitrine.call("POST", "/sites/back/deployments/1/activate", { token });
    expect(await deploy("back", { "index.html": "1" }, IF_CHANGED)).toEqual([200, 1, true]);
    expect(await deploy("back", { "index.html": "2" }, IF_CHANGED)).toEqual([201, 3, false]);
  });

  test("the site becomes private without a new deployment", async () => {
    await deploy("hidden", { "index.html": "1" });
    const response = await vitrine.deploy(token, await zipOf({ "index.html": "1" }), {
      site: "hidden",
      access: "private",
      headers: IF_CHANGED,
    });
    expect(await response.json()).toMatchObject({ deployment_number: 1, private: true, unchanged: true });
    expect(await vitrine.store.sites.find("hidden")).toMatchObject({ private: true });
  });

  test("the audit log records that nothing changed", async () => {
    await deploy("repeated", { "index.html": "1" }, IF_CHANGED);
    await deploy("repeated", { "index.html": "1" }, IF_CHANGED);
    const log = (await (await vitrine.call("GET", "/sites/repeated/audit", { token })).json()) as { summary: string }[];
    expect(log.map(({ summary }) => summary)).toEqual([
      "Deployed the files of deployment 1 again: nothing changed",
      "Published deployment 1",
    ]);
  });
});

test("without X-Service-If-Changed the same files create a deployment", async () => {
  await deploy("always", { "index.html": "1" });
  expect(await deploy("always", { "index.html": "1" })).toEqual([201, 2, false]);
  expect(await deploy("always", { "index.html": "1" }, { "X-Service-If-Changed": "no" })).toEqual([201, 3, false]);
});

describe("message, commit and ref", () => {
  const longest = "🙂".repeat(1000);

  test("are stored with the deployment after decoding, and null if absent", async () => {
    await deploy("noted", { "index.html": "1" });
    await deploy(
      "noted",
      { "index.html": "2" },
      {
        "X-Service-Message": encodeURIComponent("Übersetze die Startseite: 100 % done"),
        "X-Service-Commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "X-Service-Ref": "refs/heads/main",
      },
    );
    await deploy("noted", { "index.html": "3" }, { "X-Service-Message": encodeURIComponent(longest) });
    const nothing = { message: null, commit: null, ref: null };
    expect(await history("noted")).toMatchObject([
      { ...nothing, message: longest },
      {
        message: "Übersetze die Startseite: 100 % done",
        commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
        ref: "refs/heads/main",
      },
      nothing,
    ]);
  });

  test.each([
    ["X-Service-Message", encodeURIComponent(`${longest}!`), "Send at most 1000 characters"],
    ["X-Service-Commit", "100 % of it", "Send percent-encoded UTF-8"],
    ["X-Service-Ref", "%ff", "Send percent-encoded UTF-8"],
    ["X-Service-Message", "gr\u00fcn", "Send percent-encoded UTF-8"],
    ["X-Service-If-Changed", "maybe", "Send yes or no, or leave the header out"],
  ])("%s with an invalid value is refused: %s", async (name, value, msg) => {
    const response = await vitrine.deploy(token, await zipOf({ "index.html": "x" }), {
      site: "refused",
      headers: { [name]: value },
    });
    expect([response.status, await response.json()]).toMatchObject([422, { detail: [{ loc: ["header", name], msg }] }]);
    expect(await vitrine.store.sites.find("refused")).toBeNull();
  });
});

test.each([
  [{}, false],
  [{ "X-Service-Alias": "pr-7" }, true],
  [{ "X-Service-Alias": "pr-7", "X-Service-Activate": "yes" }, false],
  [{ "X-Service-Activate": "no" }, true],
])("with %j it is a preview: %p", (headers, isPreview) => {
  expect(readDeployHeaders(new Headers(headers)).isPreview).toBe(isPreview);
});
