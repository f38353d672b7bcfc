import { createHash } from "node:crypto";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, FlattenedSign, importPKCS8, type JWK } from "jose";
import type { JsonObject } from "../../domain/json.ts";
import { type AcmeFetch, AcmeProblem, malformedResponse, objectOf } from "./transport.ts";

/** An order (RFC 8555 section 7.1.3). */
export interface AcmeOrder {
  readonly url: string;
  readonly status: string;
  readonly authorizations: readonly string[];
  readonly finalize: string;
  /** URL of the certificate; null until the order is valid. */
  readonly certificate: string | null;
  readonly error: unknown;
}

/** The CA's view of one name (RFC 8555 section 7.1.4). */
export interface AcmeAuthorization {
  readonly url: string;
  readonly status: string;
  readonly name: string;
  readonly challenges: readonly AcmeChallenge[];
}

export interface AcmeChallenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly status: string;
  readonly error: unknown;
}

/** External account binding (RFC 8555 section 7.3.4): the CA's key identifier and its HMAC key in base64url. */
export interface AccountBinding {
  readonly kid: string;
  readonly hmacKey: string;
}

interface Settings {
  readonly directory: string;
  /** PEM (PKCS #8), P-256. */
  readonly accountKey: string;
  /** Null until the account exists. */
  readonly accountUrl: string | null;
}

/** A CA may refuse a nonce at any time (RFC 8555 section 6.5), but not this many in a row. */
const MAX_NONCE_ATTEMPTS = 6;

/** The requests of RFC 8555. They are repeated only after a refused nonce. */
export class AcmeClient {
  readonly #settings: Settings;
  readonly #fetch: AcmeFetch;
  readonly #key: CryptoKey;
  readonly #jwk: JWK;
  #accountUrl: string | null;
  #nonce: string | null = null;
  #directory: JsonObject | null = null;

  private constructor(settings: Settings, fetch: AcmeFetch, key: CryptoKey, jwk: JWK) {
    this.#settings = settings;
    this.#fetch = fetch;
    this.#key = key;
    this.#jwk = jwk;
    this.#accountUrl = settings.accountUrl;
  }

  static async open(settings: Settings, fetch: AcmeFetch): Promise<AcmeClient> {
    const key = await importPKCS8(settings.accountKey, "ES256", { extractable: true });
    const { kty, crv, x, y } = await exportJWK(key);
    return new AcmeClient(settings, fetch, key, { kty, crv, x, y } as JWK);
  }

  /** Creates or finds the account of this key, and returns its URL (section 7.3). */
  async createAccount(email: string | null, binding: AccountBinding | null): Promise<string> {
    const url = await this.#resource("newAccount");
    const { headers } = await this.#post(url, {
      termsOfServiceAgreed: true,
      ...(email === null ? {} : { contact: [`mailto:${email}`] }),
      ...(binding === null ? {} : { externalAccountBinding: await this.#bind(binding, url) }),
    });
    this.#accountUrl = locationOf(url, headers);
    return this.#accountUrl;
  }

  /** Places an order (section 7.4); `replaces` names the certificate that it renews (RFC 9773 section 5). */
  async createOrder(names: readonly string[], replaces: string | null): Promise<AcmeOrder> {
    const url = await this.#resource("newOrder");
    const identifiers = names.map((value) => ({ type: "dns", value }));
    const { headers, text } = await this.#post(url, { identifiers, ...(replaces === null ? {} : { replaces }) });
    return orderOf(locationOf(url, headers), text);
  }

  async order(url: string): Promise<AcmeOrder> {
    return orderOf(url, (await this.#post(url, "")).text);
  }

  async authorization(url: string): Promise<AcmeAuthorization> {
    return authorizationOf(url, (await this.#post(url, "")).text);
  }

  /** Notifies the CA that the challenge is ready (section 7.5.1). */
  async respond(challenge: AcmeChallenge): Promise<void> {
    await this.#post(challenge.url, {});
  }

  /** Returns the challenge response: the key authorization (section 8.1), for DNS its digest (section 8.4). */
  async challengeValue({ type, token }: AcmeChallenge): Promise<string> {
    const keyAuthorization = `${token}.${await calculateJwkThumbprint(this.#jwk)}`;
    if (type !== "dns-01") return keyAuthorization;
    return createHash("sha256").update(keyAuthorization).digest("base64url");
  }

  /** Finalizes a ready order with a certificate signing request (section 7.4). */
  async finalize({ finalize }: AcmeOrder, signingRequest: Uint8Array): Promise<void> {
    await this.#post(finalize, { csr: Buffer.from(signingRequest).toString("base64url") });
  }

  /** Downloads the chain of a valid order as PEM, the leaf first (section 7.4.2). */
  async certificate({ url, certificate }: AcmeOrder): Promise<string> {
    if (certificate === null) throw malformedResponse(url);
    return (await this.#post(certificate, "")).text;
  }

  /** Sends a signed request; an empty payload is a POST-as-GET (section 6.3). */
  async #post(url: string, payload: object | "") {
    for (let attempt = 1; ; attempt++) {
      const nonce = await this.#takeNonce();
      try {
        const response = await this.#fetch(url, { method: "POST", body: await this.#sign(url, payload, nonce) });
        this.#nonce = response.headers.get("replay-nonce");
        return response;
      } catch (error) {
        if (!(error instanceof AcmeProblem) || error.type !== "badNonce") throw error;
        if (attempt === MAX_NONCE_ATTEMPTS) throw malformedResponse(url);
      }
    }
  }

  async #sign(url: string, payload: object | "", nonce: string): Promise<string> {
    const account = this.#accountUrl === null ? { jwk: this.#jwk } : { kid: this.#accountUrl };
    const bytes = new TextEncoder().encode(payload === "" ? "" : JSON.stringify(payload));
    const signed = new FlattenedSign(bytes).setProtectedHeader({ alg: "ES256", nonce, url, ...account });
    return JSON.stringify(await signed.sign(this.#key));
  }

  async #bind({ kid, hmacKey }: AccountBinding, url: string) {
    const jwk = new TextEncoder().encode(JSON.stringify(this.#jwk));
    const signed = new FlattenedSign(jwk).setProtectedHeader({ alg: "HS256", kid, url });
    return signed.sign(Buffer.from(hmacKey, "base64url"));
  }

  async #takeNonce(): Promise<string> {
    const kept = this.#nonce;
    this.#nonce = null;
    if (kept !== null) return kept;
    const url = await this.#resource("newNonce");
    const fresh = (await this.#fetch(url, { method: "HEAD" })).headers.get("replay-nonce");
    if (fresh === null) throw malformedResponse(url);
    return fresh;
  }

  /** Returns the URL of a resource in the CA's directory (section 7.1.1). */
  async #resource(name: string): Promise<string> {
    const { directory } = this.#settings;
    this.#directory ??= objectOf(directory, (await this.#fetch(directory)).text);
    return urlOf(directory, this.#directory[name]);
  }
}

// --- internal ---

function orderOf(url: string, text: string): AcmeOrder {
  const { status, authorizations, finalize, certificate, error } = objectOf(url, text);
  if (!Array.isArray(authorizations)) throw malformedResponse(url);
  return {
    url,
    status: textOf(url, status),
    authorizations: authorizations.map((one: unknown) => urlOf(url, one)),
    finalize: urlOf(url, finalize),
    certificate: certificate === undefined ? null : urlOf(url, certificate),
    error,
  };
}

function authorizationOf(url: string, text: string): AcmeAuthorization {
  const { status, identifier, challenges } = objectOf(url, text);
  if (!Array.isArray(challenges)) throw malformedResponse(url);
  return {
    url,
    status: textOf(url, status),
    name: textOf(url, (identifier as { value?: unknown } | undefined)?.value),
    challenges: challenges.map((one: unknown) => challengeOf(url, one)),
  };
}

/** Challenges of unknown types may have no token. */
function challengeOf(url: string, value: unknown): AcmeChallenge {
  const { type, url: own, token, status, error } = (value ?? {}) as Record<string, unknown>;
  return {
    type: textOf(url, type),
    url: urlOf(url, own),
    token: typeof token === "string" ? token : "",
    status: textOf(url, status),
    error,
  };
}

function locationOf(url: string, headers: Headers): string {
  return urlOf(url, headers.get("location"));
}

function textOf(url: string, value: unknown): string {
  if (typeof value !== "string") throw malformedResponse(url);
  return value;
}

function urlOf(url: string, value: unknown): string {
  if (typeof value !== "string" || !URL.canParse(value)) throw malformedResponse(url);
  return value;
}
