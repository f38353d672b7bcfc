/** A code that brings a signed-in person from the base address to a private site's own host. */
export interface VisitCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly codeHash: string;
  /** SHA-256 of the secret in the state cookie of the browser that began. */
  readonly stateHash: string;
  readonly host: string;
  readonly siteId: number;
  readonly userId: number;
  /** The session at the base address; the visit ends with it. */
  readonly sessionId: number;
  /** The page they wanted: path and query. */
  readonly path: string;
  readonly expiresAt: number;
}

/** What a browser presents a code with: it must be what the code was made for. */
export interface CodeUse extends Pick<VisitCode, "host" | "siteId" | "stateHash"> {
  readonly now: number;
}

/** What a private site's own cookie stands for. */
export interface NewVisit {
  /** SHA-256 of the cookie's token. */
  readonly tokenHash: string;
  readonly expiresAt: number;
}

export type VisitVerdict = "admitted" | "refused" | "unknown";

export interface VisitStore {
  /** Throws `not_found` where the session was ended or the site deleted meanwhile. */
  addCode(code: VisitCode): Promise<void>;

  /**
   * Takes the code and, where it is good for this use (`isCodeGoodFor`), opens the visit that it stands for; one step, so
   * that a code is used once, whether accepted or not. Returns null when the code is unknown or was refused.
   */
  redeem(codeHash: string, use: CodeUse, visit: NewVisit): Promise<VisitCode | null>;

  /**
   * Returns `admitted` when a visit is open for this very host and site, and its person still is owner or reader with a
   * session that has not ended and an account that is not frozen; `refused` when the visit would last but the person's right has ended; else `unknown`.
   * One indexed read, and never a remembered answer: a removed reader is out with the next request.
   */
  judge(tokenHash: string, host: string, siteId: number, now: number): Promise<VisitVerdict>;

  /** Ends one visit; unknown ones are no error. */
  end(tokenHash: string): Promise<void>;

  removeExpired(now: number): Promise<number>;
}
