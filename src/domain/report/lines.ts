/** Finds the lines of positions in a text. Asking in ascending order reads the text once. */
export class Lines {
  #line = 1;
  #start = 0;
  #end: number;

  constructor(readonly text: string) {
    this.#end = endOfLine(text, 0);
  }

  /** Returns the line of a position, counted from 1. */
  at(position: number): number {
    if (position < this.#start) this.#moveTo(1, 0);
    while (position > this.#end && this.#end < this.text.length) this.#moveTo(this.#line + 1, this.#end + 1);
    return this.#line;
  }

  #moveTo(line: number, start: number): void {
    this.#line = line;
    this.#start = start;
    this.#end = endOfLine(this.text, start);
  }
}

// --- internal ---

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}
