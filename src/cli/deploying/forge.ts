import { Failure } from "../terminal/errors.ts";
import type { Environment } from "../terminal/terminal.ts";

/** The comments of a pull or merge request in the API of a forge. */
export interface Forge {
  /** The URL that lists comments and accepts a new one. */
  readonly list: string;
  comment(id: number): string;
  readonly changeMethod: "PATCH" | "PUT";
  /** The user of the token, if a token may change only its own comments. */
  readonly self: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The remedy for a refusal. */
  readonly advice: string;
}

/** Returns the forge of this job from its variables. Throws Failure if there is nothing to comment on. */
export function forgeOf(env: Environment): Forge {
  return env.GITLAB_CI ? gitLab(env) : gitHub(env);
}

// --- internal ---

/** GitHub, and Forgejo, which sets the same variables. */
function gitHub({
  GITHUB_API_URL: api,
  GITHUB_REPOSITORY: name,
  GITHUB_REF: ref,
  GITHUB_TOKEN: token,
}: Environment): Forge {
  const [, number] = /^refs\/pull\/(\d+)\//.exec(ref ?? "") ?? [];
  if (!api || !name || number === undefined) {
    throw new Failure("--comment works in a job for a pull request on GitHub, Forgejo or GitLab");
  }
  if (!token) {
    throw new Failure("--comment needs the token of the job", "Set GITHUB_TOKEN to the secret of the same name.");
  }
  const issues = `${api}/repos/${name}/issues`;
  return {
    list: `${issues}/${number}/comments`,
    comment: (id) => `${issues}/comments/${id}`,
    changeMethod: "PATCH",
    self: null,
    headers: { Authorization: `Bearer ${token}` },
    advice: "The job needs the permission pull-requests: write.",
  };
}

/** The job's own token cannot comment on GitLab. */
const GITLAB_TOKEN = "a project access token with the role Reporter and the scope api";

function gitLab(env: Environment): Forge {
  const { CI_API_V4_URL: api, CI_MERGE_REQUEST_IID: number, GITLAB_TOKEN: token } = env;
  // A fork's job belongs to the fork, its merge request to the project.
  const project = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID;
  if (!api || !project || !number) {
    throw new Failure(
      "--comment works in a job for a merge request on GitLab",
      'Give the job the rule: if: $CI_PIPELINE_SOURCE == "merge_request_event"',
    );
  }
  if (!token) {
    throw new Failure(
      "--comment needs a token on GitLab: CI_JOB_TOKEN cannot comment",
      `Store ${GITLAB_TOKEN} as the masked variable GITLAB_TOKEN.`,
    );
  }
  const list = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  return {
    list,
    comment: (id) => `${list}/${id}`,
    changeMethod: "PUT",
    self: `${api}/user`,
    headers: { "PRIVATE-TOKEN": token },
    advice: `GITLAB_TOKEN has to be ${GITLAB_TOKEN}.`,
  };
}
