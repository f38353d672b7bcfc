import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { DAY, HOUR } from "../domain/timestamp.ts";
import { openTestApi } from "./testing/test-api.ts";

const server = await openTestApi();
const owner = (await server.signUp("owner")).token;
await server.deploy(owner, await zipOf({ "index.html": '<a href="/x">', "404.html": "" }), { site: "blog" });
afterAll(() => server[Symbol.asyncDispose]());

const read = (path: string, token = owner) => server.call("GET", `/sites/${path}`, { token });

test("a report is pending until it is made, and a reader may wait for it", async () => {
  const pending = await read("blog/deployments/1/report");
  expect([pending.status, await pending.json()]).toEqual([
    200,
    {
      status: "pending",
      summary: { errors: 0, warnings: 0, notes: 0, new_errors: 0, new_warnings: 0 },
      findings: [],
      totals: { pages: 0, links: 0, bytes: 0, largest: [] },
      not_checked: 0,
      compared_to: null,
      truncated: false,
    },
  ]);
  const waiting = read("blog/deployments/1/report?wait=60");
  await server.makeReports();
  expect(await (await waiting).json()).toEqual({
    status: "ready",
    summary: { errors: 1, warnings: 0, notes: 0, new_errors: 1, new_warnings: 0 },
    findings: [
      {
        code: "broken_link",
        severity: "error",
        file: "index.html",
        line: 1,
        message: "/x answers 404",
        target: "/x",
        new: true,
      },
    ],
    totals: {
      pages: 2,
      links: 1,
      bytes: 13,
      largest: [
        { path: "index.html", bytes: 13 },
        { path: "404.html", bytes: 0 },
      ],
    },
    not_checked: 0,
    compared_to: null,
    truncated: false,
  });
});

test("a report is for those who may deploy to the site", async () => {
  const stranger = (await server.signUp("stranger")).token;
  const { token } = await server.mintDeploymentToken("blog");
  const statuses = [owner, token, stranger].map(async (one) => (await read("blog/deployments/1/report", one)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
});

test.each([
  ["?wait=61", 422],
  ["?wait=-1", 422],
  ["?wait=1.5", 422],
  ["?wait=soon", 422],
  ["?wait=0", 200],
  ["?with=9", 404],
  ["?with=1", 200],
])("GET …/report%s answers %i", async (query, status) => {
  expect((await read(`blog/deployments/1/report${query}`)).status).toBe(status);
});

test("an expired or unknown deployment has no report", async () => {
  const headers = { "X-Service-Activate": "no", "X-Service-Expires": "1h" };
  await server.deploy(owner, await zipOf({ "index.html": "preview" }), { site: "blog", headers });
  expect((await read("blog/deployments/2/report")).status).toBe(200);
  server.advance(HOUR);
  expect((await read("blog/deployments/2/report")).status).toBe(404);
  expect((await read("blog/deployments/3/report")).status).toBe(404);
  server.advance(-DAY);
});

test("a report lists new errors first, and at most a thousand findings, and counts all", async () => {
  const links = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `<a href="/n${from + index}">x</a>`).join("\n");
  const local = (path: string) => `<a href="http://localhost${path}">x</a>`;
  for (const [from, more] of [
    [0, ""],
    [100, local("/new")],
  ] as const) {
    const files = { "index.html": links(from, from + 1500), "a.html": local("/") + more, "404.html": "" };
    await server.deploy(owner, await zipOf(files), { site: "many" });
  }
  await server.makeReports();
  const report = (await (await read("many/deployments/2/report")).json()) as {
    findings: { new: boolean; target: string }[];
  };
  expect(report).toMatchObject({
    summary: { errors: 1500, warnings: 2, new_errors: 100, new_warnings: 1 },
    compared_to: 1,
    truncated: true,
  });
  expect(report.findings).toHaveLength(1000);
  expect(report.findings.map((one) => one.new)).toEqual([...Array(100).fill(true), ...Array(900).fill(false)]);
  expect(report.findings[0]?.target).toBe("/n1500");
});
