/** A broken promise. */
export interface Violation {
  readonly kind:
    | "stale visit"
    | "lost change"
    | "invented change"
    | "wrong number"
    | "missing content"
    | "failed visit"
    | "failed change"
    | "wrong bucket";
  /** Milliseconds, by the clock of the history. */
  readonly at: number;
  readonly detail: string;
}
