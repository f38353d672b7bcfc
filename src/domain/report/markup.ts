/** An attribute, with entities decoded; `at` is the position of its name in the text. */
export interface Attribute {
  readonly value: string;
  readonly at: number;
}

/** Receives the parts of a page in their order. Names are in lower case. */
export interface MarkupHandler {
  openTag(name: string, attributes: ReadonlyMap<string, Attribute>): void;
  closeTag(name: string): void;
  /** Text between tags, also in parts. */
  text(start: number, end: number): void;
}

/** Reads HTML as browsers do, whatever it contains, without building a tree. */
export type ReadMarkup = (text: string, handler: MarkupHandler) => void;
