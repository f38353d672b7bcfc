import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../terminal/terminal.ts";

/** Returns the alias from a pipeline's variables: the pull or merge request, else the branch; null without one. */
export function aliasOfPipeline(env: Environment): string | null {
  const [, pullRequest] = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? "") ?? [];
  if (pullRequest !== undefined) return `pr-${pullRequest}`;
  if (env.CI_MERGE_REQUEST_IID) return `mr-${env.CI_MERGE_REQUEST_IID}`;
  return env.GITHUB_REF_NAME || env.CI_COMMIT_REF_NAME || null;
}

/**
 * Returns the alias of a preview: the given one (true for none), else that of the pipeline, else the git branch of the
 * folder; null without any of them, for a preview that has only its number.
 */
export async function previewAlias(given: string | true, path: string, env: Environment): Promise<string | null> {
  return given === true ? (aliasOfPipeline(env) ?? (await branchOf(path))) : given;
}

// --- internal ---

const execute = promisify(execFile);

/** Null without git, outside a repository, and if a commit is checked out instead of a branch. */
async function branchOf(path: string): Promise<string | null> {
  for (const folder of [path, dirname(path)]) {
    const branch = await execute("git", ["-C", folder, "branch", "--show-current"]).catch(() => null);
    if (branch !== null) return branch.stdout.trim() || null;
  }
  return null;
}
