import { ENTER_PATH, openVisit, VISIT_LIFETIME, visitQuery } from "../domain/access/visit.ts";
import { type Cookies, cookies } from "../domain/accounts/cookie.ts";
import { newCode } from "../domain/accounts/sealed.ts";
import { DomainError } from "../domain/errors.ts";
import type { SharedHost } from "../domain/model/share.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import type { VisitVerdict } from "../domain/ports/store/visits.ts";
import type { Store } from "../domain/ports/store.ts";
import type { ShareVisitPorts } from "../domain/shares/enter.ts";
import { MINUTE } from "../domain/timestamp.ts";
import {
  admitsBearer,
  admitsShareCookie,
  NOT_KEPT,
  openByPassword,
  openLink,
  page,
  passwordForm,
  toStart,
} from "./share-gate.ts";

interface GatePorts extends ShareVisitPorts {
  readonly store: Pick<Store, "visits" | "readers" | "shares" | "rateLimits">;
}

/** The private site of a host. */
interface GuardedSite extends SharedHost {
  /** False if it was made public and the request is for the sign-in path. */
  readonly private: boolean;
}

interface GuardedVisit {
  readonly url: URL;
  readonly site: GuardedSite;
  /** The request's cookies. */
  readonly sent: string | null;
}

/** The time that a user has to sign in before the state cookie expires. */
const STATE_LIFETIME = 15 * MINUTE;

/**
 * Creates the gate of private sites. A visitor without a visit is redirected to the base URL to sign in, comes back
 * with a one-time code, and gets a cookie for this host, which is checked with each request.
 */
export function makeGate(ports: GatePorts, baseUrl: string) {
  const jar = cookies(baseUrl);
  return {
    /** Returns null to allow the request, or the response that refuses it. */
    async check(request: Request, site: GuardedSite, visitor: Pick<Visitor, "address">): Promise<Response | null> {
      const visit = { url: new URL(request.url), site, sent: request.headers.get("cookie") };
      if (visit.url.pathname === ENTER_PATH) {
        const response = await respondAtSignInPath(ports, jar, { ...visit, request, visitor });
        if (response !== null) return response;
      }
      const hasBearer = await admitsBearer(ports, site, request.headers.get("authorization"));
      if (hasBearer !== null) return hasBearer ? null : refuse();
      const token = jar.visit.read(visit.sent);
      const verdict = await findVerdict(ports, token, site);
      if (verdict === "admitted") return null;
      const response = canShowForm(request) ? askToSignIn(ports, jar, baseUrl, visit) : refuse();
      // A service worker would continue to serve stored content to a reader whose access was removed.
      if (verdict === "refused") response.headers.set("Clear-Site-Data", '"cache", "storage"');
      return response;
    },
  };
}

async function findVerdict(ports: GatePorts, token: string | null, site: GuardedSite): Promise<VisitVerdict> {
  if (token === null) return "unknown";
  const hasShare = await admitsShareCookie(ports, site, token);
  if (hasShare !== null) return hasShare ? "admitted" : "refused";
  return ports.store.visits.check(ports.secrets.sha256(token), site.host, site.siteId, ports.clock.now());
}

interface Entering extends GuardedVisit {
  readonly request: Request;
  readonly visitor: Pick<Visitor, "address">;
}

/** Responds at the sign-in path of a site; null for methods that it does not support. */
async function respondAtSignInPath(ports: GatePorts, jar: Cookies, visit: Entering): Promise<Response | null> {
  const { request, site, url, visitor, sent } = visit;
  if (!site.private) return toStart();
  if (request.method === "POST") return openByPassword(ports, jar, site, request, visitor.address);
  if (request.method !== "GET") return null;
  const secret = url.searchParams.get("share");
  if (secret !== null) {
    // Opened again: another visit would only end an older one.
    if ((await findVerdict(ports, jar.visit.read(sent), site)) === "admitted") return toStart();
    return openLink(ports, jar, site, { secret, address: visitor.address });
  }
  return url.searchParams.has("code") ? enter(ports, jar, visit) : passwordForm(url.searchParams);
}

/**
 * Returns whether a user opens a page, and can see a form. Other requests get an error, because scripts and programs
 * would take a redirect to another host for a broken response.
 */
function canShowForm({ method, headers }: Request): boolean {
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
  // Several tabs may sign in at once, and share the state.
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

/** Handles the return from the base URL: exchanges the code for this host's own cookie. */
async function enter(ports: GatePorts, jar: Cookies, { url, site, sent }: GuardedVisit): Promise<Response> {
  try {
    const presented = { code: url.searchParams.get("code") ?? "", state: jar.state.read(sent) ?? "" };
    const { token, path } = await openVisit(ports, site, presented);
    const headers = new Headers({ ...NOT_KEPT, Location: path });
    headers.append("Set-Cookie", jar.visit.set(token, VISIT_LIFETIME));
    return new Response(null, { status: 303, headers });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
    return page(400, "Sign-in failed", `${error.detail} <a href="/">Open the site again</a>`);
  }
}
