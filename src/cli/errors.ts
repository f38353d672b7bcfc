/** Returns a clause, as other layers word what is wrong, as a sentence of its own. */
export function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** A command could not do its work. The message says what is wrong, the advice what to do next. */
export class Failure extends Error {
  override readonly name: string = "Failure";
  /** What the process answers with: 1 failed, 2 wrong usage. */
  readonly status: 1 | 2 = 1;

  constructor(
    message: string,
    readonly advice?: string,
  ) {
    super(message);
  }
}

/** The command was given in a way that cannot work. */
export class UsageError extends Failure {
  override readonly name = "UsageError";
  override readonly status = 2;
}
