import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A real OpenID Connect issuer that accepts any login. */
export interface Issuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

/** Additional claims of a user. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Starts the issuer on a free port. `redirectUri` is the only registered redirect URI; `claimsOf` returns
 * the claims at the userinfo endpoint for a login, and `tokenClaimsOf`
 * those in the ID token.
 */
export async function startIssuer(
  redirectUri: string,
  claimsOf: (sub: string) => Claims = named,
  tokenClaimsOf: (sub: string) => Claims = () => ({}),
): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_id: "vitrine", client_secret: "a secret that only the two know" };
  const provider = new Provider(url, {
    clients: [{ ...client, redirect_uris: [redirectUri], grant_types: ["authorization_code"] }],
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username", "nickname"],
      email: ["email", "email_verified"],
      groups: ["groups", "hasgroups"],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ["a key for cookies of this test"] },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async (use: string) => ({ ...(use === "id_token" ? tokenClaimsOf(id) : claimsOf(id)), sub: id }),
    }),
  });
  server.on("request", provider.callback());
  return { url, clientId: client.client_id, clientSecret: client.client_secret, stop: () => close(server) };
}

/** Signs in through the issuer's pages like a browser. Returns the final redirect. */
export async function signInAtIssuer(authorizationUrl: string, redirectUri: string, login: string): Promise<URL> {
  const cookies = new Map<string, { pair: string; path: string }>();
  let request: { url: string; init: RequestInit } = { url: authorizationUrl, init: {} };
  for (let step = 0; step < 12; step++) {
    if (request.url.startsWith(redirectUri)) return new URL(request.url);
    const { pathname } = new URL(request.url);
    const sent = [...cookies.values()].filter(({ path }) => pathname.startsWith(path));
    const headers = { cookie: sent.map(({ pair }) => pair).join("; ") };
    const response = await fetch(request.url, { ...request.init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const location = response.headers.get("location");
    request = location
      ? { url: new URL(location, request.url).href, init: {} }
      : fillForm(await response.text(), request.url, login);
  }
  throw new Error("the issuer did not send the browser back");
}

// --- internal ---

function named(sub: string): Claims {
  return { name: `Full name of ${sub}`, preferred_username: sub };
}

/** The issuer sets cookies of the same name for several paths. */
function keep(cookies: Map<string, { pair: string; path: string }>, line: string): void {
  const [, pair = "", name = "", value = ""] = /^(([^=]+)=([^;]*))/.exec(line) ?? [];
  const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? "/";
  if (value === "") cookies.delete(`${name} ${path}`);
  else cookies.set(`${name} ${path}`, { pair, path });
}

function fillForm(page: string, base: string, login: string): { url: string; init: RequestInit } {
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
  if (!action || !prompt) throw new Error(`the issuer showed another page: ${page.slice(0, 500)}`);
  const body = new URLSearchParams(prompt === "login" ? { prompt, login, password: "any" } : { prompt });
  return { url: new URL(action, base).href, init: { method: "POST", body } };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
