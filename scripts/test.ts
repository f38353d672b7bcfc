// Everything that CI runs: Debian packages, format, lint and types, the executable, and all tests.
//   npm test [-- PATTERN ...]     only the test files whose path contains a pattern
// The last line counts the tests that were truly run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDebianPackages, unpackDebianPackages } from "./debian-packages.ts";

const root = join(import.meta.dir, "..");
const patterns = process.argv.slice(2);

/** Runs a command and returns whether it succeeded. */
async function run(name: string, command: string[]): Promise<boolean> {
  const started = performance.now();
  // Without a word about it a child gets the environment that this process was started with, not the one of now.
  const { exited } = Bun.spawn(command, { cwd: root, env: process.env, stdio: ["ignore", "inherit", "inherit"] });
  const status = await exited;
  console.error(`${name}: ${status === 0 ? "ok" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return status === 0;
}

/** Counts from the runner's JUnit report: a file that could not be loaded is in no such count, but in the exit status. */
async function counts(report: string): Promise<{ passed: number; failed: number; skipped: number }> {
  const xml = await Bun.file(report)
    .text()
    .catch(() => "");
  const suites = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  return { passed: number("tests") - failed - number("skipped"), failed, skipped: number("skipped") };
}

await installDebianPackages();
await unpackDebianPackages(join(root, ".bun", "debian"));
const bun = process.execPath;
const checked = await run("check", [bun, "scripts/check.ts"]);
const built = await run("build", [bun, "scripts/build.ts"]);

const folder = mkdtempSync(join(tmpdir(), "vitrine-report-"));
const report = join(folder, "junit.xml");
const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
const tested = await run("tests", [
  bun,
  "test",
  "--parallel=2",
  "--timeout=30000",
  "--dots",
  ...reporting,
  ...patterns,
]);
const { passed, failed, skipped } = await counts(report);
rmSync(folder, { recursive: true });

// Whatever failed outside a test counts as one failure, so that no summary looks better than its run.
const outside = [checked, built, tested || failed > 0].filter((ok) => !ok).length;
console.log(`${passed} passed, ${failed + outside} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exit(failed + outside === 0 ? 0 : 1);
