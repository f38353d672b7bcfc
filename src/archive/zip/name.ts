import { refusedEntry } from "./refusal.ts";

/** The parsed name of an entry. */
export interface EntryName {
  /** As in the archive, for messages. */
  readonly name: string;
  /** Relative, with `/` between segments, without a trailing `/`; empty for the root. */
  readonly path: string;
  readonly folder: boolean;
}

export const MAX_PATH_BYTES = 1024;
export const MAX_SEGMENT_BYTES = 255;
const MAX_DEPTH = 100;

// `ignoreBOM` keeps a byte order mark in the name: removing it could make two names equal.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Code page 437 from 0x80 on, the encoding of names without the UTF-8 flag (APPNOTE appendix D). */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
  "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/**
 * Decodes a name. Without the UTF-8 flag it is decoded as UTF-8 if valid (macOS and Linux write it so),
 * and code page 437 otherwise. Throws `invalid` for a flagged name that is not UTF-8.
 */
export function decodeName(bytes: Buffer, start: number, end: number, flaggedUtf8: boolean): string {
  const text = bytes.toString("utf8", start, end);
  // Without a replacement character, every byte was valid.
  return text.includes("\ufffd") ? decodeStrictly(bytes.subarray(start, end), flaggedUtf8) : text;
}

function decodeStrictly(bytes: Uint8Array, flaggedUtf8: boolean): string {
  try {
    return utf8.decode(bytes);
  } catch {
    const name = decodeCp437(bytes);
    if (flaggedUtf8) throw refusedEntry(name, "has a name that is said to be UTF-8 and is not: rename the file");
    return name;
  }
}

/** The systems of `version made by` whose programs may separate folders by backslashes: MS-DOS and Windows. */
const BACKSLASH_SYSTEMS: ReadonlySet<number> = new Set([0, 10, 11, 14]);

/**
 * Parses a name of an entry that was made by a system. Throws `invalid` unless it is an unambiguous path inside the site.
 * Windows PowerShell 5.1 writes `folder\file`. Like Info-ZIP and libarchive, a backslash is read as a separator only in
 * a name without `/`.
 */
export function validateName(name: string, madeBy: number): EntryName {
  const isWindows = BACKSLASH_SYSTEMS.has(madeBy) && !name.includes("/");
  return validatePath(name, isWindows ? name.replaceAll("\\", "/") : name);
}

/** `name` is as in the archive, for messages; `text` has `/` as the separator. */
function validatePath(name: string, text: string): EntryName {
  if (name === "") throw refusedEntry(name, "has no name: create the archive again");
  if (name.includes("\0")) throw refusedEntry(name, "has a NUL in its name: rename the file");
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name))
    throw refusedEntry(name, "has a control character in its name: rename it");
  if (text.includes("\\")) throw refusedEntry(name, "has a backslash in its name: use / between folders");
  validateStart(name, text);
  const folder = text.endsWith("/");
  // With `tar -acf site.zip -C dist .` every name begins with `./`.
  const path = (folder ? text.slice(0, -1) : text).replace(/^\.(\/|$)/, "");
  if (path !== "") validateSegments(name, path);
  else if (!folder) throw refusedEntry(name, "is no file name: rename it");
  return { name, path, folder };
}

/** Throws `invalid` for an absolute path or a drive letter, also after a prefix was stripped. */
export function validateStart(name: string, path: string): void {
  if (!/^(?:\/|[A-Za-z]:)/.test(path)) return;
  throw refusedEntry(name, "has an absolute path: archive the folder's content by relative names");
}

/** A fast path for most names: no segment of only dots, and shorter than all limits in any encoding. */
const PLAIN = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$)).{1,85}$/su;

function validateSegments(name: string, path: string): void {
  if (PLAIN.test(path)) return;
  const segments = path.split("/");
  if (segments.includes("..")) throw refusedEntry(name, "leads out of the site by `..`: remove it from the name");
  if (segments.includes("") || segments.includes(".")) {
    throw refusedEntry(name, "has an empty or `.` part in its path: remove it from the name");
  }
  if (segments.length > MAX_DEPTH) throw refusedEntry(name, `is more than ${MAX_DEPTH} folders deep: move it up`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw refusedEntry(name, `has a path of more than ${MAX_PATH_BYTES} bytes: shorten it`);
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) {
    throw refusedEntry(name, `has a name of more than ${MAX_SEGMENT_BYTES} bytes: shorten it`);
  }
}

function decodeCp437(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80];
  return text;
}
