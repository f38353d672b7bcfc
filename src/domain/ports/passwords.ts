/** A slow password hash, to make guessing expensive. */
export interface Passwords {
  /** Returns the hash in PHC format, with its parameters and a new salt. */
  hash(password: string): Promise<string>;

  /**
   * Returns whether the password matches the hash. For `null`, an unknown login, it takes the same time and returns
   * false.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}
