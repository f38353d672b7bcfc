import { openTestApi, type TestApi } from "../../api/testing/test-api.ts";
import { oidcProvider } from "../../clients/identity/oidc.ts";
import { createPasswords } from "../../clients/identity/passwords.ts";
import { type Claims, type Issuer, startIssuer } from "../../clients/identity/testing/issuer.ts";
import { addAccount } from "../../domain/accounts/accounts.ts";
import { freePort } from "../../testing/free-port.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** A server whose users sign in with an OpenID Connect issuer. */
export interface OidcServer<S = TestServer> extends AsyncDisposable {
  readonly server: S;
  readonly issuer: Issuer;
  /** The redirect URI. */
  readonly callback: string;
}

/** Starts an issuer and its server. */
export function startOidcServer(flags: Record<string, string> = {}): Promise<OidcServer> {
  const port = freePort();
  return withIssuer(`http://localhost:${port}`, undefined, (issuer) =>
    startTestServer({ listen: `127.0.0.1:${port}`, ...issuer, ...flags }),
  );
}

/** The same with an API without listeners. `claimsOf` returns the claims at the userinfo endpoint for a login. */
export function openOidcApi(
  flags: Record<string, string> = {},
  claimsOf?: (sub: string) => Claims,
): Promise<OidcServer<TestApi>> {
  return withIssuer("http://localhost:8080", claimsOf, (issuer) => openTestApi({ ...issuer, ...flags }));
}

/** Adds an account as `vitrine users add` does. */
export function invite(
  { server: { store, clock }, issuer }: OidcServer<Pick<TestServer, "store" | "clock">>,
  login: string,
) {
  const settings = { issuer: issuer.url, clientId: issuer.clientId, clientSecret: null };
  const provider = oidcProvider({ ...settings, scopes: "openid", groupsClaim: null }, store.users);
  const ports = { users: store.users, provider, passwords: createPasswords(), clock };
  return addAccount(ports, { login, name: null, password: null });
}

// --- internal ---

async function withIssuer<S extends AsyncDisposable>(
  baseUrl: string,
  claimsOf: ((sub: string) => Claims) | undefined,
  start: (flags: Record<string, string>) => Promise<S>,
): Promise<OidcServer<S>> {
  const callback = `${baseUrl}/sign-in/callback`;
  const issuer = await startIssuer(callback, claimsOf);
  const server = await start({
    provider: "oidc",
    "provider-url": issuer.url,
    "provider-client-id": issuer.clientId,
    "provider-client-secret": issuer.clientSecret,
  });
  return {
    server,
    issuer,
    callback,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await issuer.stop();
    },
  };
}
