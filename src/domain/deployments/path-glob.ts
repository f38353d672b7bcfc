import { decodeOrNull } from "./url-text.ts";

/**
 * The path of a `_headers` rule: `*` stands for any text, slashes too, and a segment `:name` for one segment.
 * The parts are what stands between the stars.
 */
export type Glob = readonly (readonly Piece[])[];

/** Text, or null for a `:name`. */
type Piece = string | null;

/** Text that a path nearly has at every place takes as long to look for as it is long: 500 rules of 1,800 took half a second. */
const MAX_MIDDLE_LENGTH = 100;

/** Returns the glob, or a sentence that says why the text is none. */
export function parseGlob(text: string): Glob | string {
  const path = decodeOrNull(text);
  if (path === null) return "the path is not valid percent-encoding";
  const parts = path.split("*").map(parsePart);
  // Between two stars only text has one leftmost place, which keeps matching linear.
  const middle = parts.slice(1, -1);
  if (middle.some((pieces) => pieces.includes(null))) return "a placeholder may not stand between two *";
  if (middle.some((pieces) => pieces.join("").length > MAX_MIDDLE_LENGTH))
    return `at most ${MAX_MIDDLE_LENGTH} characters may stand between two *`;
  return parts;
}

/** Whether the decoded path fits. Takes time linear in the path: nothing is ever tried twice. */
export function matchGlob(glob: Glob, path: string): boolean {
  const first = glob[0] as readonly Piece[];
  if (glob.length === 1) return matchForwards(first, path, 0) === path.length;
  let from = matchForwards(first, path, 0);
  if (from === -1) return false;
  for (const pieces of glob.slice(1, -1)) {
    const text = pieces.join("");
    const at = path.indexOf(text, from);
    if (at === -1) return false;
    from = at + text.length;
  }
  return matchBackwards(glob.at(-1) as readonly Piece[], path) >= from;
}

// --- internal ---

function parsePart(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of text.split(/((?<=\/):[A-Za-z_]\w*(?=\/|$))/)) {
    if (piece !== "") pieces.push(/^:[A-Za-z_]\w*$/.test(piece) ? null : piece);
  }
  return pieces;
}

/** Returns where the pieces end when they stand at the position, else -1. */
function matchForwards(pieces: readonly Piece[], path: string, start: number): number {
  let at = start;
  for (const piece of pieces) {
    if (piece === null) {
      const slash = path.indexOf("/", at);
      const end = slash === -1 ? path.length : slash;
      if (end === at) return -1;
      at = end;
    } else if (path.startsWith(piece, at)) at += piece.length;
    else return -1;
  }
  return at;
}

/** Returns where the pieces begin when the path ends with them, else -1. */
function matchBackwards(pieces: readonly Piece[], path: string): number {
  let at = path.length;
  for (const piece of pieces.toReversed()) {
    if (piece === null) {
      const start = path.lastIndexOf("/", at - 1) + 1;
      if (start >= at) return -1;
      at = start;
    } else if (path.endsWith(piece, at)) at -= piece.length;
    else return -1;
  }
  return at;
}
