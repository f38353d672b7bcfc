import { describe, expect, test } from "bun:test";
import { selfSigned } from "../../clients/http/testing/self-signed.ts";
import { Failure } from "../terminal/errors.ts";
import { stubServer } from "../testing/stub-server.ts";
import { ApiClient, path } from "./client.ts";

async function failureAt(client: ApiClient): Promise<Failure> {
  try {
    await client.get("/sites");
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("the response was accepted");
}

async function failureOf(response: Response): Promise<Failure> {
  await using server = stubServer({ "GET /sites": response });
  return await failureAt(new ApiClient(server.url, "t"));
}

describe("an error shows the server's detail and a remedy", () => {
  test.each([
    [401, "authentication is required", {}, "vitrine login"],
    [403, "site is frozen: the operator froze demo", {}, undefined],
    [404, "site does not exist", {}, "vitrine sites list"],
    [413, "a deployment limit was exceeded", {}, ".vitrineignore"],
    [413, "a deployment limit was exceeded: delete a site, or ask the operator for more", {}, undefined],
    [429, "too many", { "Retry-After": "1" }, "Try again in 1 second."],
    [429, "too many", { "Retry-After": "720" }, "Try again in 12 minutes."],
    [429, "too many", { "Retry-After": "7200" }, "Try again in 2 hours."],
    [404, "demo has no alias pr-12", {}, "vitrine aliases list SITE"],
    [404, "share does not exist", {}, "vitrine shares list SITE"],
    [404, "publisher does not exist", {}, "vitrine publishers list SITE"],
    [404, "not found", {}, undefined],
    [503, "custom domains are not ready", {}, "Try again later."],
    [503, "custom domains are off: its operator may switch them on", { "Retry-After": "30" }, undefined],
    [500, "internal error", {}, "log"],
    [507, "disk full", {}, "disk is full"],
    [409, "already claimed", {}, undefined],
  ])("%p %p", async (status, detail, headers, advice) => {
    const failure = await failureOf(Response.json({ detail }, { status, headers: headers as Record<string, string> }));
    expect(failure.message).toBe(detail);
    if (advice === undefined) expect(failure.advice).toBeUndefined();
    else expect(failure.advice).toContain(advice);
  });

  test.each([
    [
      'credential cannot deploy this site: the scope of this token is "publish site:welcome"',
      "this sign-in may only publish welcome",
      "For more: vitrine login",
    ],
    [
      'a session token is required: the scope "preview site:a site:b" cannot do this',
      "this sign-in may only make previews of a and b",
      "For more: vitrine login",
    ],
    [
      "credential cannot deploy this site: a token with the permission preview can neither activate a deployment nor change access; to make a preview, send X-Service-Activate: no or X-Service-Alias",
      "this deployment token may only make previews",
      "Make one with --preview. For more: vitrine login",
    ],
    [
      "credential cannot deploy this site: send X-Service-Site: hello with this deployment token",
      "this deployment token is for hello",
      "Deploy there: --site hello",
    ],
    [
      "credential cannot deploy this site: this deployment token belongs to hello",
      "this deployment token is for hello",
      "Deploy there: --site hello",
    ],
    [
      "a session token is required: a deployment token cannot do this",
      "a deployment token cannot do this",
      "Sign in: vitrine login. Then leave out --token and VITRINE_TOKEN.",
    ],
    [
      "site ownership is required: demo belongs to someone else",
      "demo belongs to someone else",
      "Check the name, or sign in as its owner: vitrine login",
    ],
    [
      "credential cannot deploy this site: demo was deleted within the last 30 days: choose another name",
      "demo was deleted within the last 30 days: choose another name",
      undefined,
    ],
    ["account is frozen: ask the operator", "your account is frozen", "Ask the operator of the server."],
    [
      "site has expired: demo is removed soon, unless it gets another expiry",
      "demo has expired, and is removed soon",
      "Bring it back with more time: vitrine sites expiry demo 30d",
    ],
    [
      "account is frozen: unpaid: ask the operator",
      "your account is frozen: unpaid",
      "Ask the operator of the server.",
    ],
    [
      'the provider user does not exist: there is no account "grace" on this server',
      'there is no account "grace" on this server',
      "Invite it first: the operator does so in the console, or with vitrine users add LOGIN",
    ],
    [
      "demo is private: make it public first, or leave X-Service-Access out",
      "demo is private, and a deployment does not make it public",
      "Leave out --public, or make it public first: vitrine access public demo",
    ],
    [
      "the deployment is active",
      "this deployment is live, so it cannot be deleted",
      "Deploy a version without the problem, or go back first: vitrine rollback SITE",
    ],
    [
      "aliases point to this deployment: beta, pr-12",
      "aliases point to this deployment: beta, pr-12",
      "Remove them, or set them to another one, first: vitrine aliases --help",
    ],
    ['the provider user does not exist: GitHub knows nobody called "x"', 'GitHub knows nobody called "x"', undefined],
  ])("in the words of a terminal: %s", async (detail, message, advice) => {
    const failure = await failureOf(Response.json({ detail }, { status: detail.startsWith("the") ? 404 : 403 }));
    expect([failure.message, failure.advice]).toEqual([message, advice]);
  });

  test("a validation error names the fields", async () => {
    const detail = [{ loc: ["body", "provider_login"], msg: "Field required", type: "missing" }];
    expect((await failureOf(Response.json({ detail }, { status: 422 }))).message).toBe(
      "provider_login: Field required",
    );
  });

  test("a server of another kind is detected", async () => {
    const { message, advice } = await failureOf(new Response("<h1>nginx</h1>", { status: 502 }));
    expect(message).toMatch(/^http:\/\/127.0.0.1:\d+ answered with status 502$/);
    expect(advice).toContain("Check --server");
  });

  test("a successful response that is not JSON is detected", async () => {
    expect((await failureOf(new Response("<h1>hello</h1>"))).message).toContain("did not respond with JSON");
  });

  test.each([[null], [{}], [[]], [5], ["x"]])("an object is distinguished from %j", async (response) => {
    const { message, advice } = await failureOf(Response.json(response));
    expect(message).toEndWith("did not respond as a Vitrine server does");
    expect(advice).toContain("Check --server");
  });

  test.each([[null], [{}], [{ sites: [] }], [[5]], [[null]]])("a list is distinguished from %j", async (response) => {
    await using server = stubServer({ "GET /sites": Response.json(response) });
    await expect(new ApiClient(server.url, "t").list("/sites")).rejects.toThrow(
      "did not respond as a Vitrine server does",
    );
  });

  test("a redirect is not followed, and its target is printed", async () => {
    const response = new Response(null, { status: 308, headers: { Location: "https://pages.example.org/x" } });
    expect((await failureOf(response)).advice).toBe("Use that URL: --server https://pages.example.org");
  });

  test("a redirect to the same server, as to a proxy's sign-in page, is no other server", async () => {
    const { message, advice } = await failureOf(new Response(null, { status: 302, headers: { Location: "/login" } }));
    expect([message, advice]).toEqual([expect.stringMatching(/^\S+ redirects to another page$/), "Check --server."]);
  });

  test("escape sequences in a detail do not reach the terminal", async () => {
    expect((await failureOf(Response.json({ detail: "a\x1b[2Jb" }, { status: 400 }))).message).toBe("a\ufffd[2Jb");
  });
});

test("an unreachable server is reported as such", async () => {
  const error = await failureAt(new ApiClient("http://127.0.0.1:9", null));
  expect(error.message).toBe("no server responds at http://127.0.0.1:9");
  expect(error.advice).toContain("vitrine serve");
});

test("the credential is sent with every request, and values stay within their path segment", async () => {
  await using server = stubServer({ "DELETE /sites/..%2Fa%3Fb/domains/7": new Response(null, { status: 204 }) });
  await new ApiClient(server.url, "vts_x").delete(path`/sites/${"../a?b"}/domains/${7}`);
  expect(server.requested[0]?.headers.get("authorization")).toBe("Bearer vts_x");
});

test.each(["", ".", ".."])("%j is no path segment, and the error says what kind of value it should be", (value) => {
  const refused = (noun: string) => `${noun}: ${JSON.stringify(value)} is not usable; give its name or id`;
  expect(() => path`/sites/${value}`).toThrow(refused("site"));
  expect(() => path`/sites/${"demo"}/webhooks/${value}`).toThrow(refused("webhook"));
});

test("an interrupted connection is reported as such", async () => {
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => socket.terminate() } });
  const error = await failureAt(new ApiClient(`http://127.0.0.1:${listener.port}`, null));
  expect(error.message).toEndWith("closed the connection");
  expect(error.advice).toContain("Try again");
});

test("an unknown hostname is reported with its name", async () => {
  const error = await failureAt(new ApiClient("http://no-such-name.invalid", null));
  expect(error.message).toMatch(/no-such-name\.invalid cannot be reached: .*no-such-name\.invalid/);
});

test("an untrusted certificate is reported with a way to trust it", async () => {
  const server = Bun.serve({ port: 0, tls: await selfSigned("localhost"), fetch: () => new Response("{}") });
  const error = await failureAt(new ApiClient(`https://localhost:${server.port}`, null));
  await server.stop(true);
  expect(error.message).toContain("is not trusted");
  expect(error.advice).toContain("NODE_EXTRA_CA_CERTS");
});
