import { fieldError } from "../errors.ts";

/** Longest DNS label. */
const MAX_LABEL = 63;

/** Hexadecimal digits of the hash at the end of a truncated label. */
const HASH_DIGITS = 6;

/** Returns the SHA-256 of the UTF-8 text in lower-case hex. */
type Sha256 = (text: string) => string;

/**
 * Returns an alias as the part of a DNS label before `--<site>`. Names such as those of branches become lower case,
 * with a hyphen for all other characters. Null if nothing usable is left: digits alone would be a deployment's number,
 * and `xn` would start an internationalized name.
 */
export function aliasLabel(name: string, siteName: string, sha256: Sha256): string | null {
  const label = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (/^\d*$/.test(label) || label === "xn") return null;
  const longest = MAX_LABEL - "--".length - siteName.length;
  if (label.length <= longest) return label;
  const kept = label.slice(0, longest - HASH_DIGITS - 1).replace(/-$/, "");
  return `${kept}-${sha256(name).slice(0, HASH_DIGITS)}`;
}

/** Returns the label. Throws `validation` for an invalid alias. `loc` is its location in the request. */
export function requireAliasLabel(name: string, siteName: string, sha256: Sha256, loc: readonly string[]): string {
  const label = aliasLabel(name, siteName, sha256);
  if (label !== null) return label;
  throw fieldError(loc, "An alias needs a letter from a to z, and cannot be xn", "alias");
}
