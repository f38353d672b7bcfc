import { beforeAll, expect, test } from "bun:test";
import { zipOf } from "./testing/archives.ts";
import { serverStories } from "./testing/stories.ts";
import { startTestServer } from "./testing/test-server.ts";

const { vitrine, ada } = await serverStories(() => startTestServer({ workers: "2" }));
let bob: string;

beforeAll(async () => {
  bob = (await vitrine.signUp("bob")).token;
});

test("a ZIP becomes a site, changes at once, is rolled back, and is deleted", async () => {
  const first = await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>one</h1>", "about.html": "about" }), {
    site: "demo",
  });
  expect(first.status).toBe(201);
  expect(await first.json()).toEqual({
    deployment_number: 1,
    name: "demo",
    site_name: "demo",
    private: false,
    url: vitrine.siteUrl("demo"),
    active: true,
    deployment_url: vitrine.siteUrl("1--demo"),
    alias: null,
    alias_url: null,
    expires_at: null,
  });
  expect(first.headers.get("location")).toBe(vitrine.siteUrl("demo"));
  expect(await (await vitrine.visit("demo")).text()).toBe("<h1>one</h1>");

  const second = await vitrine.deploy(ada, await zipOf({ "index.html": "<h1>two</h1>" }), { site: "demo" });
  expect(((await second.json()) as { deployment_number: number }).deployment_number).toBe(2);
  expect(await (await vitrine.visit("demo")).text()).toBe("<h1>two</h1>");
  expect(await (await vitrine.visit("1--demo")).text()).toBe("<h1>one</h1>");

  const back = await vitrine.call("POST", "/sites/demo/deployments/1/activate", { token: ada });
  expect(back.status).toBe(200);
  expect(await back.json()).toMatchObject({ site_name: "demo", deployment_number: 1, active: true, actor: "ada" });
  expect(await (await vitrine.visit("demo")).text()).toBe("<h1>one</h1>");

  expect((await vitrine.call("DELETE", "/sites/demo", { token: ada })).status).toBe(204);
  expect((await vitrine.visit("demo")).status).toBe(404);
  expect((await vitrine.call("DELETE", "/sites/demo", { token: ada })).status).toBe(404);
});

test("a new site without a name gets a generated one such as brisk-otter-4821", async () => {
  const response = (await (await vitrine.deploy(ada, await zipOf({ "index.html": "x" }))).json()) as { name: string };
  expect(response.name).toMatch(/^[a-z]+-[a-z]+-\d{4}$/);
});

test("deployments are listed newest first, in pages", async () => {
  for (let round = 0; round < 3; round++)
    await vitrine.deploy(ada, await zipOf({ "index.html": `${round}` }), { site: "paged" });
  const numbers = async (query: string) => {
    const response = await vitrine.call("GET", `/sites/paged/deployments${query}`, { token: ada });
    return ((await response.json()) as { deployment_number: number }[]).map(
      (deployment) => deployment.deployment_number,
    );
  };
  expect(await numbers("")).toEqual([3, 2, 1]);
  expect(await numbers("?limit=2")).toEqual([3, 2]);
  expect(await numbers("?limit=2&before=2")).toEqual([1]);
});

test("a downloaded deployment can be deployed again with the same bytes", async () => {
  const files = {
    "index.html": "<h1>hello</h1>",
    "assets/app.js": "export {}",
    "empty.txt": "",
    "bild äöü.svg": "<svg/>",
  };
  await vitrine.deploy(ada, await zipOf(files), { site: "original" });
  const download = await vitrine.call("GET", "/sites/original/deployments/1/archive", { token: ada });
  expect(download.headers.get("content-type")).toBe("application/zip");
  expect((await vitrine.deploy(ada, await download.bytes(), { site: "copy" })).status).toBe(201);
  for (const [path, content] of Object.entries(files)) {
    expect(await (await vitrine.visit("copy", `/${encodeURIComponent(path).replaceAll("%2F", "/")}`)).text()).toBe(
      content,
    );
  }
});

test("nobody can deploy to another user's site", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "ada's" }), { site: "adas" });
  const refused = await vitrine.deploy(bob, await zipOf({ "index.html": "bob's" }), { site: "adas" });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({ detail: "credential cannot deploy this site: adas belongs to someone else" });
  expect(await (await vitrine.visit("adas")).text()).toBe("ada's");
});

test("a deployment token deploys to its own site alone, under its own name", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "by hand" }), { site: "tokened" });
  const { token } = await vitrine.mintDeploymentToken("tokened");
  const archive = await zipOf({ "index.html": "by CI" });
  expect((await vitrine.deploy(token, archive, { site: "tokened" })).status).toBe(201);
  expect(await (await vitrine.visit("tokened")).text()).toBe("by CI");
  expect((await vitrine.deploy(token, archive)).status).toBe(403);
  expect((await vitrine.deploy(token, archive, { site: "elsewhere" })).status).toBe(403);
  const [latest] = (await (await vitrine.call("GET", "/sites/tokened/deployments", { token })).json()) as object[];
  expect(latest).toMatchObject({ deployment_number: 2, source: "deployment_token", actor: "CI" });
});

test("50 concurrent deployments of a site get unique numbers, and the highest is active", async () => {
  const archives = await Promise.all(
    Array.from({ length: 50 }, (_, round) => zipOf({ "index.html": `round ${round}` })),
  );
  const responses = await Promise.all(
    archives.map(async (archive) => {
      for (;;) {
        const response = await vitrine.deploy(ada, archive, { site: "busy" });
        const body = (await response.json()) as { deployment_number: number };
        if (response.status !== 503) {
          expect([response.status, body]).toEqual([201, expect.objectContaining({ site_name: "busy" })]);
          return body;
        }
        expect(response.headers.get("retry-after")).not.toBeNull();
      }
    }),
  );
  const numbers = responses.map((body) => body.deployment_number).sort((one, other) => one - other);
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  const listed = (await (await vitrine.call("GET", "/sites/busy/deployments", { token: ada })).json()) as {
    deployment_number: number;
    active: boolean;
  }[];
  expect(listed.find((deployment) => deployment.active)?.deployment_number).toBe(50);
});

test("the site is unchanged after a refused archive", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "good" }), { site: "steady" });
  const refused = await vitrine.deploy(ada, new TextEncoder().encode("no zip at all"), { site: "steady" });
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as { detail: string }).detail).toStartWith("archive is invalid");
  expect(await (await vitrine.visit("steady")).text()).toBe("good");
  const listed = await (await vitrine.call("GET", "/sites/steady/deployments", { token: ada })).json();
  expect(listed).toHaveLength(1);
});

test("the changes of a deployment are compared to the one before it", async () => {
  await vitrine.deploy(ada, await zipOf({ "index.html": "1", "style.css": "2", "old.html": "3" }), {
    site: "changing",
  });
  await vitrine.deploy(ada, await zipOf({ "index.html": "9", "style.css": "2", "new.html": "4" }), {
    site: "changing",
  });
  const changes = (number: number, token = ada) =>
    vitrine.call("GET", `/sites/changing/deployments/${number}/changes`, { token });
  expect(await (await changes(2)).json()).toEqual({
    deployment_number: 2,
    compared_with: 1,
    added: 1,
    changed: 1,
    removed: 1,
    unchanged: 1,
    files: [
      { path: "index.html", change: "changed" },
      { path: "new.html", change: "added" },
      { path: "old.html", change: "removed" },
    ],
  });
  expect(await (await changes(1)).json()).toMatchObject({ compared_with: null, added: 3, unchanged: 0 });
  expect((await changes(3)).status).toBe(404);
  expect((await changes(2, bob)).status).toBe(403);
});

test("one request returns a page of deployments with the number of files that each changed", async () => {
  const versions = [{ "a.html": "1", "b.html": "1" }, { "a.html": "2", "c.html": "1" }, { "a.html": "2" }];
  for (const files of versions) await vitrine.deploy(ada, await zipOf(files), { site: "listed" });
  const list = async (query: string, token = ada) =>
    vitrine.call("GET", `/sites/listed/deployments?${query}`, { token });
  const changesOf = async (query: string) =>
    ((await (await list(query)).json()) as { changes?: unknown }[]).map(({ changes }) => changes);
  const expected = [
    { compared_with: 2, added: 0, changed: 0, removed: 1, unchanged: 1 },
    { compared_with: 1, added: 1, changed: 1, removed: 1, unchanged: 0 },
    { compared_with: null, added: 2, changed: 0, removed: 0, unchanged: 0 },
  ];
  for (let time = 0; time < 2; time++) expect(await changesOf("include=changes")).toEqual(expected);
  expect(await changesOf("include=changes&limit=1&before=3")).toEqual(expected.slice(1, 2));
  expect(await changesOf("")).toEqual([undefined, undefined, undefined]);
  expect((await list("include=everything")).status).toBe(422);
  expect((await list("include=changes", bob)).status).toBe(403);
});

test("a client can request the URL of sites and the limits of an upload", async () => {
  const response = await vitrine.call("GET", "/capabilities/hosting", { token: ada });
  expect(await response.json()).toMatchObject({ site_url: vitrine.siteUrl("{site}"), limits: { files: 50_000 } });
  expect((await vitrine.call("GET", "/capabilities/hosting")).status).toBe(401);
});
