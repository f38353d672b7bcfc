import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { RedirectProvider } from "../../domain/ports/identity.ts";
import { oidcProvider } from "./oidc.ts";
import { type Issuer, signInAtIssuer, startIssuer } from "./testing/issuer.ts";
import { refusal } from "./testing/refusal.ts";

const CALLBACK = "http://localhost:8080/sign-in/callback";
const plain = { scopes: "openid profile email", groupsClaim: null };
const nobody = { findByLogin: async () => null };

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer(CALLBACK);
});
afterAll(() => issuer.stop());

function provider(): RedirectProvider {
  const { url, clientId, clientSecret } = issuer;
  return oidcProvider({ issuer: url, clientId, clientSecret, ...plain }, nobody);
}

async function signIn(oidc: RedirectProvider, state: string) {
  const { url, secret } = await oidc.begin(CALLBACK, state);
  return { response: (await signInAtIssuer(url, CALLBACK, "alice")).searchParams, secret };
}

describe("sign-in at a real issuer", () => {
  test("returns the user with issuer and subject", async () => {
    const oidc = provider();
    const { response, secret } = await signIn(oidc, "state-1");
    expect(await oidc.complete(CALLBACK, response, "state-1", secret)).toEqual({
      provider: "oidc",
      subject: `${issuer.url}#alice`,
      login: "alice",
      name: "Full name of alice",
      avatarUrl: null,
    });
  });

  test("uses PKCE, state and nonce", async () => {
    const { url } = await provider().begin(CALLBACK, "state-1");
    const query = new URL(url).searchParams;
    expect(query.get("code_challenge_method")).toBe("S256");
    expect(query.get("state")).toBe("state-1");
    expect(query.get("nonce")?.length).toBeGreaterThan(20);
  });

  test("a callback with another state belongs to another sign-in", async () => {
    const oidc = provider();
    const { response, secret } = await signIn(oidc, "state-1");
    expect((await refusal(oidc.complete(CALLBACK, response, "state-2", secret))).kind).toBe("invalid");
  });

  test("a code is invalid without its PKCE verifier, with another nonce, or a second time", async () => {
    const oidc = provider();
    const first = await signIn(oidc, "s");
    const withOtherVerifier = `${"v".repeat(43)} ${first.secret.split(" ")[1]}`;
    const stolen = await refusal(oidc.complete(CALLBACK, first.response, "s", withOtherVerifier));
    expect(stolen.kind).toBe("provider_lookup_failed");
    const second = await signIn(oidc, "s");
    const replayed = oidc.complete(CALLBACK, second.response, "s", `${second.secret.split(" ")[0]} other-nonce`);
    expect((await refusal(replayed)).kind).toBe("provider_lookup_failed");
    const again = await refusal(oidc.complete(CALLBACK, second.response, "s", second.secret));
    expect(again.kind).toBe("provider_lookup_failed");
  });

  test("a cancelled sign-in at the issuer is forbidden", async () => {
    const response = new URLSearchParams({ error: "access_denied", state: "s", iss: issuer.url });
    expect((await refusal(provider().complete(CALLBACK, response, "s", "v n"))).kind).toBe("forbidden");
  });
});

test("groups are read at the issuer, also from userinfo, if their claim and scope are set", async () => {
  const other = await startIssuer(
    CALLBACK,
    () => ({ groups: ["team"] }),
    () => ({ preferred_username: "alice", groups: "docs" }),
  );
  const { url: issuerUrl, clientId, clientSecret } = other;
  const groupsIn = async (scopes: string, groupsClaim: string | null) => {
    const oidc = oidcProvider({ issuer: issuerUrl, clientId, clientSecret, scopes, groupsClaim }, nobody);
    const { url, secret } = await oidc.begin(CALLBACK, "s");
    const response = (await signInAtIssuer(url, CALLBACK, "alice")).searchParams;
    return (await oidc.complete(CALLBACK, response, "s", secret)).groups;
  };
  expect(await groupsIn("openid profile groups", "groups")).toEqual({ outcome: "told", names: ["docs", "team"] });
  expect(await groupsIn("openid profile", "groups")).toEqual({ outcome: "absent", names: [] });
  expect(await groupsIn("openid profile groups", null)).toBeUndefined();
  await other.stop();
});

test("an address in userinfo is not verified by a claim of the ID token about another", async () => {
  const names = { email: "mallory@corp.example" };
  const verified = { email: "alice@corp.example", email_verified: true };
  const other = await startIssuer(
    CALLBACK,
    () => names,
    () => verified,
  );
  const { url: issuerUrl, clientId, clientSecret } = other;
  const oidc = oidcProvider({ issuer: issuerUrl, clientId, clientSecret, ...plain }, nobody);
  const { url, secret } = await oidc.begin(CALLBACK, "s");
  const response = (await signInAtIssuer(url, CALLBACK, "subject-1")).searchParams;
  expect(await oidc.complete(CALLBACK, response, "s", secret)).toMatchObject({ login: "subject-1" });
  await other.stop();
});

describe("a faulty issuer", () => {
  const document = (url: string) => ({ issuer: url, authorization_endpoint: `${url}/a`, token_endpoint: `${url}/t` });
  test.each<[string, (url: string) => Response | Promise<Response>, string]>([
    ["fails", () => new Response("oops", { status: 500 }), "does not fit"],
    ["sends no JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "does not fit"],
    ["redirects elsewhere", () => Response.redirect("http://127.0.0.1:1/", 302), "does not fit"],
    ["names another issuer", () => Response.json(document("https://evil.example")), "does not fit"],
    ["does not answer in time", () => new Promise(() => {}), "did not respond in time"],
  ])("that %s is a failed lookup", async (what, response, detail) => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: (request) => response(new URL(request.url).origin),
    });
    // The others are slow on a busy machine.
    const timeout = what === "does not answer in time" ? 300 : 60_000;
    const settings = { issuer: `http://127.0.0.1:${server.port}`, clientId: "c", clientSecret: "s", timeout, ...plain };
    const error = await refusal(oidcProvider(settings, nobody).begin(CALLBACK, "s"));
    server.stop(true);
    expect(error.kind).toBe("provider_lookup_failed");
    expect(error.detail).toContain(detail);
  });

  test("that was down is requested again next time", async () => {
    let up = false;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      fetch: (request) =>
        up ? Response.json(document(new URL(request.url).origin)) : new Response("down", { status: 503 }),
    });
    const settings = { issuer: `http://127.0.0.1:${server.port}`, clientId: "c", clientSecret: null, ...plain };
    const oidc = oidcProvider(settings, nobody);
    expect((await refusal(oidc.begin(CALLBACK, "s"))).kind).toBe("provider_lookup_failed");
    up = true;
    expect((await oidc.begin(CALLBACK, "s")).url).toContain("/a?");
    server.stop(true);
  });
});

test.each([
  ["alice", true],
  ["alice@corp.example", true],
  ["Ünal", true],
  ["", false],
  ["a b", false],
  ["a\u0000b", false],
  ["a\u202Eb", false],
  ["a/b", false],
])("%p as a login: %p", (login, usable) => {
  expect(provider().isLogin(login)).toBe(usable);
});
