// `bun test` prints a file's tests below the file's name, and between them whatever the file or a dependency writes.

/** What to print of such output while it arrives, and at its end. */
interface QuietOutput {
  /** Takes the next line; returns what to print at once: a dot for a file that is new, the name of a test that failed. */
  add(line: string): string;
  /** Everything that the files with a failure wrote, without the tests that passed; with no failure, the last lines. */
  details(): string;
}

const HEADING = /^(\S.*\.test\.tsx?):$/;
const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/;
const UNEVENTFUL = /^(\((pass|skip|todo)\) | *\d+ (pass|fail|skip|todo|errors?|expect\(\) calls)$|Ran \d+ tests? )/;
const LAST_LINES = 50;
/** Bun's words for what went wrong outside of a test, as while a file is loaded. */
const OUTSIDE = /^(# Unhandled error between tests|error: Cannot find|SyntaxError|error: .* crashed)/;

/** Where Bun repeats the names of the tests that failed, whatever file they are of. */
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

/** The lines, with one empty line where there are several, as between the places where a file went on. */
function withoutGaps(lines: readonly string[]): string {
  return lines
    .join("\n")
    .trim()
    .replaceAll(/\n{3,}/g, "\n\n");
}
