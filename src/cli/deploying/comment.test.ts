import { afterEach, beforeEach, expect, test } from "bun:test";
import { commentOnPullRequest } from "./comment.ts";
import { previewResult } from "./testing/preview-result.ts";

const result = previewResult("pr-12");

let server: Bun.Server<undefined>;
let env: Record<string, string>;
let comments: { id: number; body: string }[];
let calls: string[];

beforeEach(() => {
  comments = [];
  calls = [];
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      calls.push(`${request.method} ${pathname}`);
      if (request.headers.get("authorization") !== "Bearer secret") return new Response(null, { status: 403 });
      const page = Number(searchParams.get("page") ?? 1);
      if (request.method === "GET") return Response.json(comments.slice((page - 1) * 100, page * 100));
      const { body } = (await request.json()) as { body: string };
      const id = Number(pathname.split("/").at(-1));
      if (request.method === "POST") comments.push({ id: comments.length + 1, body });
      else Object.assign(comments.find((comment) => comment.id === id) ?? {}, { body });
      return Response.json({});
    },
  });
  env = {
    GITHUB_API_URL: `http://127.0.0.1:${server.port}`,
    GITHUB_REPOSITORY: "octo/blog",
    GITHUB_REF: "refs/pull/12/merge",
    GITHUB_TOKEN: "secret",
  };
});
afterEach(() => server.stop(true));

test("the first deployment adds a comment, and later ones update it", async () => {
  await commentOnPullRequest(result, env);
  const body = "<!-- vitrine demo -->\nDeployed **demo**: preview 3 is at <https://pr-12--demo.example>\n";
  expect(comments).toEqual([{ id: 1, body }]);
  await commentOnPullRequest({ ...result, deployment_number: 4 }, env);
  expect(comments).toEqual([{ id: 1, body: body.replace("3", "4") }]);
  expect(calls).toEqual([
    "GET /repos/octo/blog/issues/12/comments",
    "POST /repos/octo/blog/issues/12/comments",
    "GET /repos/octo/blog/issues/12/comments",
    "PATCH /repos/octo/blog/issues/comments/1",
  ]);
});

test("the comment is found among many, and another site has its own", async () => {
  comments = Array.from({ length: 150 }, (_, at) => ({ id: at + 1, body: "Looks good" }));
  await commentOnPullRequest(result, env);
  await commentOnPullRequest(result, env);
  await commentOnPullRequest({ ...result, site_name: "docs" }, env);
  expect(comments).toHaveLength(152);
});

test.each([
  [{ GITHUB_REF: "refs/heads/main" }, "in a job for a pull request"],
  [{ GITHUB_TOKEN: "" }, "needs the token of the job"],
  [{ GITHUB_TOKEN: "wrong" }, "status 403"],
])("with %j it reports the problem", async (changed, message) => {
  await expect(commentOnPullRequest(result, { ...env, ...changed })).rejects.toThrow(message);
});
