import { Type as t } from "@sinclair/typebox";
import { explainVisit, type SiteUrl } from "../../domain/deployments/visit-explanation.ts";
import { fieldError } from "../../domain/errors.ts";
import { targetOf } from "../../domain/request-target.ts";
import { route } from "../route.ts";
import { VisitExplanationResponse, visitExplanationResponse } from "../schemas/visit-explanation.ts";

export const visitExplanationRoutes = [
  route({
    method: "GET",
    path: "/sites/:name/explain",
    summary: "Explain what visitors of a URL get, and why",
    description:
      "The step that decided, which line of `_redirects` decided, which lines of " +
      "`_headers` apply. The response is that to a browser that opens the URL and is let in; nothing is counted.",
    tag: "Deploy and sites",
    auth: "site",
    operation: "explain",
    query: {
      path: t.Optional(
        t.String({
          default: "/",
          description:
            "The part after the host, with its query, or a whole URL at one of the site's hosts: its own, a " +
            "deployment's, or a custom domain. By default the start page",
        }),
      ),
      deployment: t.Optional(
        t.Integer({
          minimum: 1,
          description: "As this deployment answers, at its own URL; by default as visitors see",
        }),
      ),
    },
    response: { 200: VisitExplanationResponse },
    handler: async ({ caller, params: { name }, query: { path = "/", deployment = null }, ports }) => {
      const requested = { siteName: name, deploymentNumber: deployment, ...visited(path, ports.maxUrlLength) };
      return visitExplanationResponse(await explainVisit(ports, caller, requested));
    },
  }),
];

// --- internal ---

/** Returns a URL as a request has it, without the fragment. */
function visited(text: string, longest: number): Pick<SiteUrl, "host" | "target"> {
  const isWhole = /^https?:/i.test(text);
  const isPath = /^(?:$|[/?#])/.test(text);
  const url = isWhole || isPath ? URL.parse(isWhole ? text : `http://site${text}`) : null;
  if (url === null) throw fieldError(["query", "path"], "a URL begins with /, or with https:// and a host");
  url.hash = "";
  const target = targetOf(url.href);
  if (target.length <= longest) return { host: isWhole ? url.hostname.replace(/\.$/, "") : null, target };
  throw fieldError(["query", "path"], `a URL of more than ${longest} characters is answered 414`);
}
