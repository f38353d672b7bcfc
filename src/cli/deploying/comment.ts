import type { DeployResult } from "../client/types.ts";
import { Failure } from "../errors.ts";
import { summaryOf } from "./job-outputs.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The API of GitHub or Forgejo, as the variables of a job describe it. */
interface Forge {
  /** Address of the repository in the API. */
  readonly repository: string;
  readonly pullRequest: string;
  readonly token: string;
}

interface Comment {
  readonly id: number;
  readonly body?: string;
}

const TIME_LIMIT_MS = 20_000;

/** GitHub returns at most so many comments on a page; a pull request with more pages gets another comment. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** Writes the deployment into the one comment of its site on the pull request. Throws Failure. */
export async function commentOnPullRequest(result: DeployResult, env: Environment): Promise<void> {
  const forge = forgeOf(env);
  const marker = `<!-- vitrine ${result.site_name} -->`;
  const body = `${marker}\n${summaryOf(result)}`;
  const existing = await findComment(forge, marker);
  if (existing) await call(forge, "PATCH", `/issues/comments/${existing.id}`, { body });
  else await call(forge, "POST", `/issues/${forge.pullRequest}/comments`, { body });
}

// --- internal ---

function forgeOf({ GITHUB_API_URL: api, GITHUB_REPOSITORY: name, GITHUB_REF: ref, GITHUB_TOKEN: token }: Environment) {
  const [, pullRequest] = /^refs\/pull\/(\d+)\//.exec(ref ?? "") ?? [];
  if (!api || !name || pullRequest === undefined) {
    throw new Failure("--comment works in a job for a pull request on GitHub or Forgejo.");
  }
  if (!token) {
    throw new Failure("--comment needs the token of the job.", "Set GITHUB_TOKEN to the secret of the same name.");
  }
  return { repository: `${api}/repos/${name}`, pullRequest, token };
}

async function findComment(forge: Forge, marker: string): Promise<Comment | null> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/issues/${forge.pullRequest}/comments?per_page=${PAGE_SIZE}&page=${page}`;
    const comments = (await (await call(forge, "GET", path)).json()) as readonly Comment[];
    const found = comments.find(({ body }) => body?.startsWith(marker));
    if (found || comments.length < PAGE_SIZE) return found ?? null;
  }
  return null;
}

async function call({ repository, token }: Forge, method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(repository + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json", "Content-Type": "application/json" },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (response.ok) return response;
  throw new Failure(
    `The pull request could not be commented on: status ${response.status}.`,
    "The job needs the permission pull-requests: write.",
  );
}
