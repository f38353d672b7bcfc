import { expect, test } from "bun:test";
import type { Finding, MadeReport } from "../model/report.ts";
import { compareReports } from "./compare.ts";
import { FindingList } from "./finding-list.ts";

function reportOf(...findings: readonly string[]): MadeReport {
  const list = new FindingList();
  for (const [line, text] of findings.entries()) {
    const [file = "", target = ""] = text.split(" ");
    const code: Finding["code"] = target.startsWith("http") ? "mixed_content" : "broken_link";
    list.add({ code, file, line, message: "", target });
  }
  return { ...list.result(), totals: { pages: 0, links: 0, bytes: 0, largest: [] }, notChecked: 0, basis: null };
}

function newOf(report: MadeReport, former: MadeReport | null): readonly string[] {
  const { findings } = compareReports(report, former);
  return findings.filter(({ isNew }) => isNew).map(({ file, target }) => `${file} ${target}`);
}

test.each<[what: string, now: readonly string[], before: readonly string[] | null, added: readonly string[]]>([
  ["everything without a former deployment", ["a /x"], null, ["a /x"]],
  ["nothing that was there", ["a /x", "b /y"], ["b /y", "a /x"], []],
  ["another target", ["a /x", "a /y"], ["a /x"], ["a /y"]],
  ["one more of the same", ["a /x", "a /x"], ["a /x"], ["a /x"]],
  ["nothing that moved to another file", ["b /x"], ["a /x"], []],
  ["the one in the other file, because the same file comes first", ["a /x", "b /x"], ["b /x"], ["a /x"]],
  ["another code", ["a /x"], ["a http://x/"], ["a /x"]],
  ["nothing that was mended", [], ["a /x"], []],
])("new is %s", (_, now, before, added) => {
  expect(newOf(reportOf(...now), before && reportOf(...before))).toEqual([...added]);
});

test("only a bounded number of findings is kept, and all are counted", () => {
  const many = (count: number) => reportOf(...Array.from({ length: count }, (_, index) => `a /${index}`));
  const report = many(6000);
  expect([report.counts.error, report.findings.length]).toEqual([6000, 5000]);
  expect(compareReports(report, null).newErrors).toBe(6000);
  expect(compareReports(report, many(6000)).newErrors).toBe(0);
  expect(compareReports(report, many(5400)).newErrors).toBe(600);
  const mixed = (count: number) => reportOf(...Array.from({ length: count }, (_, index) => `a http://${index}`));
  expect(compareReports(mixed(6000), mixed(5400))).toMatchObject({ newErrors: 0, newWarnings: 600 });
});
