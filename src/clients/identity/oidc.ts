import * as oidc from "openid-client";
import { DomainError } from "../../domain/errors.ts";
import { loadOnce } from "../../domain/load-once.ts";
import type { Identity, SignedIn } from "../../domain/model/user.ts";
import type { RedirectProvider } from "../../domain/ports/identity.ts";
import type { UserStore } from "../../domain/ports/store/users.ts";
import { isTimeout } from "../http/fetch-json.ts";
import { readGroups } from "./oidc-groups.ts";
import { lookupFailed, nameOrNull, PROVIDER_TIMEOUT_MS, textOrNull } from "./outbound.ts";

interface OidcSettings {
  /** The issuer, whose `/.well-known/openid-configuration` is used. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which uses PKCE only. */
  readonly clientSecret: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
  /** The claim with the groups of a user; null to read none. */
  readonly groupsClaim: string | null;
  /** Milliseconds; another one in tests. */
  readonly timeout?: number;
}

const LABEL = "the identity provider";

/**
 * Signs users in with any OpenID Connect issuer: discovery, authorization code with PKCE, state and nonce. OpenID
 * Connect has no lookup of users, so only logins that were added or have signed in are known.
 */
export function oidcProvider(settings: OidcSettings, users: Pick<UserStore, "findByLogin">): RedirectProvider {
  const configuration = rememberedDiscovery(settings);
  return {
    name: "oidc",
    label: new URL(settings.issuer).hostname,
    method: "redirect",
    groupsClaim: settings.groupsClaim,
    isLogin: isOidcLogin,
    findByLogin: (login) => users.findByLogin("oidc", login),
    begin: async (redirectUri, state) => begin(await configuration(), settings, { redirectUri, state }),
    complete: async (redirectUri, response, state, secret) =>
      complete(await configuration(), settings, { redirectUri, response, state, secret }),
  };
}

async function begin(
  config: oidc.Configuration,
  { scopes }: OidcSettings,
  { redirectUri, state }: Pick<Callback, "redirectUri" | "state">,
) {
  const verifier = oidc.randomPKCECodeVerifier();
  const nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, secret: `${verifier} ${nonce}` };
}

interface Callback {
  readonly redirectUri: string;
  readonly response: URLSearchParams;
  readonly state: string;
  readonly secret: string;
}

async function complete(config: oidc.Configuration, settings: OidcSettings, callback: Callback): Promise<SignedIn> {
  const [pkceCodeVerifier = "", expectedNonce = ""] = callback.secret.split(" ");
  const checks = { pkceCodeVerifier, expectedNonce, expectedState: callback.state, idTokenExpected: true };
  const url = new URL(`${callback.redirectUri}?${callback.response}`);
  try {
    const tokens = await oidc.authorizationCodeGrant(config, url, checks);
    const claims = tokens.claims();
    if (!claims) throw lookupFailed(LABEL, "sent no ID token");
    const needsProfile = usernameOf(claims) === null;
    const userInfo =
      (needsProfile || settings.groupsClaim !== null) && hasUserInfo(config)
        ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
    const profile = needsProfile ? userInfo : {};
    // `email_verified` of the ID token applies only to the same e-mail address.
    const unverified = "email" in profile ? { email_verified: undefined } : {};
    const identity = identityOf(settings.issuer, { ...claims, ...unverified, ...profile });
    if (settings.groupsClaim === null) return identity;
    return { ...identity, groups: readGroups(settings.groupsClaim, [claims, userInfo]) };
  } catch (cause) {
    throw explain(cause);
  }
}

// --- internal ---

/** Runs discovery at first use, so that the server starts while the issuer is down. */
function rememberedDiscovery(settings: OidcSettings): () => Promise<oidc.Configuration> {
  return loadOnce(() =>
    discover(settings).catch((cause: unknown) => {
      throw explain(cause);
    }),
  );
}

function discover({ issuer, clientId, clientSecret, timeout = PROVIDER_TIMEOUT_MS }: OidcSettings) {
  const server = new URL(issuer);
  const authentication = clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  return oidc.discovery(server, clientId, undefined, authentication, {
    timeout: timeout / 1000,
    // Plain HTTP only if the operator's setting has it.
    execute: server.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
  });
}

/** Many issuers provide profile and groups only at the userinfo endpoint. */
function hasUserInfo(config: oidc.Configuration): boolean {
  return config.serverMetadata().userinfo_endpoint !== undefined;
}

/** A subject is unique within its issuer only, so both are stored. */
function identityOf(issuer: string, claims: Record<string, unknown>): Identity {
  const login = usernameOf(claims) ?? verifiedEmailOf(claims) ?? textOrNull(claims.sub);
  if (login === null || !isOidcLogin(login)) throw lookupFailed(LABEL, "described the person without a usable login");
  const picture = textOrNull(claims.picture);
  return {
    provider: "oidc",
    subject: `${issuer.replace(/\/+$/, "")}#${claims.sub}`,
    login,
    name: nameOrNull(claims.name),
    avatarUrl: picture !== null && URL.parse(picture)?.protocol === "https:" ? picture : null,
  };
}

/**
 * An invitation is accepted by whoever signs in with its login, so the issuer must guarantee that login. Users choose
 * their `nickname` freely. They may also choose a username that is somebody else's e-mail address, so a username with
 * an @ counts only if it is the user's own verified address.
 */
function usernameOf(claims: Record<string, unknown>): string | null {
  const username = textOrNull(claims.preferred_username);
  if (username === null || !username.includes("@")) return username;
  return username.toLowerCase() === verifiedEmailOf(claims)?.toLowerCase() ? username : null;
}

/** Without `email_verified` the address counts as unverified. */
function verifiedEmailOf(claims: Record<string, unknown>): string | null {
  return claims.email_verified === true ? textOrNull(claims.email) : null;
}

function isOidcLogin(login: string): boolean {
  return /^[^\s\p{C}/]{1,255}$/u.test(login);
}

/** Replaces the library's messages, which may contain text of the provider. */
function explain(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  if (cause instanceof oidc.AuthorizationResponseError) {
    return cause.error === "access_denied"
      ? new DomainError("forbidden", "sign-in was declined at the identity provider")
      : lookupFailed(LABEL, "refused the sign-in");
  }
  const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  if (isTimeout(cause) || isTimeout(reason)) return lookupFailed(LABEL, "did not respond in time");
  if (cause instanceof oidc.ClientError && cause.code === "OAUTH_INVALID_RESPONSE") {
    return new DomainError(
      "invalid",
      "the response from the identity provider belongs to another sign-in: sign in again",
    );
  }
  return lookupFailed(LABEL, "cannot be reached, or sent a response that does not fit OpenID Connect");
}
