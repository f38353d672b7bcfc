import { afterEach, beforeEach, expect, test } from "bun:test";
import { commentOnPullRequest } from "./comment.ts";
import { previewResult } from "./testing/preview-result.ts";

const result = previewResult("mr-12");

const BOT = 41;
const STRANGER = 7;
const MARKER = "<!-- vitrine demo -->";

interface Note {
  id: number;
  body: string;
  system: boolean;
  author: { id: number };
}

let server: Bun.Server<undefined>;
let env: Record<string, string>;
let notes: Note[];
let calls: string[];
let scope: string;

/** Performs GitLab's checks: kind and scope of the token, the project, the page size, and the author of a note. */
async function response(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  calls.push(`${request.method} ${pathname}`);
  const refuse = (status: number, message: string) => Response.json({ message }, { status });
  // The endpoints of notes do not accept a job token.
  if (request.headers.get("private-token") !== "glpat-secret") return refuse(401, "401 Unauthorized");
  if (scope !== "api" && request.method !== "GET") return refuse(403, "insufficient_scope");
  if (pathname === "/api/v4/user") return Response.json({ id: BOT, username: "project_5_bot_1f" });
  const [, id] = /^\/api\/v4\/projects\/5\/merge_requests\/12\/notes(?:\/(\d+))?$/.exec(pathname) ?? [];
  if (!pathname.startsWith("/api/v4/projects/5/merge_requests/12/notes")) return refuse(404, "404 Project Not Found");
  if (request.method === "GET" && id === undefined) {
    const size = Number(searchParams.get("per_page") ?? 20);
    const page = Number(searchParams.get("page") ?? 1);
    if (size > 100) return refuse(400, "per_page has an invalid value");
    return Response.json(notes.slice((page - 1) * size, page * size));
  }
  if (request.headers.get("content-type") !== "application/json") return refuse(415, "unsupported media type");
  const { body } = (await request.json()) as { body?: unknown };
  if (typeof body !== "string" || body === "") return refuse(400, "body is missing");
  if (request.method === "POST" && id === undefined) {
    notes.unshift({ id: notes.length + 1, body, system: false, author: { id: BOT } });
    return Response.json(notes[0], { status: 201 });
  }
  const note = notes.find((one) => one.id === Number(id));
  if (request.method !== "PUT" || !note) return refuse(404, "404 Not found");
  if (note.author.id !== BOT) return refuse(403, "403 Forbidden");
  note.body = body;
  return Response.json(note);
}

beforeEach(() => {
  notes = [];
  calls = [];
  scope = "api";
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: response });
  env = {
    GITLAB_CI: "true",
    CI_API_V4_URL: `http://127.0.0.1:${server.port}/api/v4`,
    CI_PROJECT_ID: "5",
    CI_MERGE_REQUEST_PROJECT_ID: "5",
    CI_MERGE_REQUEST_IID: "12",
    CI_JOB_TOKEN: "glcbt-64_job",
    GITLAB_TOKEN: "glpat-secret",
  };
});
afterEach(() => server.stop(true));

const bodies = () => notes.map(({ body }) => body);

test("the first deployment adds a note to the merge request, and later ones update it", async () => {
  await commentOnPullRequest(result, env);
  const body = `${MARKER}\nDeployed **demo**: preview 3 is at <https://mr-12--demo.example>\n`;
  expect(bodies()).toEqual([body]);
  calls = [];
  await commentOnPullRequest({ ...result, deployment_number: 4 }, env);
  expect(bodies()).toEqual([body.replace("3", "4")]);
  expect(calls).toEqual([
    "GET /api/v4/user",
    "GET /api/v4/projects/5/merge_requests/12/notes",
    "PUT /api/v4/projects/5/merge_requests/12/notes/1",
  ]);
});

test("a similar note of another author is not changed", async () => {
  notes = [{ id: 1, body: `${MARKER}\nfooled`, system: false, author: { id: STRANGER } }];
  await commentOnPullRequest(result, env);
  await commentOnPullRequest(result, env);
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toBe(`${MARKER}\nfooled`);
});

test("the note is found after GitLab's system notes", async () => {
  await commentOnPullRequest(result, env);
  const system = { body: "added 1 commit", system: true, author: { id: STRANGER } };
  notes = [...Array.from({ length: 150 }, (_, at) => ({ ...system, id: at + 2 })), ...notes];
  await commentOnPullRequest(result, env);
  expect(bodies().filter((body) => body.startsWith(MARKER))).toHaveLength(1);
});

test("a fork's job comments on the merge request of the project", async () => {
  await commentOnPullRequest(result, { ...env, CI_PROJECT_ID: "99" });
  expect(bodies()).toHaveLength(1);
});

test.each([
  [{ GITLAB_TOKEN: "" }, "CI_JOB_TOKEN cannot comment", "Store a project access token with the role Reporter"],
  [{ GITLAB_TOKEN: "glcbt-64_job" }, "status 401", "GITLAB_TOKEN has to be a project access token"],
  [{ CI_MERGE_REQUEST_PROJECT_ID: "6" }, "status 404", "GITLAB_TOKEN has to be"],
  [{ CI_MERGE_REQUEST_IID: "" }, "in a job for a merge request", "merge_request_event"],
  [{ CI_API_V4_URL: "http://127.0.0.1:1/api/v4" }, "could not be commented on", undefined],
])("with %j it reports the problem and what to set", async (changed, message, advice) => {
  const failure = await commentOnPullRequest(result, { ...env, ...changed }).catch((error) => error);
  expect(failure.message).toContain(message);
  if (advice !== undefined) expect(failure.advice).toContain(advice);
  expect(notes).toEqual([]);
});

test("the token is not sent to the target of a redirect", async () => {
  let requested = 0;
  using elsewhere = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ id: ++requested }) });
  using moved = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}/`),
  });
  const redirected = { ...env, CI_API_V4_URL: `http://127.0.0.1:${moved.port}/api/v4` };
  await expect(commentOnPullRequest(result, redirected)).rejects.toThrow("could not be commented on");
  expect(requested).toBe(0);
});

test("a read-only token is reported", async () => {
  scope = "read_api";
  const failure = await commentOnPullRequest(result, env).catch((error) => error);
  expect([failure.message, failure.advice]).toEqual([
    "the pull request could not be commented on: status 403",
    "GITLAB_TOKEN has to be a project access token with the role Reporter and the scope api.",
  ]);
});
