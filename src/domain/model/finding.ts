/** The result of one check of the operator's machine. */
export interface Finding {
  /** The name of the check, such as `disk` or `port`. */
  readonly check: string;
  readonly verdict: "ok" | "warning" | "problem";
  /** The result, as a message. */
  readonly detail: string;
  /** The remedy; null if the check passed. */
  readonly advice: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, verdict: "ok", detail, advice: null };
}

/** Works now, but may fail soon. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, verdict: "warning", detail, advice };
}

/** Prevents something from working. */
export function problem(check: string, detail: string, advice: string): Finding {
  return { check, verdict: "problem", detail, advice };
}
