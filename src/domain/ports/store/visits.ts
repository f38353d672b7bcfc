/** A code that carries a sign-in from the base URL to a private site's host. */
export interface VisitCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly codeHash: string;
  /** SHA-256 of the secret in the state cookie of the browser that started. */
  readonly stateHash: string;
  readonly host: string;
  readonly siteId: number;
  readonly userId: number;
  /** The session at the base URL. The visit ends with it. */
  readonly sessionId: number;
  /** The requested page: path and query. */
  readonly path: string;
  readonly expiresAt: number;
}

/** The context in which a code is presented, which must match the one it was issued for. */
export interface CodeUse extends Pick<VisitCode, "host" | "siteId" | "stateHash"> {
  readonly now: number;
}

/** A visit, identified by a private site's own cookie. */
interface NewVisit {
  /** SHA-256 of the cookie's token. */
  readonly tokenHash: string;
  readonly expiresAt: number;
}

export type VisitVerdict = "admitted" | "refused" | "unknown";

export interface VisitStore {
  /** Throws `not_found` if the session was ended or the site deleted meanwhile. */
  addCode(code: VisitCode): Promise<void>;

  /**
   * Takes the code and, if it is valid for this use (`isCodeGoodFor`), opens its visit, in one transaction, so that a
   * code is used once, whether accepted or not. Returns null if the code is unknown or was refused.
   */
  redeem(codeHash: string, use: CodeUse, visit: NewVisit): Promise<VisitCode | null>;

  /**
   * Returns `admitted` if a visit is valid for this exact host and site, and its user still is owner or reader with a
   * valid session and an account that is not frozen; `refused` if the visit has not expired but the user lost that
   * right; otherwise `unknown`. One indexed read that must not be cached, so that a removed reader is refused from the
   * next request on.
   */
  check(tokenHash: string, host: string, siteId: number, now: number): Promise<VisitVerdict>;

  deleteExpired(now: number): Promise<number>;
}
