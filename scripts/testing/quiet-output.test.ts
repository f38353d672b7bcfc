import { expect, test } from "bun:test";
import { quietOutput } from "./quiet-output.ts";

const RUN = `bun test v1.4.5

src/good.test.ts:
oidc-provider WARNING: a notice of a dependency
(pass) it works [0.10ms]

src/bad.test.ts:
(pass) first [1.00ms]
what the test printed

src/good.test.ts:
(skip) another [needs dig]

src/bad.test.ts:
error: expect(received).toBe(expected)
(fail) second > third [12.30ms]

1 tests failed:
(fail) second > third [12.30ms]

 3 pass
 1 fail
Ran 4 tests across 2 files. [1.20s]`;

test("a file prints a dot, and a failed test is named at once and shown with its file's output at the end", () => {
  const output = quietOutput();
  const printed = RUN.split("\n").map((line) => output.add(line));
  expect(printed.join("")).toBe("..\n(fail) src/bad.test.ts: second > third\n");
  expect(output.details().trim().split("\n").filter(Boolean)).toEqual([
    "src/bad.test.ts:",
    "what the test printed",
    "error: expect(received).toBe(expected)",
    "(fail) second > third [12.30ms]",
  ]);
});

test("a run that ended without a failed test shows its last lines", () => {
  const output = quietOutput();
  for (const line of ["src/a.test.ts:", "Segmentation fault"]) output.add(line);
  expect(output.details()).toContain("Segmentation fault");
});

test("a file that could not be loaded is shown", () => {
  const output = quietOutput();
  for (const line of ["src/a.test.ts:", "# Unhandled error between tests", "nowhere.ts"]) output.add(line);
  expect(output.details()).toContain("src/a.test.ts:\n# Unhandled error between tests\nnowhere.ts");
});
