import { oidcProvider } from "../../clients/identity/oidc.ts";
import { createPasswords } from "../../clients/identity/passwords.ts";
import { type Claims, type Issuer, startIssuer } from "../../clients/identity/testing/issuer.ts";
import { addAccount } from "../../domain/accounts/accounts.ts";
import { freePort } from "../../testing/free-port.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** A server whose users sign in with an OpenID Connect issuer. */
export interface OidcServer extends AsyncDisposable {
  readonly server: TestServer;
  readonly issuer: Issuer;
  /** The redirect URI. */
  readonly callback: string;
}

/** Starts an issuer and its server. `claimsOf` returns the claims at the userinfo endpoint for a login. */
export async function startOidcServer(
  flags: Record<string, string> = {},
  claimsOf?: (sub: string) => Claims,
): Promise<OidcServer> {
  const port = freePort();
  const callback = `http://localhost:${port}/sign-in/callback`;
  const issuer = await startIssuer(callback, claimsOf);
  const server = await startTestServer({
    listen: `127.0.0.1:${port}`,
    provider: "oidc",
    "provider-url": issuer.url,
    "provider-client-id": issuer.clientId,
    "provider-client-secret": issuer.clientSecret,
    ...flags,
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

/** Adds an account as `vitrine users add` does. */
export function invite({ server: { store, clock }, issuer }: OidcServer, login: string) {
  const settings = { issuer: issuer.url, clientId: issuer.clientId, clientSecret: null };
  const provider = oidcProvider({ ...settings, scopes: "openid", groupsClaim: null }, store.users);
  const ports = { users: store.users, provider, passwords: createPasswords(), clock };
  return addAccount(ports, { login, name: null, password: null });
}
