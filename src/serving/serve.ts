import type { HeaderRule } from "../domain/deployments/headers-file.ts";
import { DomainError } from "../domain/errors.ts";
import type { Visitor } from "../domain/ports/connection.ts";
import { ownAddress } from "../domain/request-target.ts";
import { FileAnswer } from "./answer.ts";
import { optionsFields, plainPageFields } from "./answer-headers.ts";
import type { Answer, Answers } from "./answers.ts";
import { answerOwnAddress } from "./own-addresses.ts";
import { type ErrorStatus, errorPage, frozenSite, unknownDeployment, unknownHost } from "./pages/error-page.ts";
import type { HostingPorts, Route } from "./ports.ts";
import { redirect } from "./redirect.ts";
import type { RespondWithFile } from "./respond.ts";
import type { SiteForHost } from "./site-for-host.ts";
import { SiteVisit } from "./site-visit.ts";

/** Answers a visitor; `host` is in lower case, without port and trailing dot. Never rejects for what a visitor sends. */
export type Serve = (request: Request, host: string, visitor: Visitor) => Response | Promise<Response>;

/** What a visit meets on its way. */
interface ServeDeps {
  readonly siteForHost: SiteForHost;
  readonly answers: Answers;
  readonly respondWithFile: RespondWithFile;
}

/**
 * Returns the way of a visit: site for the host, gate, the answer for the path, response, count. What is in memory is
 * answered without waiting for anything.
 */
export function makeServe(ports: HostingPorts, { siteForHost, answers, respondWithFile }: ServeDeps): Serve {
  const { store, gate, views } = ports;

  const answerVisit = (visit: SiteVisit): Response | Promise<Response> => {
    const { method } = visit.request;
    if (method === "OPTIONS") return options(visit);
    if (method !== "GET" && method !== "HEAD") return methodNotAllowed(visit);
    const generation = store.generation();
    const known = answers.recall(visit, generation);
    if (known !== undefined) return respondWithFile(visit, known);
    const found = answers.find(visit, generation);
    return found instanceof Promise ? found.then((answer) => respond(visit, answer)) : respond(visit, found);
  };

  const respond = (visit: SiteVisit, answer: Answer | null): Response | Promise<Response> => {
    if (answer instanceof FileAnswer) return respondWithFile(visit, answer);
    if (answer?.kind === "redirect") return redirect(visit.route, answer);
    const status = (answer?.status ?? 404) as ErrorStatus;
    if (status === 404 && visit.request.method === "GET") views.count(visit, "missing", 0);
    return errorPage(visit.request, status, visit.route, plainPageFields(answer?.headerRules ?? []));
  };

  const options = (visit: SiteVisit): Response | Promise<Response> => {
    const rules = answers.headerRules(visit);
    const answer = (met: readonly HeaderRule[]) =>
      new Response(null, { status: 204, headers: [...optionsFields(visit.route, met, ALLOW)] });
    return rules instanceof Promise ? rules.then(answer) : answer(rules);
  };

  const visitSite = (visit: SiteVisit): Response | Promise<Response> => {
    if (visit.route.frozen) return frozenSite(visit.request);
    if (!visit.route.private) return answerVisit(visit);
    return gate.check(visit.request, visit.route).then((refusal) => {
      if (refusal && !visit.route.isLive) refusal.headers.set("x-robots-tag", "noindex");
      return refusal ?? answerVisit(visit);
    });
  };

  /** Only of a public site is it told that a deployment is missing: `siteForHost` brings visitors of others to the gate. */
  const answerNobody = async (request: Request, host: string): Promise<Response> => {
    const [, number, siteHost] = /^([1-9]\d{0,9})--(.+)$/.exec(host) ?? [];
    if (number === undefined || siteHost === undefined) return unknownHost(request);
    const site = await siteForHost(siteHost);
    const isSite = site !== null && siteHost.startsWith(`${site.siteName}.`) && !site.private && !site.frozen;
    return isSite ? unknownDeployment(request, site.siteName, number) : unknownHost(request);
  };

  return (request, host, visitor) => {
    const own = ownAddress(request.url);
    if (own !== null) return answerOwnAddress(ports, own);
    const go = (route: Route | null) => {
      if (!route) return answerNobody(request, host).catch((error) => failure(ports, request, null, error));
      try {
        const answer = visitSite(new SiteVisit(request, visitor, route));
        return answer instanceof Promise ? answer.catch((error) => failure(ports, request, route, error)) : answer;
      } catch (error) {
        return failure(ports, request, route, error);
      }
    };
    const route = siteForHost(host);
    if (!(route instanceof Promise)) return go(route);
    return route.then(go).catch((error) => failure(ports, request, null, error));
  };
}

// --- internal ---

const ALLOW = "GET, HEAD, OPTIONS";

/** A disk that fails may be back for the next visit; anything else is ours to mend. */
function failure({ report }: HostingPorts, request: Request, route: Route | null, error: unknown): Response {
  const passes = error instanceof DomainError && (error.kind === "unavailable" || error.kind === "disk_full");
  report(passes ? (error.extra.cause ?? error) : error);
  if (!passes) return errorPage(request, 500, route);
  return errorPage(request, 503, route, { "retry-after": String(error.extra.retryAfter ?? 1) });
}

function methodNotAllowed({ request, route }: SiteVisit): Response {
  // The body, if there is one, stays unread: the connection cannot be used for another request.
  return errorPage(request, 405, route, { allow: ALLOW, connection: "close" });
}
