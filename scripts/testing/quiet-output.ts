// `bun test` prints a file's tests below the file's name, mixed with the output of the file and its dependencies.

/** Selects what to print of the output while it arrives and at the end. */
interface QuietOutput {
  /** Takes the next line. Returns what to print at once: a dot for a new file, or the name of a failed test. */
  add(line: string): string;
  /**
   * Returns the whole output of files with a failure, without tests that passed. If no test failed, returns the last
   * lines.
   */
  details(): string;
}

const HEADING = /^(\S.*\.test\.tsx?):$/;
const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/;
const UNEVENTFUL = /^(\((pass|skip|todo)\) | *\d+ (pass|fail|skip|todo|errors?|expect\(\) calls)$|Ran \d+ tests? )/;
const LAST_LINES = 50;
/** Bun's messages for errors outside a test, such as while it loads a file. */
const OUTSIDE = /^(# Unhandled error between tests|error: Cannot find|SyntaxError|error: .* crashed)/;

/** The heading under which Bun repeats the failed tests of all files. */
const REPEATED = /^\d+ tests? failed:$/;

export function quietOutput(): QuietOutput {
  const files = new Map<string, string[]>();
  const failed = new Set<string>();
  const last: string[] = [];
  let current = "";
  let isOver = false;

  return {
    add(line) {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      const [, file] = HEADING.exec(line) ?? [];
      if (file !== undefined) {
        current = file;
        if (files.has(file)) return "";
        files.set(file, []);
        return ".";
      }
      isOver ||= REPEATED.test(line);
      if (isOver || UNEVENTFUL.test(line)) return "";
      files.set(current, [...(files.get(current) ?? []), line]);
      if (OUTSIDE.test(line)) failed.add(current);
      const [, name] = FAILED.exec(line) ?? [];
      if (name === undefined) return "";
      failed.add(current);
      return `\n(fail) ${current}: ${name}\n`;
    },

    details() {
      if (failed.size === 0) return `${last.join("\n")}\n`;
      return [...failed].map((file) => `\n${file}:\n${withoutGaps(files.get(file) ?? [])}\n`).join("");
    },
  };
}

/** Joins the lines, with a single empty line for each gap. */
function withoutGaps(lines: readonly string[]): string {
  return lines
    .join("\n")
    .trim()
    .replaceAll(/\n{3,}/g, "\n\n");
}
