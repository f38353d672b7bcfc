/** At most `count` events of one subject within a sliding window of `window` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly window: number;
}
