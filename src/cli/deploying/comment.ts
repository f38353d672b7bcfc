import type { DeployResult } from "../../api/schemas/types.ts";
import { Failure } from "../terminal/errors.ts";
import type { Environment } from "../terminal/terminal.ts";
import { type Forge, forgeOf } from "./forge.ts";
import { summaryOf } from "./job-outputs.ts";

/** Writes the deployment, and its report in Markdown, into the site's only comment on the pull or merge request. Throws Failure. */
export async function commentOnPullRequest(
  result: DeployResult,
  env: Environment,
  report: string | null = null,
): Promise<void> {
  const forge = forgeOf(env);
  const marker = `<!-- vitrine ${result.site_name} -->`;
  const body = `${marker}\n${summaryOf(result)}${report === null ? "" : `\n${report}`}`;
  const existing = await findComment(forge, marker);
  if (existing === null) await call(forge, "POST", forge.list, { body });
  else await call(forge, forge.changeMethod, forge.comment(existing), { body });
}

// --- internal ---

/** GitLab also lists its system notes, and has authors. */
interface Comment {
  readonly id: number;
  readonly body?: string;
  readonly author?: { readonly id: number };
}

const TIME_LIMIT_MS = 20_000;

/** The maximum number of comments on a page. A pull request with more pages gets another comment. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

async function findComment(forge: Forge, marker: string): Promise<number | null> {
  const writer = forge.self && (await ask<{ readonly id: number }>(forge, forge.self)).id;
  const isOwn = ({ author }: Comment) => writer === null || author?.id === writer;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const comments = await ask<readonly Comment[]>(forge, `${forge.list}?per_page=${PAGE_SIZE}&page=${page}`);
    const found = comments.find((comment) => comment.body?.startsWith(marker) && isOwn(comment));
    if (found || comments.length < PAGE_SIZE) return found?.id ?? null;
  }
  return null;
}

async function ask<Body>(forge: Forge, url: string): Promise<Body> {
  return (await (await call(forge, "GET", url)).json()) as Body;
}

async function call({ headers, advice }: Forge, method: string, url: string, body?: object): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, Accept: "application/json", "Content-Type": "application/json" },
    body: body ? JSON.stringify(body) : null,
    // The token is for this URL only, and fetch would send GitLab's header to the target of a redirect.
    redirect: "error",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).catch((error: Error) => {
    throw new Failure(`the pull request could not be commented on: ${error.message}`);
  });
  if (response.ok) return response;
  throw new Failure(`the pull request could not be commented on: status ${response.status}`, advice);
}
