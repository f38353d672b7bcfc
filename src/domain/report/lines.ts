/** Finds the lines of positions in a text. Asking in ascending order reads the text once. */
export class Lines {
  #at = 0;
  #line = 1;

  constructor(readonly text: string) {}

  /** Returns the line of a position, counted from 1. */
  at(position: number): number {
    if (position < this.#at) {
      this.#at = 0;
      this.#line = 1;
    }
    for (;;) {
      const end = this.text.indexOf("\n", this.#at);
      if (end === -1 || end >= position) return this.#line;
      this.#at = end + 1;
      this.#line += 1;
    }
  }
}
