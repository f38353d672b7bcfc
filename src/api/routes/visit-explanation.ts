import { Type as t } from "@sinclair/typebox";
import { explainVisit } from "../../domain/deployments/visit-explanation.ts";
import { route } from "../route.ts";
import { VisitExplanationResponse, visitExplanationResponse, visitedUrl } from "../schemas/visit-explanation.ts";

export const visitExplanationRoutes = [
  route({
    endpoint: "GET /sites/:name/explain",
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
      const requested = { siteName: name, deploymentNumber: deployment, ...visitedUrl(path, ports.maxUrlLength) };
      return visitExplanationResponse(await explainVisit(ports, caller, requested));
    },
  }),
];
