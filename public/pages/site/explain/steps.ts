import type { VisitExplanation } from "../../../api/types.ts";
import { sentence } from "../../../format.ts";

/** `no`: did not match; `pass`: allowed; `stop`: refused; `hit`: decided; `unreached`: not evaluated. */
export type StepState = "no" | "pass" | "stop" | "hit" | "unreached";

export interface ExplainStep {
  readonly title: string;
  readonly text: string;
  readonly state: StepState;
}

type Deciding = VisitExplanation["step"] | "catch_all";

/** The steps of the lookup in order, with the meaning of no match. */
const SEARCH: readonly (readonly [step: Deciding, title: string, noMatch: string])[] = [
  ["forced_rule", "Forced redirects", "No rule of _redirects that ends in an exclamation mark matches."],
  ["exact_file", "Exact file", "No file has exactly this name."],
  ["clean_url", "Clean URL", "No page has this URL without .html or index.html."],
  ["rule", "Redirect rules", "No rule of _redirects matches."],
  ["grace", "Assets of earlier deployments", "No deployment that was live within the grace period has this file."],
  ["unicode_form", "Other Unicode forms", "No file has this name in another Unicode form."],
  ["catch_all", "Catch-all rewrite", "No rule rewrites all URLs."],
  ["single_page", "Single-page fallback", "The site is no single-page application, or no page was asked for."],
  ["missing_asset", "Missing asset", ""],
  ["not_found", "Not-found page", ""],
];

const PASSED_OVER = "A rule of _redirects matches, but shows a page.";

/** Shown only if they decide, because they apply to few URLs. */
const RARE: readonly Deciding[] = ["unicode_form", "catch_all", "missing_asset"];

/** Returns the steps that led to a response, in order. */
export function stepsOf(explanation: VisitExplanation): readonly ExplainStep[] {
  const decided = decidingStep(explanation);
  const at = SEARCH.findIndex(([step]) => step === decided);
  const isMalformed = decided === "bad_path";
  const reason = sentence(`${explanation.reason}.`);
  const search = SEARCH.map(([step, title, noMatch], index): ExplainStep | null => {
    if (step === decided) return { title, text: reason, state: "hit" };
    if (RARE.includes(step)) return null;
    if (isMalformed || index > at) return { title, text: "", state: "unreached" };
    const isPassedOver = step === "rule" && decided === "missing_asset";
    return { title, text: isPassedOver ? PASSED_OVER : noMatch, state: "no" };
  });
  return [
    {
      title: "URL",
      text: isMalformed ? reason : "Well-formed, and not a URL of the server itself.",
      state: isMalformed ? "hit" : "pass",
    },
    accessStep(explanation),
    ...search.filter((step) => step !== null),
  ];
}

// --- internal ---

/** The rule `/* … 200` comes after the assets of earlier deployments, unlike all others. */
function decidingStep({ step, rule }: VisitExplanation): Deciding {
  const isCatchAll = step === "rule" && rule !== null && /^\/\* \S+ 200$/.test(rule.text);
  return isCatchAll ? "catch_all" : step;
}

function accessStep({ frozen, private: isPrivate }: VisitExplanation): ExplainStep {
  if (frozen) return { title: "Access", text: "The operator froze the site: visitors get 403.", state: "stop" };
  const text = isPrivate
    ? "The site is private: only its readers get this, after signing in."
    : "Everybody can open this URL.";
  return { title: "Access", text, state: "pass" };
}
