/** Where the server says what happens. Never given a token, a password or a cookie. */
export interface Log {
  /** Something an operator may want to know: `event` is a short sentence, `fields` its particulars. */
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Something that an operator should look at. */
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A failure that nobody foresaw, whole: with its stack and its causes. */
  error(event: string, error: unknown): void;
}
