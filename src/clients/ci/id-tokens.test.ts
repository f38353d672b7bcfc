import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { base64url, CompactSign, exportSPKI, importJWK } from "jose";
import { ciIdTokens } from "./id-tokens.ts";
import { startIssuer, type TestIssuer } from "./testing/issuer.ts";

let issuer: TestIssuer;
let time: number;
beforeEach(async () => {
  issuer = await startIssuer();
  time = 0;
});
afterEach(() => issuer.stop());

/** A verifier whose clock advances only while it waits. */
function verifier(timeout = 60_000) {
  const sleep = async (milliseconds: number) => {
    time += milliseconds;
  };
  return ciIdTokens([issuer.url], { now: () => time, sleep, timeout });
}

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

describe("keys that rotate", () => {
  test("are fetched again for a token with a new key, and the old key is no longer accepted", async () => {
    const tokens = verifier();
    const old = await issuer.sign({});
    expect((await tokens.check(old)).kind).toBe("signed");
    await issuer.rotate();
    expect(await kindOf(issuer.sign({}), tokens)).toBe("signed");
    expect((await tokens.check(old)).kind).toBe("refused");
  });

  test("that are being fetched are shared by a concurrent exchange", async () => {
    const tokens = verifier();
    const held = Promise.withResolvers<void>();
    const requested = Promise.withResolvers<void>();
    const { jwk } = issuer.key();
    issuer.answer = async (request) => {
      if (!request.url.endsWith("/keys")) return Response.json({ jwks_uri: `${issuer.url}/keys` });
      requested.resolve();
      await held.promise;
      return Response.json({ keys: [jwk] });
    };
    const first = kindOf(issuer.sign({}), tokens);
    await requested.promise;
    await issuer.rotate();
    time += 1;
    const second = kindOf(issuer.sign({}), tokens);
    issuer.answer = null;
    held.resolve();
    expect(await Promise.all([first, second])).toEqual(["signed", "signed"]);
  });

  test("are fetched at most every three seconds, however many unknown keys are named", async () => {
    const tokens = verifier();
    for (let number = 0; number < 10; number++) {
      expect(await kindOf(issuer.sign({}, { kid: `unknown ${number}` }), tokens)).toBe("refused");
    }
    expect(issuer.requests).toBeLessThanOrEqual(2 * (1 + Math.ceil(time / 3000)));
  });
});

describe("an issuer", () => {
  const unavailable = (what: string) => ({
    kind: "unavailable",
    detail: `the ID token cannot be checked: ${issuer.url} ${what}`,
    extra: { retryAfter: 3 },
  });

  test.each<[string, string, () => Response | Promise<Response>, number?]>([
    ["that is silent", "did not answer in time", () => new Promise(() => {}), 1_000],
    ["that sends 10 MB", "gave an answer that is too long", () => new Response("x".repeat(10_000_000))],
    ["that sends no JSON", "gave an answer that is not JSON (status 500)", () => new Response("<p>", { status: 500 })],
    ["that points elsewhere", "redirected the request elsewhere", () => Response.redirect("http://127.0.0.1:1/")],
    ["without keys", "does not say where its keys are", () => Response.json({ jwks_uri: "file:///etc/passwd" })],
    ["with broken keys", "gave no set of keys", () => Response.json({ jwks_uri: `${issuer.url}/keys`, keys: [1] })],
  ])("with %s makes the exchange retry", async (_which, what, answer, timeout = 60_000) => {
    issuer.answer = answer;
    const tokens = verifier(timeout);
    await expect(kindOf(issuer.sign({}), tokens)).rejects.toMatchObject(unavailable(what));
    issuer.answer = null;
    // The next exchange does not fetch again at once.
    await expect(kindOf(issuer.sign({}), tokens)).rejects.toMatchObject(unavailable(what));
    time += 3000;
    expect(await kindOf(issuer.sign({}), tokens)).toBe("signed");
  });

  test("that stops responding is accepted for another hour", async () => {
    const tokens = verifier(60_000);
    const token = await issuer.sign({});
    expect((await tokens.check(token)).kind).toBe("signed");
    issuer.answer = () => new Response("down", { status: 500 });
    time += 59 * 60_000;
    expect((await tokens.check(token)).kind).toBe("signed");
    time += 2 * 60_000;
    await expect(tokens.check(token)).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("with a slow body that is too long is aborted", async () => {
    let sent = 0;
    issuer.answer = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 65_536;
            controller.enqueue(new Uint8Array(65_536));
            if (sent > 50_000_000) controller.close();
          },
        }),
      );
    await expect(kindOf(issuer.sign({}))).rejects.toMatchObject(unavailable("gave an answer that is too long"));
    expect(sent).toBeLessThan(20_000_000);
  });
});
