import { expect, test } from "bun:test";
import type { VisitExplanation } from "../../../api/types.ts";
import { stepsOf } from "./steps.ts";

function explanation(step: VisitExplanation["step"], facts: Partial<VisitExplanation> = {}): VisitExplanation {
  return {
    url: "https://blog.example.com/old",
    deployment_number: 3,
    private: false,
    frozen: false,
    status: 200,
    step,
    reason: "this is why",
    file: null,
    rule: null,
    nearby_rules: [],
    header_lines: [],
    headers: {},
    header_sources: {},
    headers_left_out: {},
    ...facts,
  };
}

const states = (one: VisitExplanation) => stepsOf(one).map(({ state }) => state);

test.each<[VisitExplanation["step"], string]>([
  ["bad_path", "hit pass unreached unreached unreached unreached unreached unreached unreached"],
  ["forced_rule", "pass pass hit unreached unreached unreached unreached unreached unreached"],
  ["exact_file", "pass pass no hit unreached unreached unreached unreached unreached"],
  ["rule", "pass pass no no no hit unreached unreached unreached"],
  ["grace", "pass pass no no no no hit unreached unreached"],
  ["unicode_form", "pass pass no no no no no hit unreached unreached"],
  ["single_page", "pass pass no no no no no hit unreached"],
  ["missing_asset", "pass pass no no no no no no hit unreached"],
  ["not_found", "pass pass no no no no no no hit"],
])("%s decides after those before it, and later steps are not reached", (step, expected) => {
  expect(states(explanation(step)).join(" ")).toBe(expected);
});

test("a catch-all rewrite decides after the assets of earlier deployments", () => {
  const rule = { line: 1, text: "/* /index.html 200" };
  const steps = stepsOf(explanation("rule", { rule }));
  const decided = steps.find(({ state }) => state === "hit");
  expect(decided).toMatchObject({ title: "Catch-all rewrite", text: "This is why." });
  expect(steps.find(({ title }) => title === "Redirect rules")?.state).toBe("no");
  const forced = explanation("forced_rule", { rule: { line: 1, text: "/* /index.html 200!" } });
  expect(stepsOf(forced).find(({ state }) => state === "hit")?.title).toBe("Forced redirects");
});

test("a rule that shows no page for a missing asset is named", () => {
  const rule = { line: 1, text: "/app/* /index.html 200" };
  const steps = stepsOf(explanation("missing_asset", { rule }));
  expect(steps.find(({ title }) => title === "Redirect rules")).toMatchObject({
    state: "no",
    text: "A rule of _redirects matches, but shows a page.",
  });
  expect(steps.find(({ state }) => state === "hit")?.title).toBe("Missing asset");
});

test.each([
  [{}, "pass", "Everybody can open this URL."],
  [{ private: true }, "pass", "The site is private: only its readers get this, after signing in."],
  [{ private: true, frozen: true }, "stop", "The operator froze the site: visitors get 403."],
] as const)("the access of %j is a separate step", (facts, state, text) => {
  expect(stepsOf(explanation("exact_file", facts))[1]).toEqual({ title: "Access", state, text });
});
