import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { base64url, CompactSign, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK } from "jose";
import { ciIdTokens } from "./id-tokens.ts";
import { startIssuer, type TestIssuer } from "./testing/issuer.ts";

let issuer: TestIssuer;
let time: number;
beforeEach(async () => {
  issuer = await startIssuer();
  time = 0;
});
afterEach(() => issuer.stop());

const verifier = (timeout = 60_000) => ciIdTokens([issuer.url], { now: () => time, timeout });

const kindOf = async (token: Promise<string>, tokens = verifier()) => (await tokens.check(await token)).kind;

describe("a signature", () => {
  test("of the issuer's key is accepted repeatedly, with a single fetch of the keys", async () => {
    const tokens = verifier();
    const token = await issuer.sign({ repository: "octo/blog" });
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.check(token)));
    for (const checked of all) {
      expect(checked).toMatchObject({ kind: "signed", issuer: issuer.url, claims: { repository: "octo/blog" } });
    }
    expect(issuer.requests).toBe(2);
  });

  test("of an unknown issuer is not checked", async () => {
    const token = issuer.sign({ iss: "https://issuer.example" });
    const why = "iss: this server does not accept ID tokens of that issuer (see --ci-issuers)";
    expect(await verifier().check(await token)).toEqual({ kind: "refused", why });
    expect(issuer.requests).toBe(0);
  });

  test("is refused for another key, changed claims, no signature, or the public key as a secret", async () => {
    const token = await issuer.sign({ ref: "refs/heads/dev" });
    const [header = "", , signature = ""] = token.split(".");
    const changed = base64url.encode(JSON.stringify({ iss: issuer.url, ref: "refs/heads/main" }));
    const unsigned = base64url.encode(JSON.stringify({ alg: "none" }));
    const { jwk, kid } = issuer.key();
    const publicKey = new TextEncoder().encode(await exportSPKI((await importJWK(jwk, "RS256")) as CryptoKey));
    const hmac = new CompactSign(new TextEncoder().encode(JSON.stringify({ iss: issuer.url })));
    const other = await startIssuer();
    try {
      const forged = [
        await other.sign({ iss: issuer.url }, { kid }),
        `${header}.${changed}.${signature}`,
        `${unsigned}.${changed}.`,
        await hmac.setProtectedHeader({ alg: "HS256", kid }).sign(publicKey),
        `${token}x`,
        "not a token",
        "",
        "a.b.c",
        `${header}.${"a".repeat(20_000)}.${signature}`,
      ];
      const tokens = verifier();
      for (const text of forged) expect((await tokens.check(text)).kind).toBe("refused");
    } finally {
      await other.stop();
    }
  });
});

describe("a token or a key that jose refuses with an error of its own is refused:", () => {
  const REFUSED = {
    signature: "the signature of the ID token is not valid",
    key: "the issuer's key for the ID token is not usable",
    crit: "crit: this server does not know the critical extensions of the ID token",
  };
  const encode = (value: unknown) => base64url.encode(JSON.stringify(value));
  const jwkOf = async (alg: string, half: "publicKey" | "privateKey" = "publicKey") =>
    exportJWK((await generateKeyPair(alg, { extractable: true }))[half]);
  /** jose generates none. */
  async function shortRsaKey(): Promise<JWK> {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]) };
    const pair = await crypto.subtle.generateKey({ ...algorithm, modulusLength: 1024 }, true, ["sign", "verify"]);
    return exportJWK(pair.publicKey);
  }

  /** Checks a token whose key is published as this. */
  async function whyRefused(header: object, jwk: object = issuer.key().jwk): Promise<string> {
    const { kid } = issuer.key();
    issuer.respond = ({ url }) =>
      Response.json(url.endsWith("/keys") ? { keys: [{ ...jwk, kid }] } : { jwks_uri: `${issuer.url}/keys` });
    const [, payload, signature] = (await issuer.sign({})).split(".");
    const checked = await verifier().check(`${encode({ alg: "RS256", kid, ...header })}.${payload}.${signature}`);
    return checked.kind === "refused" ? checked.why : checked.kind;
  }

  test("headers", async () => {
    const { alg: _, ...jwk } = issuer.key().jwk;
    const why: [object, string][] = [
      [{ crit: ["x"], x: 1 }, REFUSED.crit],
      [{ crit: ["b64"], b64: false }, REFUSED.crit],
      [{ crit: ["toString"] }, REFUSED.crit],
      [{ crit: [] }, REFUSED.crit],
      [{ crit: null }, REFUSED.crit],
      [{ b64: false }, REFUSED.signature],
      [{ alg: "PS256" }, REFUSED.signature],
    ];
    for (const [header, expected] of why) expect([header, await whyRefused(header, jwk)]).toEqual([header, expected]);
  });

  test("a payload that was signed without encoding", async () => {
    const { kid, privateKey } = issuer.key();
    const signed = `${encode({ alg: "RS256", kid, crit: ["b64"], b64: false })}.${encode({ iss: issuer.url })}`;
    const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey, Buffer.from(signed));
    const token = `${signed}.${base64url.encode(new Uint8Array(signature))}`;
    expect(await verifier().check(token)).toEqual({ kind: "refused", why: REFUSED.crit });
  });

  test("keys", async () => {
    const [rsa, ec, okp] = [issuer.key().jwk, await jwkOf("ES256"), await jwkOf("EdDSA")];
    const keys: Readonly<Record<string, readonly [string, object]>> = {
      "a short RSA key": ["RS256", await shortRsaKey()],
      "n that is not encoded": ["RS256", { ...rsa, n: "!!!" }],
      "an empty n": ["RS256", { ...rsa, n: "" }],
      "no n": ["RS256", { ...rsa, n: undefined }],
      "a number for n": ["RS256", { ...rsa, n: 5 }],
      "e that is not encoded": ["RS256", { ...rsa, e: "!!!" }],
      "no e": ["RS256", { ...rsa, e: undefined }],
      "an object for e": ["RS256", { ...rsa, e: {} }],
      "a private RSA key": ["RS256", await jwkOf("RS256", "privateKey")],
      "a part of a private RSA key": ["RS256", { ...rsa, d: "AQAB" }],
      "an operation for private keys": ["RS256", { ...rsa, key_ops: ["verify", "sign"] }],
      "an operation that does not exist": ["RS256", { ...rsa, key_ops: ["verify", "guess"] }],
      "a point off the curve": ["ES256", { ...ec, x: ec.y }],
      "a point that is too short": ["ES256", { ...ec, x: "AQAB" }],
      "half a point": ["ES256", { ...ec, y: undefined }],
      "a private EC key": ["ES256", await jwkOf("ES256", "privateKey")],
      "an OKP key that is too short": ["EdDSA", { ...okp, x: "AQAB" }],
      "an OKP key without its bytes": ["EdDSA", { ...okp, x: undefined }],
      "a private OKP key": ["EdDSA", await jwkOf("EdDSA", "privateKey")],
    };
    for (const [what, [alg, jwk]] of Object.entries(keys)) {
      expect([what, await whyRefused({ alg }, jwk)]).toEqual([what, REFUSED.key]);
    }
  });
});

describe("keys that rotate", () => {
  test("are fetched again for a token with a new key, and the old key is no longer accepted", async () => {
    const tokens = verifier();
    const old = await issuer.sign({});
    expect((await tokens.check(old)).kind).toBe("signed");
    await issuer.rotate();
    time += 30_000;
    expect(await kindOf(issuer.sign({}), tokens)).toBe("signed");
    expect((await tokens.check(old)).kind).toBe("refused");
  });

  test("are fetched once for concurrent exchanges with a new key", async () => {
    const tokens = verifier();
    expect(await kindOf(issuer.sign({}), tokens)).toBe("signed");
    await issuer.rotate();
    time += 30_000;
    const exchanges = Array.from({ length: 20 }, () => kindOf(issuer.sign({}), tokens));
    expect(new Set(await Promise.all(exchanges))).toEqual(new Set(["signed"]));
    expect(issuer.requests).toBe(4);
  });

  test("are fetched at most every 30 seconds, however many unknown keys are named", async () => {
    const tokens = verifier();
    for (let seconds = 0; seconds <= 60; seconds++) {
      time = seconds * 1000;
      expect(await kindOf(issuer.sign({}, { kid: `unknown ${seconds}` }), tokens)).toBe("refused");
    }
    expect(issuer.requests).toBe(2 * 3);
  });
});

describe("an issuer", () => {
  const unavailable = (what: string, retryAfter = 30) => ({
    kind: "unavailable",
    detail: `the ID token cannot be checked: ${issuer.url} ${what}`,
    extra: { retryAfter },
  });

  test.each<[string, string, () => Response | Promise<Response>, number?]>([
    ["that is silent", "did not respond in time", () => new Promise(() => {}), 1_000],
    ["that sends 10 MB", "sent a response that is too long", () => new Response("x".repeat(10_000_000))],
    ["that sends no JSON", "sent a response that is not JSON (status 500)", () => new Response("<p>", { status: 500 })],
    ["that points elsewhere", "redirected the request elsewhere", () => Response.redirect("http://127.0.0.1:1/")],
    ["without keys", "does not say where its keys are", () => Response.json({ jwks_uri: "file:///etc/passwd" })],
    ["with broken keys", "gave no set of keys", () => Response.json({ jwks_uri: `${issuer.url}/keys`, keys: [1] })],
  ])("with %s makes the exchange retry", async (_which, what, response, timeout = 60_000) => {
    issuer.respond = response;
    const tokens = verifier(timeout);
    await expect(kindOf(issuer.sign({}), tokens)).rejects.toMatchObject(unavailable(what));
    issuer.respond = null;
    // The next exchange does not fetch again at once.
    time += 29_500;
    await expect(kindOf(issuer.sign({}), tokens)).rejects.toMatchObject(unavailable(what, 1));
    time += 500;
    expect(await kindOf(issuer.sign({}), tokens)).toBe("signed");
  });

  test("that stops responding is accepted for another hour", async () => {
    const tokens = verifier(60_000);
    const token = await issuer.sign({});
    expect((await tokens.check(token)).kind).toBe("signed");
    issuer.respond = () => new Response("down", { status: 500 });
    time += 59 * 60_000;
    expect((await tokens.check(token)).kind).toBe("signed");
    time += 2 * 60_000;
    await expect(tokens.check(token)).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("with a slow body that is too long is aborted", async () => {
    let sent = 0;
    issuer.respond = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 65_536;
            controller.enqueue(new Uint8Array(65_536));
            if (sent > 50_000_000) controller.close();
          },
        }),
      );
    await expect(kindOf(issuer.sign({}))).rejects.toMatchObject(unavailable("sent a response that is too long"));
    expect(sent).toBeLessThan(20_000_000);
  });
});
