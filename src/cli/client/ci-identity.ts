import { Failure } from "../terminal/errors.ts";
import type { Environment } from "../terminal/terminal.ts";
import { ApiError } from "./api-error.ts";
import type { ApiClient } from "./client.ts";

/** Returns whether the CI system offers this run an ID token. */
export function hasCiIdentity(env: Environment): boolean {
  return Boolean(env.VITRINE_ID_TOKEN || (env.ACTIONS_ID_TOKEN_REQUEST_URL && env.ACTIONS_ID_TOKEN_REQUEST_TOKEN));
}

/** Returns a client with a deployment token for the site, in exchange for the ID token of the CI run. */
export async function connectFromCi(connection: ApiClient, site: string, env: Environment): Promise<ApiClient> {
  const client = connection.withToken(null);
  const exchange = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: env.VITRINE_ID_TOKEN || (await requestIdToken(client.server, env)),
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    scope: `site:${site}`,
  };
  const { access_token } = await client.post<{ access_token: string }>("/auth/token", exchange).catch((error) => {
    if (!(error instanceof ApiError) || error.httpStatus !== 400) throw error;
    throw new Failure(error.message, `The owner of ${site} sees its publishers: vitrine publishers list ${site}`);
  });
  return client.withToken(access_token);
}

// --- internal ---

/** Requests an ID token from GitHub's or Forgejo's runner that is valid for this server only. */
async function requestIdToken(server: string, env: Environment): Promise<string> {
  const url = `${env.ACTIONS_ID_TOKEN_REQUEST_URL}&audience=${encodeURIComponent(server)}`;
  const headers = { Authorization: `Bearer ${env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}`, Accept: "application/json" };
  const failed = (why: string) =>
    new Failure(`the CI system gave no ID token: ${why}`, "Try the job again, or set VITRINE_TOKEN.");
  const response = await fetch(url, { headers }).catch((error: Error) => {
    throw failed(error.message);
  });
  if (!response.ok) throw failed(`status ${response.status}`);
  const body = (await response.json().catch(() => null)) as { readonly value?: unknown } | null;
  if (typeof body?.value === "string") return body.value;
  throw failed("the response holds none");
}
