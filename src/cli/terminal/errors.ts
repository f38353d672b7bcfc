/**
 * A command failed. The message says what is wrong, like that of a `DomainError`; the advice below it is a sentence that
 * says what to do next.
 */
export class Failure extends Error {
  override readonly name: string = "Failure";
  /** The exit status: 1 failed, 2 wrong usage. */
  readonly status: 1 | 2 = 1;

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
