import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../cli/testing/run-cli.ts";
import { DAY } from "../domain/timestamp.ts";
import { previewsJob } from "../jobs/previews.ts";
import { RUN } from "../jobs/testing/run.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

let vitrine: TestServer;
let token: string;
let project: string;
/** A fake of GitHub's API for comments of pull requests. */
let forge: Bun.Server<undefined>;
const comments = new Map<string, string[]>();

beforeAll(async () => {
  vitrine = await startTestServer({ workers: "1" });
  token = (await vitrine.signUp("ada")).token;
  project = await mkdtemp(join(tmpdir(), "vitrine-team-"));
  forge = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respondAsForge });
});
afterAll(async () => {
  await vitrine[Symbol.asyncDispose]();
  forge.stop(true);
  await rm(project, { recursive: true });
});

/** Comments have the number of their pull request as id: there is one of each. */
async function respondAsForge(request: Request): Promise<Response> {
  const [, list, changed] =
    /^\/repos\/octo\/app\/issues\/(?:(\d+)\/comments|comments\/(\d+))$/.exec(new URL(request.url).pathname) ?? [];
  const number = list ?? changed ?? "";
  const known = comments.get(number) ?? [];
  if (request.method === "GET") return Response.json(known.map((body) => ({ id: Number(number), body })));
  const { body } = (await request.json()) as { body: string };
  comments.set(number, request.method === "PATCH" ? [body] : [...known, body]);
  return Response.json({}, { status: request.method === "POST" ? 201 : 200 });
}

/** Runs a command, optionally in a job of a pull request. */
async function cli(args: readonly string[], pullRequest?: number): Promise<string> {
  const job = pullRequest === undefined ? {} : { GITHUB_REF: `refs/pull/${pullRequest}/merge` };
  const env = {
    VITRINE_SERVER: vitrine.baseUrl.replace("localhost", "127.0.0.1"),
    VITRINE_TOKEN: token,
    HOME: project,
    GITHUB_API_URL: `http://127.0.0.1:${forge.port}`,
    GITHUB_REPOSITORY: "octo/app",
    GITHUB_TOKEN: "of the job",
    ...job,
  };
  const { status, stdout, stderr } = await runCli(args, env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining("⚠") });
  return stdout;
}

async function deploy(text: string, options: readonly string[], pullRequest?: number): Promise<string> {
  await Bun.write(join(project, "dist", "index.html"), text);
  return cli(["deploy", join(project, "dist"), "--site", "app", ...options], pullRequest);
}

async function shown(label: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await vitrine.visit(label, "/", { headers });
  return response.status === 200 ? response.text() : String(response.status);
}

test("two branches are previewed, shared with a client, published, rolled back, and cleaned up", async () => {
  await deploy("the first version", ["--private"]);
  const preview = ["--preview", "--expires", "2d", "--comment"];
  await deploy("a new header", preview, 12);
  await deploy("a new footer", preview, 13);
  await deploy("a better header", preview, 12);
  expect([comments.get("12")?.length, comments.get("13")?.length]).toEqual([1, 1]);
  expect(comments.get("12")?.[0]).toContain(`preview 4 is at <${vitrine.siteUrl("pr-12--app")}>`);

  const link = new URL((await cli(["shares", "create", "app", "--alias", "pr-12", "--label", "The client"])).trim());
  expect(link.origin).toBe(new URL(vitrine.siteUrl("pr-12--app")).origin);
  const entered = await vitrine.visit("pr-12--app", link.pathname + link.search);
  const client = { cookie: entered.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
  expect(await shown("pr-12--app", client)).toBe("a better header");
  expect([await shown("app", client), await shown("pr-13--app", client), await shown("pr-12--app")]).toEqual([
    "401",
    "401",
    "401",
  ]);

  await cli(["access", "public", "app"]);
  expect(await shown("app")).toBe("the first version");
  await cli(["promote", "app", "pr-12"]);
  expect(await shown("app")).toBe("a better header");
  await cli(["deployments", "activate", "app", "1"]);
  expect(await shown("app")).toBe("the first version");

  vitrine.advance(2 * DAY + 1000);
  await previewsJob(vitrine).run(RUN);
  expect([await shown("pr-12--app"), await shown("pr-13--app"), await shown("app")]).toEqual([
    "410",
    "410",
    "the first version",
  ]);
  expect(JSON.parse(await cli(["aliases", "list", "app", "--json"]))).toEqual([]);
  const kept = JSON.parse(await cli(["deployments", "list", "app", "--json"])) as { deployment_number: number }[];
  expect(
    kept.map((one) => one.deployment_number),
    "what was published is no preview any more",
  ).toEqual([4, 1]);
});
