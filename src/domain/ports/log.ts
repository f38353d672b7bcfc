/** The server's log. It must never receive a token, a password or a cookie. */
export interface Log {
  /** An event with its details in `fields`. */
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A problem that an operator should check. */
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** An unexpected error, logged with its stack and its causes. */
  error(event: string, error: unknown): void;
}
