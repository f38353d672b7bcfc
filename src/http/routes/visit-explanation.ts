import { Elysia, t } from "elysia";
import { explainVisit } from "../../domain/deployments/visit-explanation.ts";
import { fieldError } from "../../domain/errors.ts";
import { targetOf } from "../../domain/request-target.ts";
import { authenticated } from "../authenticate.ts";
import { describe, OWNED_SITE } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { siteParams } from "../schemas/params.ts";
import { VisitExplanationResponse, visitExplanationResponse } from "../schemas/visit-explanation.ts";

export function visitExplanationRoutes(ports: ApiPorts) {
  return new Elysia().use(authenticated(ports)).get(
    "/sites/:name/explain",
    async ({ caller, params: { name }, query }) => {
      const deploymentNumber = query.deployment ?? null;
      const site = deploymentNumber === null ? ports.links.site(name) : ports.links.deployment(name, deploymentNumber);
      const url = visited(site + query.path, ports.maxUrlLength);
      return visitExplanationResponse(
        url,
        await explainVisit(ports, caller, { siteName: name, deploymentNumber, url }),
      );
    },
    {
      params: siteParams,
      query: t.Object({
        path: t.Optional(
          t.String({
            pattern: "^/",
            default: "/",
            description: "What follows the host, with its query; by default the start page",
          }),
        ),
        deployment: t.Optional(
          t.Integer({
            minimum: 1,
            description: "As this deployment answers, at its own address; by default as visitors see",
          }),
        ),
      }),
      response: { 200: VisitExplanationResponse },
      detail: describe({
        summary: "Explain what visitors of an address get, and why",
        description:
          "Which step of the search for the address gave the answer, which line of `_redirects` decided, which lines of " +
          "`_headers` apply. The answer is that to a browser that opens the address and is let in; nothing is counted.",
        tags: ["Deploy and sites"],
        errors: OWNED_SITE,
      }),
    },
  );
}

// --- internal ---

/** Returns an address as a visitor's request has it: what a browser keeps to itself is no part of it. */
function visited(address: string, longest: number): string {
  const url = new URL(address);
  url.hash = "";
  if (targetOf(url.href).length <= longest) return url.href;
  throw fieldError(["query", "path"], `an address of more than ${longest} characters is answered 414`);
}
