import { expect, test } from "bun:test";
import { placeOf } from "../../../../src/domain/report/shown-findings.ts";
import type { DeploymentReport, ReportFinding } from "../../../api/types.ts";
import { codesOf, explainable, nameOf, resultOf, shownOf } from "./report-words.ts";

const finding = (code: ReportFinding["code"], isNew: boolean, target: string | null = "/x#y"): ReportFinding => {
  return { code, severity: "error", file: "a.html", line: 3, message: "", target, new: isNew };
};

test("findings are shown with new ones first, all or those of one code", () => {
  const [old, added, other] = [finding("secret", false), finding("secret", true), finding("broken_link", false)];
  expect(shownOf([old, added, other], "")).toEqual([added, old, other]);
  expect(shownOf([old, added, other], "broken_link")).toEqual([other]);
  expect(codesOf([old, added, other])).toEqual([
    ["secret", 2],
    ["broken_link", 1],
  ]);
});

test.each([
  ["ready", { errors: 3, warnings: 1, new_errors: 1 }, "3 errors, 1 new", "bad"],
  ["ready", { errors: 1, warnings: 0, new_errors: 1 }, "1 error, all new", "bad"],
  ["ready", { errors: 2, warnings: 0, new_errors: 0 }, "2 errors", "bad"],
  ["ready", { errors: 0, warnings: 1, new_errors: 0 }, "1 warning", "warn"],
  ["ready", { errors: 0, warnings: 0, new_errors: 0 }, "No errors", "good"],
  ["pending", { errors: 0, warnings: 0, new_errors: 0 }, "Checking links …", "muted"],
  ["failed", { errors: 0, warnings: 0, new_errors: 0 }, "Could not be made", "muted"],
] as const)("a report that is %s with %j is %p", (status, summary, text, tone) => {
  expect(resultOf({ status, summary: { notes: 0, ...summary } } as DeploymentReport)).toEqual({ text, tone });
});

test("a target of the site can be explained at the deployment's URL", () => {
  const at = (code: ReportFinding["code"], target: string | null) =>
    explainable("https://3--blog.example", finding(code, true, target));
  expect(at("broken_link", "/x?a=1#y")).toBe("https://3--blog.example/x?a=1");
  expect(at("mixed_content", "http://other.example/")).toBeNull();
  expect([at("not_checked", null), at("rule_never_matches", "/x/*"), at("secret", "ghp_1234")]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a finding names its file and line, and codes of later versions are shown as they are", () => {
  expect([placeOf({ file: "a", line: 0 }), placeOf({ file: "a", line: 2 })]).toEqual(["a", "a:2"]);
  expect([nameOf("secret"), nameOf("future")]).toEqual(["Secret", "future"]);
});
