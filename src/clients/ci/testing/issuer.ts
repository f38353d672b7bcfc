import { CompactSign, exportJWK, generateKeyPair, type JWK } from "jose";

export { GITHUB_PUSH } from "../../../domain/publishers/testing/claims.ts";

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** A CI system's issuer of ID tokens on loopback, with key rotation. */
export interface TestIssuer {
  readonly url: string;
  /** The number of received requests. */
  requests: number;
  /**
   * Overrides the responses while it is set. A promise that never resolves simulates an issuer that does not respond.
   */
  respond: ((request: Request) => Response | Promise<Response>) | null;
  /** The current signing key. */
  key(): SigningKey;
  /** Signs with a new key from now on. The old one is no longer published. */
  rotate(): Promise<void>;
  /**
   * Returns a signed ID token with valid `iss`, `iat`, `exp` and `jti`, unless `claims` has others; undefined omits
   * one.
   */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

/** With a certificate the issuer serves HTTPS, under the name `localhost`. */
export async function startIssuer(
  now: () => number = Date.now,
  tls?: { readonly cert: string; readonly key: string },
): Promise<TestIssuer> {
  let key = await newKey();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    ...(tls && { tls }),
    fetch(request) {
      issuer.requests++;
      if (issuer.respond) return issuer.respond(request);
      if (new URL(request.url).pathname === "/keys") return Response.json({ keys: [key.jwk] });
      return Response.json({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
    },
  });
  const issuer: TestIssuer = {
    url: tls ? `https://localhost:${server.port}` : `http://127.0.0.1:${server.port}`,
    requests: 0,
    respond: null,
    key: () => key,
    async rotate() {
      key = await newKey();
    },
    sign(claims, header = {}) {
      const iat = Math.floor(now() / 1000);
      const all = { iss: issuer.url, iat, exp: iat + 300, jti: crypto.randomUUID(), ...claims };
      const signer = new CompactSign(new TextEncoder().encode(JSON.stringify(all)));
      return signer.setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT", ...header }).sign(key.privateKey);
    },
    stop: () => server.stop(true),
  };
  return issuer;
}

async function newKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = crypto.randomUUID();
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: "sig", alg: "RS256" } };
}
