import { Type as t } from "@sinclair/typebox";
import { type SiteUrl, STEPS, type Step, type VisitExplanation } from "../../domain/deployments/visit-explanation.ts";
import { fieldError } from "../../domain/errors.ts";
import type { RedirectRule } from "../../domain/model/manifest.ts";
import { targetOf } from "../../domain/request-target.ts";
import { redirectLine } from "../../domain/rules/redirects-file.ts";
import { namedSchema, oneOf, orNull } from "./values.ts";

const Rule = t.Object({ line: t.Integer(), text: t.String() });

const Source = t.Object({ file: oneOf(["_headers", "_redirects"]), line: t.Integer() });

export const VisitExplanationResponse = namedSchema(
  "VisitExplanationResponse",
  {
    url: t.String(),
    deployment_number: t.Integer(),
    private: t.Boolean({ description: "Whether visitors must be readers and sign in first" }),
    frozen: t.Boolean({ description: "Whether the operator froze the site, so that visitors get 403" }),
    status: t.Integer(),
    step: oneOf(Object.keys(STEPS) as Step[], {
      description: "The step that decided",
    }),
    reason: t.String({ description: "The meaning of that step" }),
    file: orNull(t.String(), { description: "The file that is served; null where there is none" }),
    rule: orNull(Rule, {
      description:
        "The line of _redirects that decided, or that matched and shows no page for a missing asset; null where there is none",
    }),
    nearby_rules: t.Array(Rule, { description: "That rule with the two before and after it, without comments" }),
    header_lines: t.Array(t.Integer(), { description: "The lines of _headers whose paths match" }),
    headers: t.Record(t.String(), t.String(), {
      description: "The response's header fields, uncompressed, but for Date and Content-Length",
    }),
    header_sources: t.Record(t.String(), Source, {
      description: "The line that set a header field, of _headers that with the path; the server set the others",
    }),
    headers_left_out: t.Record(t.String(), Source, {
      description:
        "The line of _headers whose caching field is not sent, because the file has another URL than the one asked for",
    }),
  },
  {
    url: "https://brisk-otter-4821.example.com/old",
    deployment_number: 3,
    private: false,
    frozen: false,
    status: 301,
    step: "rule",
    reason: STEPS.rule,
    file: null,
    rule: { line: 2, text: "/old /new 301" },
    nearby_rules: [
      { line: 1, text: "/blog/* /posts/:splat 301" },
      { line: 2, text: "/old /new 301" },
    ],
    header_lines: [],
    headers: { location: "/new", "cache-control": "public, max-age=0, must-revalidate" },
    header_sources: { location: { file: "_redirects", line: 2 } },
    headers_left_out: {},
  },
);

export function visitExplanationResponse(explanation: VisitExplanation): typeof VisitExplanationResponse.static {
  const { rule } = explanation;
  return {
    url: explanation.url,
    deployment_number: explanation.deploymentNumber,
    private: explanation.private,
    frozen: explanation.frozen,
    status: explanation.status,
    step: explanation.step,
    reason: explanation.reason,
    file: explanation.file,
    rule: rule && ruleResponse(rule),
    nearby_rules: explanation.nearbyRules.map(ruleResponse),
    header_lines: [...explanation.headerLines],
    headers: explanation.headers,
    header_sources: explanation.headerSources,
    headers_left_out: explanation.headersLeftOut,
  };
}

/** Returns a URL, whole or from its path on, as a request has it, without the fragment. Throws `validation`. */
export function visitedUrl(text: string, longest: number): Pick<SiteUrl, "host" | "target"> {
  const isWhole = /^https?:/i.test(text);
  const isPath = /^(?:$|[/?#])/.test(text);
  const url = isWhole || isPath ? URL.parse(isWhole ? text : `http://site${text}`) : null;
  if (url === null) throw fieldError(["query", "path"], "a URL begins with /, or with https:// and a host");
  url.hash = "";
  const target = targetOf(url.href);
  if (target.length <= longest) return { host: isWhole ? url.hostname.replace(/\.$/, "") : null, target };
  throw fieldError(["query", "path"], `a URL of more than ${longest} characters is answered 414`);
}

// --- internal ---

function ruleResponse(rule: RedirectRule): typeof Rule.static {
  return { line: rule.line, text: redirectLine(rule) };
}
