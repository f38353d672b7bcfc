/** The source of the time. Tests set it, so that they need not wait. */
export interface Clock {
  /** Returns the wall clock in milliseconds since the epoch. */
  now(): number;
}
