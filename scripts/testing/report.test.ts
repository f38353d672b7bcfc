import { expect, test } from "bun:test";
import { addCounts, countTests, cpuByFile, describeCpu } from "./report.ts";

const skipped = (name: string) =>
  `<testcase name="${name}" classname="" time="0" file="a.test.ts"><skipped /></testcase>`;

const REPORT = `<testsuites tests="9"><testsuite name="a.test.ts" file="a.test.ts">
  <testcase name="passes &lt;b&gt;" classname="" time="0.01" file="a.test.ts" line="2" assertions="0" />
  <testcase name="fails" classname="a group" time="0.01" file="a.test.ts" line="4" assertions="1">
    <failure type="AssertionError" message="expected">AssertionError</failure>
  </testcase>
  ${skipped("one [needs dig]")}
  <testcase name="two" classname="a group [needs dig, browser]" time="0" file="a.test.ts"><skipped /></testcase>
  ${skipped("for a reason of its own")}
  ${skipped("(unnamed)")}
</testsuite></testsuites>`;

test("tests are counted by outcome, and skipped tests by missing need", () => {
  expect(countTests(REPORT)).toEqual({
    passed: 1,
    failed: 1,
    skipped: 3,
    lacking: new Map([
      ["dig", 2],
      ["browser", 1],
    ]),
  });
});

test("a hook that failed counts as a failure", () => {
  const failure = '<failure type="Error" message="in a hook"></failure>';
  expect(countTests(`<testcase name="(unnamed)" classname="" time="0">${failure}</testcase>`).failed).toBe(1);
});

test("the counts of two runs are added", () => {
  const one = countTests(REPORT);
  expect(addCounts(one, one)).toMatchObject({ passed: 2, failed: 2, skipped: 6 });
  expect(addCounts(one, countTests("")).lacking.get("dig")).toBe(2);
  expect(addCounts(one, one).lacking.get("dig")).toBe(4);
});

test("CPU time is listed by file in descending order, although a process runs several files", () => {
  const lines = "7 1.5 /project/src/a.test.ts\n8 4 /project/src/b.test.ts\n7 12.25 /project/src/c.test.ts\n";
  const byFile = cpuByFile(lines, "/project");
  expect([...byFile]).toEqual([
    ["src/a.test.ts", 1.5],
    ["src/b.test.ts", 4],
    ["src/c.test.ts", 10.75],
  ]);
  expect(describeCpu(byFile, 2)).toEqual([
    "   16.3 s of CPU time, most of it in",
    "   10.8 s src/c.test.ts",
    "    4.0 s src/b.test.ts",
  ]);
  expect([...cpuByFile("", "/project")]).toEqual([]);
});
