import { relative } from "node:path";
import { type NeedName, needsIn } from "../../src/testing/needs.ts";

/** The counts of a `bun test` run. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Need → the number of tests skipped without it. A test that lacks two needs counts for both. */
  readonly lacking: ReadonlyMap<NeedName, number>;
}

/**
 * Counts the tests of a JUnit report. A hook is listed as a test without a name. A failed hook counts, because the
 * tests that depend on it are not listed. A file that could not be loaded is not in the report, but in the exit status.
 */
export function countTests(xml: string): Counts {
  const lacking = new Map<NeedName, number>();
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, outcome } of testCases(xml)) {
    if (name.includes("(unnamed)") && outcome !== "failed") continue;
    count[outcome]++;
    if (outcome !== "skipped") continue;
    for (const need of needsIn(name) as NeedName[]) lacking.set(need, (lacking.get(need) ?? 0) + 1);
  }
  return { ...count, lacking };
}

export function addCounts(one: Counts, other: Counts): Counts {
  const lacking = new Map(one.lacking);
  for (const [need, count] of other.lacking) lacking.set(need, (lacking.get(need) ?? 0) + count);
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    lacking,
  };
}

/** Returns the CPU seconds of each test file from the lines that `src/testing/cpu-time.ts` writes. */
export function cpuByFile(lines: string, root: string): ReadonlyMap<string, number> {
  const before = new Map<string, number>();
  const byFile = new Map<string, number>();
  for (const [, process = "", seconds, path = ""] of lines.matchAll(/^(\d+) ([\d.]+) (.+)$/gm)) {
    // A process runs one file after the other, and its CPU time is cumulative.
    byFile.set(relative(root, path), Number(seconds) - (before.get(process) ?? 0));
    before.set(process, Number(seconds));
  }
  return byFile;
}

/** Returns a line for the sum, and one for each of the most expensive files. */
export function describeCpu(byFile: ReadonlyMap<string, number>, most = 10): readonly string[] {
  const files = [...byFile].sort(([, one], [, other]) => other - one).slice(0, most);
  const sum = [...byFile.values()].reduce((total, seconds) => total + seconds, 0);
  const line = (seconds: number, name: string) => `${seconds.toFixed(1).padStart(7)} s ${name}`;
  return [line(sum, "of CPU time, most of it in"), ...files.map(([file, seconds]) => line(seconds, file))];
}

// --- internal ---

type Outcome = "passed" | "failed" | "skipped";

/** The tests of a report, with the names of their groups in front. */
function* testCases(xml: string): Generator<{ name: string; outcome: Outcome }> {
  const pattern = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs;
  for (const [, name = "", groups = "", body = ""] of xml.matchAll(pattern)) {
    const outcome = body.includes("<skipped") ? "skipped" : /<(failure|error)/.test(body) ? "failed" : "passed";
    yield { name: `${groups} ${name}`, outcome };
  }
}
