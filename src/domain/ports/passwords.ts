/** Hashes passwords so slowly that guessing does not pay. */
export interface Passwords {
  /** Returns the hash in PHC form, with its parameters and a fresh salt. */
  hash(password: string): Promise<string>;

  /** Whether the password belongs to the hash. `null` stands for an unknown login: the same work, and always false. */
  verify(password: string, hash: string | null): Promise<boolean>;
}
