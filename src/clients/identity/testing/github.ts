/** A user of the fake GitHub. */
interface GitHubPerson {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatar_url: string;
  readonly type: "User" | "Organization";
}

export const OCTOCAT: GitHubPerson = {
  id: 583231,
  login: "octocat",
  name: "The Octocat",
  avatar_url: "https://avatars.example/u/583231",
  type: "User",
};

export const CLIENT = { id: "Iv1.0123456789abcdef", secret: "the client secret" };
const TOKEN = "gho_16C7e42F292c6912E7710c838347Ae178B4a";

/** A fake GitHub for sign-in and user look-up, as documented by GitHub. */
export interface GitHubStandIn {
  readonly url: string;
  readonly people: GitHubPerson[];
  /** Responses to the next polls of the device flow, before the approval. */
  readonly polls: Record<string, unknown>[];
  /** If set, handles every request. */
  instead: ((request: Request) => Response | Promise<Response>) | null;
  /** The received paths with their `authorization`. */
  readonly seen: string[];
  stop(): void;
}

/** Starts the fake; every sign-in is `OCTOCAT`. */
export function startGitHub(): GitHubStandIn {
  const standIn = { people: [OCTOCAT], polls: [] as Record<string, unknown>[], seen: [] as string[] };
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      standIn.seen.push(`${pathname} ${request.headers.get("authorization") ?? ""}`.trim());
      if (github.instead) return github.instead(request);
      if (pathname === "/login/oauth/authorize") return authorize(searchParams);
      if (pathname === "/login/device/code") return Response.json(DEVICE_CODE(github.url));
      if (pathname === "/login/oauth/access_token") return exchange(new URLSearchParams(await request.text()));
      if (pathname === "/api/v3/user") return whoAmI(request);
      const login = /^\/api\/v3\/users\/([^/]+)$/.exec(pathname)?.[1]?.toLowerCase();
      const person = standIn.people.find((candidate) => candidate.login.toLowerCase() === login);
      return person ? Response.json(person) : Response.json({ message: "Not Found", status: "404" }, { status: 404 });
    },
  });

  function authorize(query: URLSearchParams): Response {
    const redirectUri = query.get("redirect_uri") ?? "";
    codes.set("code-1", { challenge: query.get("code_challenge") ?? "", redirectUri });
    return Response.redirect(`${redirectUri}?code=code-1&state=${query.get("state")}`, 302);
  }

  /** Errors of this request have status 200. */
  function exchange(form: URLSearchParams): Response {
    if (form.get("grant_type")?.endsWith(":device_code")) {
      return Response.json(standIn.polls.shift() ?? { access_token: TOKEN, token_type: "bearer", scope: "" });
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    const fits = code?.challenge === challenge && code.redirectUri === form.get("redirect_uri");
    if (form.get("client_secret") !== CLIENT.secret) return Response.json({ error: "incorrect_client_credentials" });
    if (!fits) return Response.json({ error: "bad_verification_code" });
    return Response.json({ access_token: TOKEN, token_type: "bearer", scope: "" });
  }

  function whoAmI(request: Request): Response {
    const known = request.headers.get("authorization") === `Bearer ${TOKEN}`;
    return known ? Response.json(OCTOCAT) : Response.json({ message: "Bad credentials" }, { status: 401 });
  }

  const github: GitHubStandIn = {
    ...standIn,
    url: `http://127.0.0.1:${server.port}`,
    instead: null,
    stop: () => void server.stop(true),
  };
  return github;
}

const DEVICE_CODE = (url: string) => ({
  device_code: "3584d83530557fdd1f46af8289938c8ef79f9dc5",
  user_code: "WDJB-MJHT",
  verification_uri: `${url}/login/device`,
  expires_in: 900,
  interval: 5,
});
