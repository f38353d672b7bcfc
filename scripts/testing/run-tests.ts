import { readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { CPU_TIMES, newTestPostgres, PORT_RANGE, TEST_POSTGRES, TIME_LIMIT_MS } from "../../src/testing/needs.ts";
import { quietOutput } from "./quiet-output.ts";
import { addCounts, type Counts, countTests, cpuByFile } from "./report.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface TestRun extends Counts {
  readonly succeeded: boolean;
  /** CPU seconds by test file; empty if the system does not report them. */
  readonly cpu: ReadonlyMap<string, number>;
}

interface TestOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The prefix of the command, such as one that enters a namespace. */
  readonly within?: readonly string[];
  /** How many files run at a time. */
  readonly parallel: number;
}

const ROOT = join(import.meta.dir, "..", "..");

/** The duration of each file in the last run. The longest files start first, so that no core is idle at the end. */
const TIMINGS = join(ROOT, ".bun", "test-timings.json");

/** Two files per core, because tests spend half of their time waiting: for a process, a page or a lock. */
export const PARALLEL_FILES = 2 * availableParallelism();

/**
 * Processes of tests are short, so their allocator returns no pages to the system. To search for them, and to get them
 * again, takes a third of their CPU time where a page fault is expensive, as in a virtual machine.
 */
const ALLOCATOR = { MIMALLOC_PURGE_HOLES: "0", MIMALLOC_PURGE_DELAY: "-1" };

/** The last tier of the compiler costs short processes more than it saves: without it tests take 5 to 10 % less CPU time. */
const COMPILER = { BUN_JSC_useFTLJIT: "0" };

/**
 * The files of a worker share their modules: to evaluate and compile them again took a second for each story. The time limit is
 * a flag, because Bun keeps that of patience.ts for the first file only.
 */
const SHARED = ["--no-isolate", `--timeout=${TIME_LIMIT_MS}`];

export const NO_TESTS: TestRun = {
  passed: 0,
  failed: 0,
  skipped: 0,
  lacking: new Map(),
  succeeded: true,
  cpu: new Map(),
};

/** Runs test files with `bun test`. Prints a dot for each, and the output of those that failed. */
export async function runTests(
  files: readonly string[],
  { env, within = [], parallel }: TestOptions,
): Promise<TestRun> {
  if (files.length === 0) return NO_TESTS;
  const folder = makeTemporaryFolder();
  const [report, cpuTimes] = [join(folder, "junit.xml"), join(folder, "cpu-times")];
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const flags = [`--parallel=${parallel}`, ...SHARED, ...(parallel > 1 ? longestFirst(files) : []), ...reporting];
  const command = [...within, process.execPath, "test", ...flags, ...files.map((file) => `./${file}`)];
  // Both streams are merged, which keeps the order of the lines.
  const child = Bun.spawn(["sh", "-c", 'exec "$@" 2>&1', "sh", ...command], {
    cwd: ROOT,
    env: {
      ...env,
      TMPDIR: folder,
      FORCE_COLOR: undefined,
      [CPU_TIMES]: cpuTimes,
      [TEST_POSTGRES]: newTestPostgres(),
      ...ALLOCATOR,
      ...COMPILER,
      // One file at a time runs beside the workers of the others, and is worker 1 too.
      [PORT_RANGE]: parallel === 1 ? "0" : undefined,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = quietOutput();
  for await (const line of linesOf(child.stdout)) process.stderr.write(output.add(line));
  const succeeded = (await child.exited) === 0;
  process.stderr.write(succeeded ? "\n" : `\n${output.details()}`);
  const counts = countTests(readIfThere(report));
  const byFile = cpuByFile(readIfThere(cpuTimes), ROOT);
  // Without workers the hook that records the time runs once, after the last file.
  const cpu =
    parallel > 1
      ? byFile
      : new Map([...byFile.values()].map((seconds) => [`${files.length} files in one process`, seconds]));
  return { ...counts, succeeded, cpu };
}

export function addRuns(one: TestRun, other: TestRun): TestRun {
  const cpu = new Map([...one.cpu, ...other.cpu]);
  return { ...addCounts(one, other), succeeded: one.succeeded && other.succeeded, cpu };
}

// --- internal ---

/** Returns the flags that start the longest files first and record the duration of each for the next run. */
function longestFirst(files: readonly string[]): readonly string[] {
  const { files: recorded = {} } = JSON.parse(readIfThere(TIMINGS) || "{}") as { files?: Record<string, number> };
  const timings = { ...Object.fromEntries(files.map((file) => [file, estimateOf(file)])), ...recorded };
  writeFileSync(TIMINGS, JSON.stringify({ version: 1, files: timings }));
  return [`--timings=${TIMINGS}`, "--update-timings"];
}

/** Returns an estimate in milliseconds for a file that never ran in this checkout. Stories take the longest. */
function estimateOf(file: string): number {
  const perByte = file.startsWith("src/acceptance/") ? 1 : 0.1;
  return Math.round(statSync(join(ROOT, file)).size * perByte);
}

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
