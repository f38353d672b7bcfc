/** The exit status of a command: 0 done, 1 failed, 2 wrong usage, 3 held back by the deploy report. */
export type ExitStatus = 0 | 1 | 2 | 3;

/**
 * A command failed. The message says what is wrong, like that of a `DomainError`; the advice below it is a sentence that
 * says what to do next.
 */
export class Failure extends Error {
  override readonly name: string = "Failure";
  readonly status: Exclude<ExitStatus, 0> = 1;

  constructor(
    message: string,
    readonly advice?: string,
  ) {
    super(message);
  }
}

export class UsageError extends Failure {
  override readonly name = "UsageError";
  override readonly status = 2;
}

/** The report of a deployment kept it from going live. */
export class HeldBack extends Failure {
  override readonly name = "HeldBack";
  override readonly status = 3;
}
