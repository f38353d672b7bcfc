/** What a look at one thing on the operator's machine found. */
export interface Finding {
  /** What was looked at, such as `disk` or `port`. */
  readonly check: string;
  readonly verdict: "ok" | "warning" | "problem";
  /** What was seen, in a sentence. */
  readonly detail: string;
  /** What to do; null where all is well. */
  readonly advice: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, verdict: "ok", detail, advice: null };
}

/** Works now, and may not for long. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, verdict: "warning", detail, advice };
}

/** Keeps something from working. */
export function problem(check: string, detail: string, advice: string): Finding {
  return { check, verdict: "problem", detail, advice };
}
