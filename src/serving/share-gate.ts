import { VISIT_LIFETIME } from "../domain/access/visit.ts";
import type { Cookies } from "../domain/accounts/cookie.ts";
import { boundedText } from "../domain/bounded-text.ts";
import { DomainError } from "../domain/errors.ts";
import type { SharedHost } from "../domain/model/share.ts";
import {
  admitsAutomation,
  admitsShareVisit,
  enterByLink,
  enterByPassword,
  SHARE_VISIT_PREFIX,
  type ShareVisitPorts,
} from "../domain/shares/enter.ts";
import { formatWaitingTime } from "../domain/waiting-time.ts";
import { isFromElsewhere } from "./http/elsewhere.ts";
import { UNREADABLE_ELSEWHERE } from "./http/resource-policy.ts";
import { renderPage } from "./pages/render.ts";

/**
 * Header fields of every response of the gate, so that no cache shows a response to another visitor, and no page of
 * another origin learns whether its visitor is let in.
 */
export const NOT_KEPT = {
  ...UNREADABLE_ELSEWHERE,
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** A password has at most 128 characters. */
const MAX_FORM_BYTES = 4096;

/** Returns whether a bearer token of a share is valid; null if the request has none. */
export async function admitsBearer(
  ports: ShareVisitPorts,
  at: SharedHost,
  authorization: string | null,
): Promise<boolean | null> {
  const [, secret] = /^Bearer +(vtv_\S+) *$/i.exec(authorization ?? "") ?? [];
  return secret === undefined ? null : admitsAutomation(ports, at, secret);
}

/** Returns whether the cookie of a share's visit is still valid; null for any other cookie. */
export async function admitsShareCookie(
  ports: ShareVisitPorts,
  at: SharedHost,
  token: string | null,
): Promise<boolean | null> {
  return token?.startsWith(SHARE_VISIT_PREFIX) ? admitsShareVisit(ports, at, token) : null;
}

/** Responds to a share's link. The secret leaves the address bar with the first response. */
export async function openLink(
  ports: ShareVisitPorts,
  jar: Cookies,
  at: SharedHost,
  link: { readonly secret: string; readonly address: string },
): Promise<Response> {
  return orRefusal(async () => {
    const token = await enterByLink(ports, at, link);
    if (token !== null) return entered(jar, token);
    return page(400, "This link does not work", "It was revoked, has expired, or is for another URL.");
  });
}

/** Returns the form for a share's password. */
export function passwordForm(query: URLSearchParams): Response {
  return form(200, query.get("id"), "This site is private. Enter the password that you were given.");
}

/** Handles the form. `address` is the visitor's. */
export async function openByPassword(
  ports: ShareVisitPorts,
  jar: Cookies,
  at: SharedHost,
  request: Request,
  address: string,
): Promise<Response> {
  const sent = await readForm(request);
  const id = sent?.get("id") || null;
  // Otherwise any page could use up the attempts of its visitors' addresses.
  if (isFormOfElsewhere(request, at.host)) return form(403, id, "Enter the password that you were given.");
  const password = sent?.get("password") ?? "";
  if (password === "") return form(400, id, "Enter the password that you were given.");
  return orRefusal(async () => {
    const token = await enterByPassword(ports, at, { password, id, address });
    return token === null ? form(403, id, "The password is wrong or no longer valid.") : entered(jar, token);
  });
}

/** Redirects a visitor to the front page of the site, without the secret in the URL. */
export function toStart(): Response {
  return new Response(null, { status: 303, headers: { ...NOT_KEPT, Location: "/" } });
}

/** Returns a page of the gate. `text` is HTML. */
export function page(status: number, title: string, text: string): Response {
  return respond(status, renderPage(status, title, text));
}

// --- internal ---

function entered(jar: Cookies, token: string): Response {
  const response = toStart();
  response.headers.append("Set-Cookie", jar.visit.set(token, VISIT_LIFETIME));
  return response;
}

async function orRefusal(enter: () => Promise<Response>): Promise<Response> {
  try {
    return await enter();
  } catch (error) {
    const refused = error instanceof DomainError ? refusal(error) : null;
    if (refused === null) throw error;
    return refused;
  }
}

/** Returns whether a page of another host sent a form. Programs may send neither of the two headers. */
function isFormOfElsewhere({ headers }: Request, host: string): boolean {
  if (headers.has("sec-fetch-site")) return isFromElsewhere(headers);
  const origin = headers.get("origin");
  return origin !== null && URL.parse(origin)?.hostname !== host;
}

/** Returns the page for an error after which another attempt may succeed; null for any other error. */
function refusal({ kind, extra }: DomainError): Response | null {
  if (kind !== "too_many_requests" && kind !== "unavailable") return null;
  const wait = extra.retryAfter ?? 1;
  const refused =
    kind === "unavailable"
      ? page(503, "Temporarily unavailable", "Too many passwords are being checked. Try again in a moment.")
      : page(429, "Too many attempts", `Try again in ${formatWaitingTime(wait)}.`);
  refused.headers.set("Retry-After", String(wait));
  return refused;
}

function form(status: number, id: string | null, text: string): Response {
  // Ids are hexadecimal. Anything else was invented.
  const hidden = id !== null && /^[\da-f]{1,40}$/.test(id) ? `<input type="hidden" name="id" value="${id}">` : "";
  const fields = `<form method="post" action="/.vitrine/enter">${hidden}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="128" required autofocus>
<button>Open the site</button>
</form>`;
  const response = respond(status, renderPage(null, "Password required", text, fields));
  // The form needs an Origin. Its URL has no secret.
  response.headers.set("Referrer-Policy", "same-origin");
  return response;
}

function respond(status: number, { html, policy }: ReturnType<typeof renderPage>): Response {
  const headers = { ...NOT_KEPT, "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy };
  return new Response(html, { status, headers });
}

/** Returns null for a body that is too long, or that the client does not send to its end. */
async function readForm(request: Request): Promise<URLSearchParams | null> {
  const text = await boundedText(request, MAX_FORM_BYTES).catch(() => null);
  return text === null ? null : new URLSearchParams(text);
}
