import { ownPath, targetOf } from "../../domain/request-target.ts";
import { parseHost } from "../host.ts";
import { ISOLATED } from "../http/resource-policy.ts";

interface HttpPortOptions {
  /** Responds to the server's own paths: below `/.well-known/acme-challenge/` and `/.well-known/vitrine/`. */
  respondToOwn(path: string): Promise<Response>;
  /**
   * Returns whether the host is the one where the API and the dashboard are served over HTTPS; lower case, without
   * port.
   */
  isBase(host: string): boolean;
  /** Returns whether the host is served here and has a certificate; lower case, without port. */
  leadsToHttps(host: string): boolean | Promise<boolean>;
  /** The port of the base URL; 443 is omitted in URLs. */
  readonly httpsPort: number;
  /** The maximum length of a URL, as on the listener for HTTPS. */
  readonly maxUrlLength: number;
}

/**
 * Returns the handler of the plain HTTP port (`--http-listen`): challenges and probes, a redirect to HTTPS for hosts
 * with a certificate, and 404 for everything else. API requests that carry a credential or change something are
 * refused, because after a redirect a client would keep sending its credential in clear text unnoticed.
 */
export function makeHttpPort({ respondToOwn, isBase, leadsToHttps, httpsPort, maxUrlLength }: HttpPortOptions) {
  const suffix = httpsPort === 443 ? "" : `:${httpsPort}`;
  return async (request: Request): Promise<Response> => {
    const host = parseHost(request.headers.get("host"));
    if (host === null) return plain(400, "the Host header is no host name");
    const own = ownPath(request.url);
    if (own !== null) return respondToOwn(own);
    const target = targetOf(request.url);
    if (target.length > maxUrlLength) return plain(414, "the URL is too long");
    if (isBase(host) && !isPageVisit(request)) return refusal(request, `https://${host}${suffix}`);
    if (!(await leadsToHttps(host))) return plain(404, "not found");
    const fields = isBase(host) ? ISOLATED : {};
    return new Response(null, { status: 308, headers: { ...fields, Location: `https://${host}${suffix}${target}` } });
  };
}

// --- internal ---

/** Returns whether a browser opens a URL that was typed without a scheme, which sends no credential. */
function isPageVisit({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && !headers.has("authorization");
}

function refusal({ headers }: Request, base: string): Response {
  const exposed = /^bearer\b/i.test(headers.get("authorization") ?? "");
  const advice = exposed ? "; the token crossed the network in the clear: revoke it and make another" : "";
  const detail = `the API is not served over plain HTTP: use ${base}${advice}`;
  const fields = { ...ISOLATED, Connection: "close", "Cache-Control": "no-store" };
  return Response.json({ detail }, { status: 403, headers: fields });
}

function plain(status: number, text: string): Response {
  const headers = { ...ISOLATED, "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  return new Response(`${text}\n`, { status, headers });
}
