import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { DeviceCodeProvider, RedirectProvider } from "../../domain/ports/identity.ts";
import { githubProvider } from "./github.ts";
import { CLIENT, type GitHubStandIn, OCTOCAT, startGitHub } from "./testing/github.ts";
import { refusal } from "./testing/refusal.ts";

let github: GitHubStandIn;
beforeEach(() => {
  github = startGitHub();
});
afterEach(() => github.stop());

const CALLBACK = "http://localhost:8080/sign-in/callback";

function withSecret(timeout = 60_000): RedirectProvider {
  const settings = { url: github.url, clientId: CLIENT.id, clientSecret: CLIENT.secret, timeout };
  return githubProvider(settings) as RedirectProvider;
}

function withoutSecret(): DeviceCodeProvider {
  return githubProvider({ url: github.url, clientId: CLIENT.id, clientSecret: null }) as DeviceCodeProvider;
}

const octocat = () => ({
  provider: "github" as const,
  subject: `${OCTOCAT.id}@${new URL(github.url).host}`,
  login: "octocat",
  name: "The Octocat",
  avatarUrl: OCTOCAT.avatar_url,
});

describe("the web flow", () => {
  async function callback(provider: RedirectProvider, state: string) {
    const { url, secret } = await provider.begin(CALLBACK, state);
    const sent = await fetch(url, { redirect: "manual" });
    return { response: new URL(sent.headers.get("location") ?? "").searchParams, secret };
  }

  test("returns the user of the code", async () => {
    const provider = withSecret();
    const { response, secret } = await callback(provider, "state-1");
    expect(await provider.complete(CALLBACK, response, "state-1", secret)).toEqual(octocat());
  });

  test("a callback with another state is refused without a request to GitHub", async () => {
    const provider = withSecret();
    const { response, secret } = await callback(provider, "state-1");
    const requested = github.seen.length;
    expect((await refusal(provider.complete(CALLBACK, response, "state-2", secret))).kind).toBe("invalid");
    expect(github.seen.length).toBe(requested);
  });

  test("a code without its PKCE verifier, or a used one, is refused", async () => {
    const provider = withSecret();
    const first = await callback(provider, "s");
    const stolen = await refusal(provider.complete(CALLBACK, first.response, "s", "another verifier"));
    expect(stolen.detail).toContain("GitHub refused: bad_verification_code");
    const again = await refusal(provider.complete(CALLBACK, first.response, "s", first.secret));
    expect(again.kind).toBe("provider_lookup_failed");
  });

  test("a cancelled sign-in at GitHub is forbidden, not a failed lookup", async () => {
    const response = new URLSearchParams({ error: "access_denied", state: "s" });
    expect((await refusal(withSecret().complete(CALLBACK, response, "s", "v"))).kind).toBe("forbidden");
  });
});

describe("the device flow", () => {
  test("waits, slows down on request, and returns the user", async () => {
    const provider = withoutSecret();
    github.polls.push({ error: "authorization_pending" }, { error: "slow_down", interval: 10 });
    const code = await provider.begin();
    expect(code).toMatchObject({ userCode: "WDJB-MJHT", interval: 5, expiresIn: 900 });
    expect(await provider.poll(code.deviceCode)).toEqual({ outcome: "pending", interval: null });
    expect(await provider.poll(code.deviceCode)).toEqual({ outcome: "pending", interval: 10 });
    expect(await provider.poll(code.deviceCode)).toEqual({ outcome: "signed_in", identity: octocat() });
  });

  test.each([
    ["access_denied", "denied"],
    ["expired_token", "expired"],
    ["incorrect_device_code", "expired"],
  ] as const)("%s ends it as %s", async (error, outcome) => {
    github.polls.push({ error });
    expect(await withoutSecret().poll("d")).toEqual({ outcome });
  });

  test("an application without the device flow is reported as such", async () => {
    github.instead = () => Response.json({ error: "device_flow_disabled" });
    expect((await refusal(withoutSecret().begin())).detail).toContain("device_flow_disabled");
  });
});

describe("the lookup of a login", () => {
  test("returns users by login with their numeric id", async () => {
    expect(await withSecret().findByLogin("OctoCat")).toEqual(octocat());
  });

  test("authenticates as the application if there is a secret", async () => {
    await withSecret().findByLogin("octocat");
    expect(github.seen.at(-1)).toBe(`/api/v3/users/octocat Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`);
  });

  test("finds no unknown logins or organizations", async () => {
    github.people.push({ ...OCTOCAT, id: 9919, login: "github", type: "Organization" });
    expect(await withSecret().findByLogin("nobody-at-all")).toBeNull();
    expect(await withSecret().findByLogin("github")).toBeNull();
  });

  const elsewhere = Response.redirect("http://127.0.0.1:1/", 302);
  const person = { id: 1, login: "octocat" };
  const long = "x".repeat(300_000);
  test.each<[string, () => Response | Promise<Response>, string]>([
    ["fails", () => new Response("oops", { status: 500 }), "not JSON (status 500)"],
    ["fails politely", () => Response.json({ message: "no" }, { status: 503 }), "status 503"],
    ["limits us", () => Response.json({ message: "rate limit" }, { status: 403 }), "status 403"],
    ["redirects elsewhere", () => elsewhere.clone() as Response, "redirected"],
    ["says nothing of use", () => Response.json([person]), "not JSON"],
    ["forgets the id", () => Response.json({ login: "octocat" }), "without id or login"],
    ["sends an id that is text", () => Response.json({ ...person, id: "1" }), "without id or login"],
    ["sends markup as login", () => Response.json({ ...person, login: "<b>" }), "without id or login"],
    ["never ends", () => Response.json({ ...person, long }), "too long"],
  ])("a provider that %s is a failed lookup", async (_what, response, detail) => {
    github.instead = response;
    const error = await refusal(withSecret().findByLogin("octocat"));
    expect(error.kind).toBe("provider_lookup_failed");
    expect(error.detail).toStartWith("the provider lookup failed: GitHub");
    expect(error.detail).toContain(detail);
  });

  test("a provider that does not respond in time is a failed lookup", async () => {
    github.instead = () => new Promise(() => {});
    expect((await refusal(withSecret(50).findByLogin("octocat"))).detail).toContain("did not respond in time");
  });

  test("an unreachable provider is a failed lookup", async () => {
    const provider = withSecret();
    github.stop();
    expect((await refusal(provider.findByLogin("octocat"))).detail).toContain("cannot be reached");
  });
});

test.each([
  ["octocat", true],
  ["a", true],
  ["octocat_acme", true],
  ["A-b-9", true],
  ["-a", false],
  ["a-", false],
  ["a--b", false],
  ["", false],
  ["a b", false],
  ["a/b", false],
  ["a\u0000", false],
  ["octocat\n", false],
  ["x".repeat(40), false],
])("%p as a login: %p", (login, usable) => {
  expect(withSecret().isLogin(login)).toBe(usable);
});
