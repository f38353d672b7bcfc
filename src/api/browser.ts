import { type AuthenticatePorts, authenticate } from "../domain/accounts/authenticate.ts";
import { cookies } from "../domain/accounts/cookie.ts";
import { SESSION_LIFETIME, startSession } from "../domain/accounts/sessions.ts";
import { DomainError } from "../domain/errors.ts";
import type { SessionCaller } from "../domain/model/caller.ts";
import { AccountFrozen } from "../domain/model/freeze.ts";
import type { PasskeySupport } from "../domain/model/relying-party.ts";
import type { User } from "../domain/model/user.ts";
import type { SignInProof } from "../domain/ports/store/sessions.ts";
import { currentLook } from "../serving/pages/brand.ts";
import { readText } from "./body.ts";
import { connectionOf } from "./connection.ts";
import { STATUS } from "./errors.ts";
import { page } from "./pages/page.ts";
import { frozenPage, type PasskeysHere, problemPage } from "./pages/sign-in.ts";
import { requireSameOrigin } from "./same-origin.ts";
import type { Links } from "./schemas/links.ts";

type Ports = AuthenticatePorts & { readonly links: Links };

/** The largest form has a code, a login, a name and a password. */
const MAX_FORM_BYTES = 16 * 1024;

/**
 * Returns the user who is signed in in the browser, or null. Null for a frozen account too, because the sign-in page
 * explains it.
 */
export function signedIn(ports: Ports, request: Request): Promise<SessionCaller | null> {
  return cookieCaller(ports, request).catch((error) => {
    if (error instanceof DomainError && error.kind === "forbidden") return null;
    throw error;
  });
}

/**
 * Returns the caller of the session in the browser's cookie; null if the cookie is missing, forged, doubled or expired.
 * Throws `forbidden` for a frozen account.
 */
export async function cookieCaller(ports: Ports, request: Request): Promise<SessionCaller | null> {
  const token = cookies(ports.links.base).session.read(request.headers.get("cookie"));
  if (token === null) return null;
  try {
    const caller = await authenticate(ports, token);
    return caller.kind === "session" ? caller : null;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "unauthenticated") return null;
    throw error;
  }
}

/** Starts the browser's session and returns its cookie. Only the name of the browser is stored. */
export async function startBrowserSession(
  ports: Ports,
  request: Request,
  user: User,
  proof?: SignInProof,
): Promise<string> {
  const clientName = browserName(request.headers.get("user-agent") ?? "");
  const { address } = connectionOf(request);
  const { token } = await startSession(ports, { userId: user.id, clientName, address, signedIn: true, proof });
  return cookies(ports.links.base).session.set(token, SESSION_LIFETIME);
}

/** Browsers use passkeys at the base URL only, and not at other names of its host, such as 127.0.0.1 for localhost. */
export function passkeysHere(
  { passkeys: { party, problem } }: { readonly passkeys: PasskeySupport },
  request: Request,
): PasskeysHere {
  if (party === null) return { problem, elsewhere: null };
  if (new URL(request.url).hostname === party.id) return { problem: null, elsewhere: null };
  return { problem: `passkeys are possible only at ${party.origin}`, elsewhere: party.origin };
}

/** Returns the fields of a form of the server's own pages; throws `forbidden` for a form from another origin. */
export async function readForm(request: Request, links: Links): Promise<URLSearchParams> {
  requireSameOrigin(request, links.base);
  return new URLSearchParams(await readText(request, MAX_FORM_BYTES));
}

/**
 * Returns the path on the base URL that a page may link back to; anything else becomes the start page. Browsers
 * take a path that starts with two slashes for another host, even if it does so only after its dot segments are
 * removed.
 */
export function localPath(wanted: string | null, links: Links): string {
  const url = wanted?.startsWith("/") ? URL.parse(wanted, links.base) : null;
  const isLocal = url !== null && url.origin === new URL(links.base).origin && !url.pathname.startsWith("//");
  return isLocal ? url.pathname + url.search : "/";
}

/** Returns a page for a DomainError; any other error is thrown again. */
export function refusalPage(title: string, error: unknown): Response {
  if (error instanceof AccountFrozen) return accountFrozenPage(error, "/");
  if (!(error instanceof DomainError)) throw error;
  const { kind, detail, extra } = error;
  return page({
    title,
    body: problemPage(title, { detail }),
    status: STATUS[kind],
    retryAfter: extra.retryAfter,
  });
}

/** Returns the page of a user whose account is frozen: the reason, and whom to ask. */
export function accountFrozenPage({ freeze, kind }: AccountFrozen, returnTo: string): Response {
  const body = frozenPage(freeze, currentLook().contact, returnTo);
  return page({ title: "Account frozen", body, status: STATUS[kind] });
}

function browserName(userAgent: string): string {
  const [, name = ""] = /(Firefox|Edg|OPR|Chrome|Safari)\/\d/.exec(userAgent) ?? [];
  return { Edg: "Edge", OPR: "Opera", "": "a browser" }[name] ?? name;
}
