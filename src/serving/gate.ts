import { ENTER_PATH, openVisit, VISIT_LIFETIME, visitQuery } from "../domain/access/visit.ts";
import { type Cookies, cookies } from "../domain/accounts/cookie.ts";
import { newCode } from "../domain/accounts/sealed.ts";
import { DomainError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Secrets } from "../domain/ports/secrets.ts";
import type { Store } from "../domain/ports/store.ts";
import { MINUTE } from "../domain/timestamp.ts";
import { renderPage } from "./pages/render.ts";

interface GatePorts {
  readonly store: Pick<Store, "visits" | "readers">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** The private site that a host leads to. */
interface GuardedSite {
  readonly siteId: number;
  /** In lower case, without port and trailing dot. */
  readonly host: string;
}

interface GuardedVisit {
  readonly url: URL;
  readonly site: GuardedSite;
  /** The request's cookies. */
  readonly sent: string | null;
}

/** How long a person may take to sign in before the state cookie of their browser is gone. */
const STATE_LIFETIME = 15 * MINUTE;

/** What every answer of a private site carries, so that no cache shows one visitor what another one got. */
const NOT_KEPT = {
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Makes the gate of private sites. A visitor without a visit is sent to the base address to sign in, comes back with a
 * one-time code, and gets a cookie for this one host; the cookie is judged anew with every request.
 */
export function makeGate(ports: GatePorts, baseUrl: string) {
  const jar = cookies(baseUrl);
  return {
    /** Returns null to let the request in, or the answer that keeps it out. */
    async check(request: Request, site: GuardedSite): Promise<Response | null> {
      const visit = { url: new URL(request.url), site, sent: request.headers.get("cookie") };
      if (visit.url.pathname === ENTER_PATH && request.method === "GET") return enter(ports, jar, visit);
      const token = jar.visit.read(visit.sent);
      const verdict = token === null ? "unknown" : await judge(ports, token, site);
      if (verdict === "admitted") return null;
      const answer = isNavigation(request) ? askToSignIn(ports, jar, baseUrl, visit) : refuse();
      // Who has lost the right to read keeps nothing either: a service worker would go on serving what it stored.
      if (verdict === "refused") answer.headers.set("Clear-Site-Data", '"cache", "storage"');
      return answer;
    },
  };
}

function judge({ store, clock, secrets }: GatePorts, token: string, { host, siteId }: GuardedSite) {
  return store.visits.judge(secrets.sha256(token), host, siteId, clock.now());
}

/**
 * Whether a person opens a page, so that they can be shown a form. Anything else that a page or a program fetches gets
 * an error instead: a redirect to another host would only look like a broken answer to it.
 */
function isNavigation({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers.get("sec-fetch-mode");
  const destination = headers.get("sec-fetch-dest");
  if (mode !== null || destination !== null) {
    return (mode ?? "navigate") === "navigate" && (destination ?? "document") === "document";
  }
  return (headers.get("accept") ?? "").includes("text/html");
}

function askToSignIn(
  { secrets }: GatePorts,
  { state }: Cookies,
  baseUrl: string,
  { url, site: { host }, sent }: GuardedVisit,
): Response {
  // Several tabs may be on their way at once: they share the state.
  const secret = state.read(sent) ?? newCode(secrets);
  const query = visitQuery({ host, path: url.pathname + url.search, stateHash: secrets.sha256(secret) });
  const headers = new Headers({ ...NOT_KEPT, Location: `${baseUrl}/visit?${query}` });
  headers.append("Set-Cookie", state.set(secret, STATE_LIFETIME));
  return new Response(null, { status: 302, headers });
}

function refuse(): Response {
  const detail = "authentication is required: this site is private; open it in a browser to sign in";
  return Response.json({ detail }, { status: 401, headers: { ...NOT_KEPT, "WWW-Authenticate": "Bearer" } });
}

/** The way back from the base address: the code becomes this host's own cookie. */
async function enter(ports: GatePorts, jar: Cookies, { url, site, sent }: GuardedVisit): Promise<Response> {
  try {
    const presented = { code: url.searchParams.get("code") ?? "", state: jar.state.read(sent) ?? "" };
    const { token, path } = await openVisit(ports, site, presented);
    const headers = new Headers({ ...NOT_KEPT, Location: path });
    headers.append("Set-Cookie", jar.visit.set(token, VISIT_LIFETIME));
    return new Response(null, { status: 303, headers });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
    return usedUp(error.detail);
  }
}

function usedUp(detail: string): Response {
  const { html, policy } = renderPage(400, "Sign-in failed", `${detail} <a href="/">Open the site again</a>`);
  const headers = { ...NOT_KEPT, "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy };
  return new Response(html, { status: 400, headers });
}
