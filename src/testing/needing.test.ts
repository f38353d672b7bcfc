import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { adviceOf, LACKING, markOf, needOf, needsIn } from "./needs.ts";

const FILE = `
  import { needing } from ${JSON.stringify(join(import.meta.dir, "needing.ts"))};
  const { beforeAll, afterAll, describe, test } = needing("dig", "zip");
  beforeAll(() => { throw new Error("no hook runs"); });
  afterAll(() => { throw new Error("no hook runs"); });
  test("alone", () => {});
  test.each([1, 2])("of a table %i", () => {});
  describe("in a group", () => test("of it", () => {}));
  describe.each([3, 4])("in group %i", () => test("of it", () => {}));
  needing("zip").test("that has what it needs", () => {});
`;

/** Runs the file without dig. Returns its tests as `name: outcome`. */
async function outcomes(): Promise<{ status: number; tests: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-needing-"));
  try {
    await Bun.write(join(folder, "some.test.ts"), FILE);
    const report = join(folder, "junit.xml");
    const child = Bun.spawn(
      [process.execPath, "test", "./some.test.ts", "--reporter=junit", `--reporter-outfile=${report}`],
      { cwd: folder, env: { ...process.env, [LACKING]: "dig" }, stdout: "ignore", stderr: "ignore" },
    );
    const status = await child.exited;
    const cases = readFileSync(report, "utf8").matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*?(\/?)>/g);
    const tests = [...cases].map(([, name, group, ran]) => `${group} ${name}: ${ran ? "ran" : "skipped"}`.trim());
    return { status, tests };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a test that lacks something is skipped with its hooks, and its name contains the need", async () => {
  expect(await outcomes()).toEqual({
    status: 0,
    tests: [
      "alone [needs dig]: skipped",
      "of a table 1 [needs dig]: skipped",
      "of a table 2 [needs dig]: skipped",
      "in a group [needs dig] of it [needs dig]: skipped",
      "in group 3 [needs dig] of it [needs dig]: skipped",
      "in group 4 [needs dig] of it [needs dig]: skipped",
      "that has what it needs: ran",
    ],
  });
});

test.each([
  ["apt", "dig", "sudo apt-get install dnsutils"],
  ["dnf", "dig", "sudo dnf install bind-utils"],
  ["brew", "dig", "brew install bind"],
  ["dnf", "git", "sudo dnf install git"],
  ["brew", "browser", "brew install --cask chromium"],
  ["apt", "pebble", "sudo apt-get install pebble"],
  ["dnf", "pebble", "go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest"],
  ["brew", "ceph", "run the tests on Debian, Ubuntu or Fedora"],
] as const)("with %s, the advice for %s says what provides it there", (manager, name, advice) => {
  expect(adviceOf(needOf(name), manager, false)).toBe(advice);
});

test("missing needs are read from the names of tests, each need once", () => {
  expect(needsIn(`a group${markOf(["dig"])} a test${markOf(["another user", "dig"])}`)).toEqual([
    "dig",
    "another user",
  ]);
  expect(needsIn("a test [of brackets]")).toEqual([]);
});

test("a missing need has a command or advice", () => {
  expect(adviceOf(needOf("disk"))).toContain("run the tests as root");
  expect(adviceOf(needOf("zip"))).toMatch(/\binstall zip\b/);
  expect(adviceOf(needOf("zip"), null)).toBe("install zip with the system's package manager");
});

/** Matches the start of a command. */
const runs = (program: string) => new RegExp(`(\\$\`|spawn(Sync)?\\(\\[\\s*")${program}\\b`);

test.each([
  [/\bstartChromium\(/, "browser"],
  [/\bstartPebble\(/, "pebble"],
  [/\b(withDisk|mountDisk)\(/, "disk"],
  [runs("bash"), "bash"],
  [runs("curl"), "curl"],
  [runs("dig"), "dig"],
  [runs("git"), "git"],
  [runs("openssl"), "openssl"],
  [runs("python3"), "python"],
  [runs("tar"), "tar"],
  [runs("unzip"), "unzip"],
])("a test file that calls what matches %p declares the need", async (pattern, need) => {
  const root = join(import.meta.dir, "..", "..");
  const files = await Array.fromAsync(new Glob("{public,scripts,src}/**/*.test.ts").scan(root));
  const sources = await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const),
  );
  const silent = sources.filter(([, text]) => pattern.test(text) && !new RegExp(`needing\\([^)]*"${need}"`).test(text));
  expect(silent.map(([file]) => file)).toEqual([]);
  const isElsewhere = (file: string) => need === "disk" && !file.endsWith(".disk.test.ts");
  expect(sources.filter(([file, text]) => pattern.test(text) && isElsewhere(file))).toEqual([]);
});
