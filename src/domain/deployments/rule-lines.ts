import type { Warning } from "./manifest.ts";

/** Larger rule files are cut: the rest would cost every worker memory for as long as the deployment is served. */
export const MAX_RULE_FILE_BYTES = 256 * 1024;
/** Longer lines are left out: no browser sends a path that a longer pattern could meet. */
const MAX_LINE_LENGTH = 2000;
/** More warnings than a person reads are counted, not listed: they are kept with the deployment. */
const MAX_WARNINGS = 100;

export interface RuleLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without the white space around it; never empty, never a comment. */
  readonly text: string;
}

/** Collects the warnings about one rule file, up to a number that a person can read. */
export class Warnings {
  readonly #kept: Warning[] = [];
  #more = 0;

  constructor(readonly file: string) {}

  add(line: number, message: string): void {
    if (this.#kept.length < MAX_WARNINGS) this.#kept.push({ file: this.file, line, message });
    else this.#more += 1;
  }

  /** Returns the warnings in the order of their lines; the last one counts those that were left out. */
  list(): Warning[] {
    const sorted = this.#kept.toSorted((a, b) => a.line - b.line);
    if (this.#more === 0) return sorted;
    return [...sorted, { file: this.file, line: 0, message: `and ${this.#more} more warnings about this file` }];
  }
}

/**
 * Returns the lines of a rule file that say something. A byte order mark, CRLF and CR line ends are understood;
 * what lies beyond the limits is left out with a warning.
 */
export function ruleLines(text: string, warnings: Warnings): RuleLine[] {
  const lines: RuleLine[] = [];
  // Half a surrogate pair would make every later encodeURIComponent throw.
  const kept = withinLimit(text.toWellFormed());
  kept
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .forEach((raw, index) => {
      const trimmed = raw.trim();
      if (trimmed === "" || trimmed.startsWith("#")) return;
      if (trimmed.length > MAX_LINE_LENGTH) {
        warnings.add(index + 1, `the line is longer than ${MAX_LINE_LENGTH} characters and was left out`);
      } else lines.push({ number: index + 1, text: trimmed });
    });
  if (kept.length < text.length) {
    const line = kept.split(/\r\n|\n|\r/).length;
    warnings.add(line, `the file is larger than ${MAX_RULE_FILE_BYTES / 1024} KiB; from this line on it was left out`);
  }
  return lines;
}

/** Returns a piece of a line that is short enough, and harmless enough, to stand in a message. */
export function excerpt(text: string): string {
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\uFFFD");
  return printable.length > 80 ? `${printable.slice(0, 79)}…` : printable;
}

// --- internal ---

/** Cuts the text at the last whole line within the limit. */
function withinLimit(text: string): string {
  // A UTF-16 unit is at least one byte of UTF-8 and at most three: most files need no counting.
  if (text.length * 3 <= MAX_RULE_FILE_BYTES) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_RULE_FILE_BYTES) return text;
  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, MAX_RULE_FILE_BYTES));
  const end = Math.max(head.lastIndexOf("\n"), head.lastIndexOf("\r"));
  return head.slice(0, end + 1);
}
