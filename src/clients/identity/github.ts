import { DomainError } from "../../domain/errors.ts";
import type { Identity } from "../../domain/model/user.ts";
import type { DeviceCodeProvider, RedirectProvider } from "../../domain/ports/identity.ts";
import { askProvider, lookupFailed, nameOrNull, PROVIDER_TIMEOUT_MS, textOrNull } from "./outbound.ts";

interface GitHubSettings {
  /** `https://github.com`, or the URL of a GitHub Enterprise Server. */
  readonly url: string;
  readonly clientId: string;
  /** Without a secret, users enter a code at GitHub (device flow) instead of the web flow. */
  readonly clientSecret: string | null;
  /** Milliseconds; another one in tests. */
  readonly timeout?: number;
}

const LABEL = "GitHub";
/** GitHub's rule for logins, with the underscore of Enterprise Managed Users (`octocat_acme`). */
const LOGIN = /^[a-z\d](?:[a-z\d]|[-_](?=[a-z\d])){0,38}$/i;

/** Signs users in with GitHub: with the web flow if there is a client secret, otherwise the device flow. */
export function githubProvider(settings: GitHubSettings): RedirectProvider | DeviceCodeProvider {
  const github = connect(settings);
  const directory = {
    name: "github",
    label: LABEL,
    isLogin: (login: string) => LOGIN.test(login),
    findByLogin: github.findByLogin,
  } as const;
  return settings.clientSecret === null
    ? { ...directory, method: "device_code", ...deviceFlow(github, settings) }
    : { ...directory, method: "redirect", ...webFlow(github, settings, settings.clientSecret) };
}

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#web-application-flow */
function webFlow(
  github: GitHub,
  { clientId }: GitHubSettings,
  clientSecret: string,
): Pick<RedirectProvider, "begin" | "complete"> {
  return {
    async begin(redirectUri, state) {
      const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      return { url: `${github.url}/login/oauth/authorize?${query}`, secret: verifier };
    },
    async complete(redirectUri, response, state, secret) {
      if (response.get("state") !== state) {
        throw new DomainError("invalid", "the response from GitHub belongs to another sign-in: sign in again");
      }
      if (response.get("error") === "access_denied") {
        throw new DomainError("forbidden", "sign-in was declined at GitHub");
      }
      const code = textOrNull(response.get("code"));
      if (code === null) throw lookupFailed(LABEL, "sent no code");
      const token = await github.exchange({
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: redirectUri,
        code_verifier: secret,
      });
      return github.whoIs(requireToken(token));
    },
  };
}

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow */
function deviceFlow(github: GitHub, { clientId }: GitHubSettings): Pick<DeviceCodeProvider, "begin" | "poll"> {
  return {
    async begin() {
      const body = await github.post("/login/device/code", { client_id: clientId });
      const deviceCode = textOrNull(body.device_code);
      const userCode = textOrNull(body.user_code);
      const verificationUri = textOrNull(body.verification_uri);
      if (deviceCode === null || userCode === null || !isWebUrl(verificationUri)) {
        throw lookupFailed(LABEL, refusal(body) ?? "gave no device code");
      }
      return {
        deviceCode,
        userCode,
        verificationUri,
        expiresIn: positive(body.expires_in) ?? 900,
        interval: positive(body.interval) ?? 5,
      };
    },
    async poll(deviceCode) {
      const body = await github.exchange({
        client_id: clientId,
        device_code: deviceCode,
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      });
      switch (body.error) {
        case "authorization_pending":
          return { outcome: "pending", interval: null };
        case "slow_down":
          return { outcome: "pending", interval: positive(body.interval) };
        case "access_denied":
          return { outcome: "denied" };
        case "expired_token":
        case "incorrect_device_code":
          return { outcome: "expired" };
        default:
          return { outcome: "signed_in", identity: await github.whoIs(requireToken(body)) };
      }
    },
  };
}

// --- internal ---

type GitHub = ReturnType<typeof connect>;

function connect(settings: GitHubSettings) {
  const { timeout = PROVIDER_TIMEOUT_MS } = settings;
  const url = settings.url.replace(/\/+$/, "");
  const api = apiUrl(url);
  const headers = { "user-agent": "vitrine", "x-github-api-version": "2022-11-28" };

  const post = async (path: string, form: Record<string, string>) => {
    const init = {
      method: "POST",
      headers: { ...headers, accept: "application/json" },
      body: new URLSearchParams(form),
    };
    return (await askProvider(LABEL, url + path, init, timeout)).body;
  };
  const get = (path: string, authorization: string | null) => {
    const accept = "application/vnd.github+json";
    const init = { headers: { ...headers, accept, ...(authorization === null ? {} : { authorization }) } };
    return askProvider(LABEL, api + path, init, timeout);
  };
  return {
    url,
    post,
    /** GitHub reports errors of this request with status 200. */
    exchange: (form: Record<string, string>) => post("/login/oauth/access_token", form),
    async whoIs(token: string): Promise<Identity> {
      const { status, body } = await get("/user", `Bearer ${token}`);
      if (status !== 200) throw lookupFailed(LABEL, `did not say who signed in (status ${status})`);
      return identityOf(url, body);
    },
    async findByLogin(login: string): Promise<Identity | null> {
      const { status, body } = await get(`/users/${encodeURIComponent(login)}`, clientCredentials(settings));
      if (status === 404) return null;
      if (status !== 200) throw lookupFailed(LABEL, `answered with status ${status}`);
      return body.type === undefined || body.type === "User" ? identityOf(url, body) : null;
    },
  };
}

/** github.com and Enterprise Cloud have a separate API host; Enterprise Server has a path. */
function apiUrl(url: string): string {
  const { protocol, host, hostname } = new URL(url);
  const ownHost = hostname === "github.com" || hostname.endsWith(".ghe.com");
  return ownHost ? `${protocol}//api.${host}` : `${url}/api/v3`;
}

/** GitHub allows 5,000 lookups per hour for an authenticated application instead of 60. */
function clientCredentials({ clientId, clientSecret }: GitHubSettings): string | null {
  return clientSecret === null ? null : `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

/** IDs are unique per server only, so that those of an Enterprise Server include its host. */
function identityOf(url: string, body: Record<string, unknown>): Identity {
  const { host } = new URL(url);
  const login = textOrNull(body.login);
  if (!Number.isSafeInteger(body.id) || login === null || !LOGIN.test(login)) {
    throw lookupFailed(LABEL, "described the person without id or login");
  }
  const avatarUrl = textOrNull(body.avatar_url);
  return {
    provider: "github",
    subject: host === "github.com" ? String(body.id) : `${body.id}@${host}`,
    login,
    name: nameOrNull(body.name),
    avatarUrl: isWebUrl(avatarUrl) ? avatarUrl : null,
  };
}

function requireToken(body: Record<string, unknown>): string {
  const token = textOrNull(body.access_token);
  if (token === null) throw lookupFailed(LABEL, refusal(body) ?? "gave no access token");
  return token;
}

/** Passes on error codes such as `bad_verification_code`, but no other text. */
function refusal(body: Record<string, unknown>): string | null {
  const word = textOrNull(body.error);
  return word !== null && /^[a-z_]{1,60}$/.test(word) ? `refused: ${word}` : null;
}

function positive(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.ceil(value) : null;
}

function isWebUrl(value: string | null): value is string {
  return value !== null && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
}
