/** Where the time comes from. Tests turn it by hand, so that nothing waits for expiry. */
export interface Clock {
  /** Returns the wall clock in milliseconds since the epoch. */
  now(): number;
}
