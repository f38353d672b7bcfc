// Everything that CI runs: format, lint and types, the executable, and all tests. It installs what the tests need if
// possible. Tests whose needs are still missing are skipped.
//   npm test -- PATTERN ...   only the test files whose path contains a pattern, and what they need
//   npm test -- --require-all a skipped test is a failure
// The last line counts the tests.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { $, Glob } from "bun";
import { adviceOf, LACKING, NEED_NAMES, type NeedName, needOf } from "../src/testing/needs.ts";
import { mountNamespace } from "./testing/mount-namespace.ts";
import { needsOfFiles } from "./testing/needs-of-files.ts";
import { provideNeeds } from "./testing/provide-needs.ts";
import { describeCpu } from "./testing/report.ts";
import { addRuns, NO_TESTS, PARALLEL_FILES, runTests, type TestRun } from "./testing/run-tests.ts";

const root = join(import.meta.dir, "..");
const { values, positionals: patterns } = parseArgs({
  options: { "require-all": { type: "boolean", default: false } },
  allowPositionals: true,
});

/** Runs a step and returns whether it succeeded. */
async function step(name: string, run: () => Promise<boolean>): Promise<boolean> {
  const started = performance.now();
  const succeeded = await run();
  console.error(`${name}: ${succeeded ? "ok" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return succeeded;
}

/** Runs a script of this folder. Its output is shown if it fails. */
async function script(name: string): Promise<boolean> {
  const { exitCode, stdout, stderr } = await $`${process.execPath} scripts/${name}.ts`
    .cwd(root)
    .env(process.env)
    .quiet()
    .nothrow();
  if (exitCode !== 0) console.error(`${stdout}${stderr}`);
  return exitCode === 0;
}

/** Returns the requested test files. */
function testFiles(): readonly string[] {
  const files = [...new Glob("{src,scripts,public}/**/*.test.ts").scanSync(root)].sort();
  const wanted = files.filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)));
  if (wanted.length === 0) throw new Error(`no test file's path has ${patterns.join(" or ")}`);
  return wanted;
}

/** Runs test files. Those that mount disks run apart, because they need a mount namespace. */
async function runFiles(files: readonly string[], missing: readonly NeedName[]): Promise<TestRun> {
  const disk = files.filter((file) => file.endsWith(".disk.test.ts"));
  const env = { ...process.env, [LACKING]: missing.join(",") };
  const namespace = disk.length > 0 ? mountNamespace() : null;
  // Inside the namespace the user and the privileges may differ, so needs are tried there again.
  const inside = namespace ? { within: namespace, env: { ...process.env, [LACKING]: undefined } } : { env };
  const [other, mounting] = await Promise.all([
    runTests(
      files.filter((file) => !disk.includes(file)),
      { env, parallel: PARALLEL_FILES },
    ),
    runTests(disk, { ...inside, parallel: 1 }),
  ]);
  return addRuns(other, mounting);
}

const files = testFiles();
const isWhole = patterns.length === 0;
// Fetching packages leaves the cores idle.
const building = isWhole && step("build", async () => (await script("bundle-threads")) && (await script("build")));
const checking = isWhole && step("check", () => script("check"));
const missing = await provideNeeds(join(root, ".bun", "debian"), isWhole ? NEED_NAMES : needsOfFiles(root, files));
const built = !isWhole || (await building);
let run = NO_TESTS;
await step("tests", async () => {
  run = await runFiles(files, missing);
  return run.succeeded;
});
const checked = !isWhole || (await checking);

const { passed, failed, skipped, lacking, cpu } = run;
if (cpu.size > 1) for (const line of describeCpu(cpu)) console.error(line);
for (const [name, count] of lacking) {
  const need = needOf(name);
  console.error(`${count} ${count === 1 ? "test" : "tests"} skipped without ${need.what}: ${adviceOf(need)}`);
}
// A failure outside a test counts as one failed test, so that the summary never looks better than the run.
const outside = [checked, built, run.succeeded || failed > 0].filter((ok) => !ok).length;
console.log(`${passed} passed, ${failed + outside} failed${skipped ? `, ${skipped} skipped` : ""}`);
const isEnough = skipped === 0 || !values["require-all"];
if (!isEnough) console.error("Every test is required to run (--require-all).");
process.exit(failed + outside === 0 && isEnough ? 0 : 1);
