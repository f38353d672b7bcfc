/** An address in a style sheet, with its position. */
interface CssReference {
  readonly kind: "image" | "style";
  readonly address: string;
  readonly at: number;
}

/**
 * Yields the addresses in a style sheet: every `url()`, and every `@import`. Comments and other strings are skipped. Each
 * character is read once, whatever the sheet contains.
 */
export function* cssReferences(text: string): Generator<CssReference> {
  for (let at = nextStart(text, 0); at !== -1; ) {
    const character = text.charAt(at);
    if (character === "/") {
      at = nextStart(text, commentEnd(text, at));
    } else if (character === '"' || character === "'") {
      at = nextStart(text, stringEnd(text, at));
    } else if (NAMESPACE.test(text.slice(at, at + 2))) {
      at = nextStart(text, statementEnd(text, at));
    } else {
      const isImport = character === "@";
      const start = isImport ? skipSpace(text, at + "@import".length) : at;
      const { address, end } = isImport && isQuote(text, start) ? readString(text, start) : readUrl(text, start);
      if (address !== null) yield { kind: isImport ? "style" : "image", address, at: start };
      at = nextStart(text, Math.max(end, at + 1));
    }
  }
}

// --- internal ---

interface Read {
  /** Null if there is none. */
  readonly address: string | null;
  readonly end: number;
}

/** Returns the position of the next comment, string, import or address; -1 for none. */
function nextStart(text: string, from: number): number {
  START.lastIndex = from;
  return START.exec(text)?.index ?? -1;
}

const START = /\/\*|["']|@(?:import|namespace)(?![\w-])|(?<![\w-])url\(/gi;

/** The URL in `@namespace` is a name, which browsers do not request. */
const NAMESPACE = /^@n/i;

function statementEnd(text: string, at: number): number {
  const end = text.indexOf(";", at);
  return end === -1 ? text.length : end + 1;
}

function commentEnd(text: string, at: number): number {
  const end = text.indexOf("*/", at + 2);
  return end === -1 ? text.length : end + 2;
}

/** Returns the position after a string, which ends with its line at the latest. */
function stringEnd(text: string, at: number): number {
  const quote = text.charAt(at);
  for (let end = at + 1; end < text.length; end++) {
    const character = text.charAt(end);
    if (character === quote) return end + 1;
    if (character === "\n") return end;
    if (character === "\\") end += 1;
  }
  return text.length;
}

function readString(text: string, at: number): Read {
  const end = stringEnd(text, at);
  const isClosed = end - at > 1 && text.charAt(end - 1) === text.charAt(at);
  return { address: unescapeCss(text.slice(at + 1, isClosed ? end - 1 : end)), end };
}

/** Reads `url(…)`; an address without quotes ends before what it cannot contain. */
function readUrl(text: string, at: number): Read {
  if (text.slice(at, at + 4).toLowerCase() !== "url(") return { address: null, end: at };
  const start = skipSpace(text, at + 4, false);
  if (isQuote(text, start)) return readString(text, start);
  let end = start;
  while (end < text.length && !UNQUOTED_END.test(text.charAt(end))) end = afterCharacter(text, end);
  const isWhole = text.charAt(skipSpace(text, end, false)) === ")" || end >= text.length;
  if (isWhole) return { address: unescapeCss(text.slice(start, end)), end };
  const close = text.indexOf(")", end);
  return { address: null, end: close === -1 ? text.length : close };
}

/** Returns the position after a character or an escape. */
function afterCharacter(text: string, at: number): number {
  if (text.charAt(at) !== "\\") return at + 1;
  ESCAPE.lastIndex = at;
  return ESCAPE.test(text) ? ESCAPE.lastIndex : text.length;
}

const ESCAPE = /\\(?:[0-9a-f]{1,6}\s?|[\s\S])/iy;

const UNQUOTED_END = /[\s"'()]/;

function isQuote(text: string, at: number): boolean {
  return text.charAt(at) === '"' || text.charAt(at) === "'";
}

/** Returns the position after white space, and after comments where they may stand. */
function skipSpace(text: string, at: number, hasComments = true): number {
  let end = at;
  for (;;) {
    if (SPACE.test(text.charAt(end))) end += 1;
    else if (hasComments && text.startsWith("/*", end)) end = commentEnd(text, end);
    else return end;
  }
}

const SPACE = /\s/;

function unescapeCss(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|\r?\n|([\s\S]))/gi, (_, code: string | undefined, character = "") =>
    code === undefined ? character : characterOf(Number.parseInt(code, 16)),
  );
}

function characterOf(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}
