import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CPU_TIMES, newTestPostgres, TEST_POSTGRES } from "../../src/testing/needs.ts";
import { quietOutput } from "./quiet-output.ts";
import { addCounts, type Counts, countTests, cpuByFile } from "./report.ts";

export interface TestRun extends Counts {
  readonly succeeded: boolean;
  /** CPU seconds by test file; empty if the system does not report them. */
  readonly cpu: ReadonlyMap<string, number>;
}

interface TestOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The prefix of the command, such as one that enters a namespace. */
  readonly within?: readonly string[];
}

const ROOT = join(import.meta.dir, "..", "..");

/** The duration of each file in the last run. The longest files start first, so that no core is idle at the end. */
const TIMINGS = join(ROOT, ".bun", "test-timings.json");

/** One more than the two cores of a small machine, because many tests wait for processes. */
const PARALLEL_FILES = 3;

export const NO_TESTS: TestRun = {
  passed: 0,
  failed: 0,
  skipped: 0,
  lacking: new Map(),
  succeeded: true,
  cpu: new Map(),
};

/** Runs test files with `bun test`. Prints a dot for each, and the output of those that failed. */
export async function runTests(files: readonly string[], { env, within = [] }: TestOptions): Promise<TestRun> {
  if (files.length === 0) return NO_TESTS;
  const folder = mkdtempSync(join(tmpdir(), "vitrine-report-"));
  const [report, cpuTimes] = [join(folder, "junit.xml"), join(folder, "cpu-times")];
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const flags = [`--parallel=${PARALLEL_FILES}`, `--timings=${TIMINGS}`, "--update-timings", ...reporting];
  const command = [...within, process.execPath, "test", ...flags, ...files.map((file) => `./${file}`)];
  // Both streams are merged, which keeps the order of the lines.
  const child = Bun.spawn(["sh", "-c", 'exec "$@" 2>&1', "sh", ...command], {
    cwd: ROOT,
    env: { ...env, FORCE_COLOR: undefined, [CPU_TIMES]: cpuTimes, [TEST_POSTGRES]: newTestPostgres() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = quietOutput();
  for await (const line of linesOf(child.stdout)) process.stderr.write(output.add(line));
  const succeeded = (await child.exited) === 0;
  process.stderr.write(succeeded ? "\n" : `\n${output.details()}`);
  const counts = countTests(readIfThere(report));
  const cpu = cpuByFile(readIfThere(cpuTimes), ROOT);
  rmSync(folder, { recursive: true });
  return { ...counts, succeeded, cpu };
}

export function addRuns(one: TestRun, other: TestRun): TestRun {
  const cpu = new Map([...one.cpu, ...other.cpu]);
  return { ...addCounts(one, other), succeeded: one.succeeded && other.succeeded, cpu };
}

// --- internal ---

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) yield rest;
}

/** An aborted run leaves no report. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
