import { ApiError } from "../client/api-error.ts";
import { type ApiClient, path as apiPath } from "../client/client.ts";
import type { Access } from "../client/types.ts";
import { confirm } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";

/**
 * Whether a site that was not named may become private. Asks where it is public now: its visitors would be locked out by
 * a command that does not even name it. Throws UsageError where there is nobody to ask.
 */
export async function agreeToPrivacy(terminal: Terminal, client: ApiClient, site: string): Promise<boolean> {
  if (!(await mayBePublic(client, site))) return true;
  const question = `${site} is public. Make it private, so that only you and its readers can view it?`;
  return confirm(terminal, question, `Name the site to confirm: --private --site ${site}`);
}

/** A deployment token may not look: then the site may be public. */
async function mayBePublic(client: ApiClient, site: string): Promise<boolean> {
  try {
    return !(await client.get<Access>(apiPath`/sites/${site}/access`)).private;
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return false;
    if (error instanceof ApiError && error.httpStatus === 403) return true;
    throw error;
  }
}
