/** An unusable value. `usable` completes the sentence "… is not usable: give ". */
export class Unusable extends Error {
  constructor(readonly usable: string) {
    super(usable);
  }
}

/** Parses the text of a setting. `folder` is the base of relative paths. Throws `Unusable`. */
export interface Parser<T> {
  (text: string, folder: string): T;
  /** The placeholder of the value in the help, such as `URL`. */
  readonly placeholder: string;
  /** Returns the text of a value; empty for none. */
  format(value: T): string;
}

export function parser<T>(
  placeholder: string,
  parse: (text: string, folder: string) => T,
  format: (value: T) => string = String,
): Parser<T> {
  return Object.assign((value: string, folder: string) => parse(value, folder), { placeholder, format });
}

/** Extends a parser to optional settings. */
export function optional<T>(parse: Parser<T>): Parser<T | null> {
  return parser<T | null>(parse.placeholder, parse, (value) => (value === null ? "" : parse.format(value)));
}

/** Extends a parser to settings that can be `off`. */
export function orOff<T>(parse: Parser<T>): Parser<T | null> {
  const parseOrOff = (value: string, folder: string) => {
    if (value === "off") return null;
    try {
      return parse(value, folder);
    } catch (error) {
      if (error instanceof Unusable) throw new Unusable(`${error.usable}, or off`);
      throw error;
    }
  };
  return parser<T | null>(parse.placeholder, parseOrOff, (value) => (value === null ? "off" : parse.format(value)));
}

/** A list separated by commas, spaces or line ends. */
export function listOf<T>(parse: Parser<T>): Parser<readonly T[]> {
  const parseAll = (value: string, folder: string) => {
    const items = value.split(/[\s,]+/).filter((item) => item !== "");
    return Object.freeze(items.map((item) => parse(item, folder)));
  };
  const plural = `${parse.placeholder}${parse.placeholder.endsWith("S") ? "ES" : "S"}`;
  return parser<readonly T[]>(plural, parseAll, (values) => values.map(parse.format).join(","));
}
