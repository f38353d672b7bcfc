import type { Warning } from "../model/manifest.ts";

/** Larger rule files are truncated, because rules are in the memory of every worker while the site is served. */
export const MAX_RULE_FILE_BYTES = 256 * 1024;
/** Longer lines are ignored: no browser sends a path that a longer pattern could match. */
const MAX_LINE_LENGTH = 2000;
/** Further warnings are only counted, because warnings are stored with the deployment. */
const MAX_WARNINGS = 100;

export interface RuleLine {
  /** Starts at 1. */
  readonly number: number;
  /** Trimmed; never empty and never a comment. */
  readonly text: string;
}

/** Collects the warnings about one rule file, up to a maximum. */
export class Warnings {
  readonly #kept: Warning[] = [];
  #more = 0;

  constructor(readonly file: string) {}

  add(line: number, message: string): void {
    if (this.#kept.length < MAX_WARNINGS) this.#kept.push({ file: this.file, line, message });
    else this.#more += 1;
  }

  /** Returns the warnings in line order. The last one counts the omitted ones. */
  list(): Warning[] {
    const sorted = this.#kept.toSorted((a, b) => a.line - b.line);
    if (this.#more === 0) return sorted;
    return [...sorted, { file: this.file, line: 0, message: `and ${this.#more} more warnings about this file` }];
  }
}

/**
 * Returns the lines of a rule file without blanks and comments. Accepts a byte order mark, CRLF and CR;
 * whatever exceeds the limits is omitted with a warning.
 */
export function ruleLines(text: string, warnings: Warnings): RuleLine[] {
  const lines: RuleLine[] = [];
  // A lone surrogate would make encodeURIComponent throw later.
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

/** Truncates and escapes a part of a line for a message. */
export function excerpt(text: string): string {
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\uFFFD");
  return printable.length > 80 ? `${printable.slice(0, 79)}…` : printable;
}

// --- internal ---

/** Truncates the text after the last whole line within the limit. */
function withinLimit(text: string): string {
  // A UTF-16 unit is one to three bytes in UTF-8, so that most files need no exact count.
  if (text.length * 3 <= MAX_RULE_FILE_BYTES) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_RULE_FILE_BYTES) return text;
  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, MAX_RULE_FILE_BYTES));
  const end = Math.max(head.lastIndexOf("\n"), head.lastIndexOf("\r"));
  return head.slice(0, end + 1);
}
