import { createHash, randomBytes } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Browser } from "../../acceptance/testing/browser.ts";
import type { TestApi } from "./test-api.ts";

export const REDIRECT = "http://127.0.0.1:7777/callback";

/** The fields of a token response that tests need. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

/** A code with what redeems it. */
export interface Code {
  readonly client: string;
  readonly code: string;
  readonly verifier: string;
}

/** Does what an agent and its person do to connect, in the words of the protocol. */
export function agentOf(api: Pick<TestApi, "config" | "call" | "browser">) {
  const resource = `${api.config.baseUrl}/mcp`;

  /** Returns a browser that is signed in with a session. */
  const browserOf = (token: string): Browser => {
    const browser = api.browser();
    browser.cookies().set("vitrine", token);
    return browser;
  };

  const register = async (body: object = { client_name: "Claude", redirect_uris: [REDIRECT] }): Promise<string> => {
    const response = await api.call("POST", "/auth/oauth/register", { json: body });
    return ((await response.json()) as { client_id: string }).client_id;
  };

  const request = (client: string, challenge: string, other: Record<string, string> = {}) =>
    new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource,
      state: "the state",
      ...other,
    });

  /** Consents with the session of a person, and returns the answer. */
  const consent = async (
    token: string,
    query: URLSearchParams,
    choice: Record<string, string>,
    verdict = "approved",
  ): Promise<URLSearchParams> => {
    const response = await browserOf(token).submit("/authorize", { request: `?${query}`, verdict, ...choice });
    return new URL(response.headers.get("location") ?? "http://none.example/").searchParams;
  };

  const newCode = async (token: string, choice: Record<string, string>, scope = "", known?: string): Promise<Code> => {
    const client = known ?? (await register());
    const { verifier, challenge } = pkce();
    const answer = await consent(token, request(client, challenge, scope ? { scope } : {}), choice);
    return { client, code: answer.get("code") ?? "", verifier };
  };

  const post = (path: "token" | "revoke", fields: Record<string, string>, headers: Record<string, string> = {}) =>
    api.call("POST", `/auth/oauth/${path}`, {
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: String(new URLSearchParams(fields)),
    });

  /** The fields that redeem a code. */
  const fieldsOf = ({ client, code, verifier }: Code) => ({
    grant_type: "authorization_code",
    client_id: client,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    resource,
  });

  const redeem = (code: Code, other: Record<string, string> = {}) => post("token", { ...fieldsOf(code), ...other });

  return {
    resource,
    browserOf,
    register,
    request,
    consent,
    newCode,
    post,
    fieldsOf,
    redeem,
    refresh: (client: string, refresh_token: string, other: Record<string, string> = {}) =>
      post("token", { grant_type: "refresh_token", client_id: client, refresh_token, ...other }),

    /** Connects an agent to some of a person's sites. */
    async connect(token: string, choice: Record<string, string>, scope = ""): Promise<Tokens & { client: string }> {
      const code = await newCode(token, choice, scope);
      const tokens = (await (await redeem(code)).json()) as Tokens;
      return { ...tokens, client: code.client };
    },
  };
}

/** A client of MCP that keeps everything in memory, and leads its person to the consent page. */
export function clientInMemory(lead: (url: URL) => unknown) {
  const kept: { verifier?: string; client?: { client_id: string }; tokens?: unknown; discovery?: unknown } = {};
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: "Claude", redirect_uris: [REDIRECT] },
    state: () => "its state",
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => Object.assign(kept, { tokens }),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier: string) => Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: unknown) => Object.assign(kept, { discovery }),
    redirectToAuthorization: lead,
  };
  return { kept, provider: provider as unknown as OAuthClientProvider };
}

export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}
