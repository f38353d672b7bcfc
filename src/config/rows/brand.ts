import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isPrintable } from "../../domain/printable.ts";
import { parser, Unusable } from "./parsers.ts";

/** An image for visitors' pages. */
interface Logo {
  readonly type: "image/png" | "image/svg+xml";
  /** Its bytes in base64, because settings are posted to threads. */
  readonly base64: string;
}

const MAX_NAME = 60;
const MAX_CONTACT = 500;

/** Visitors with slow connections get it with an error page. */
const MAX_LOGO_BYTES = 8 * 1024;

export const brandName = parser<string>("NAME", (value) => {
  const name = value.trim();
  if (name === "" || [...name].length > MAX_NAME || !isPrintable(name)) {
    throw new Unusable(`a name of 1 to ${MAX_NAME} characters`);
  }
  return name;
});

/** A colour as `#rrggbb`, in lower case. */
export const brandColor = parser<string>("COLOR", (value) => {
  const [, digits] = /^#([\da-f]{6}|[\da-f]{3})$/i.exec(value.trim()) ?? [];
  if (digits === undefined) throw new Unusable("a colour such as #4453d6");
  const long = digits.length === 6 ? digits : digits.replaceAll(/./g, "$&$&");
  return `#${long.toLowerCase()}`;
});

/** A link that visitors can follow: an email address as `mailto:`, or a web page. */
export const brandContact = parser<string>("URL", (value) => {
  const url = URL.parse(value.trim());
  const isMail = url?.protocol === "mailto:" && /^[^\s@?]+@[^\s@?]+$/.test(url.pathname);
  const isPage = url?.protocol === "https:" && url.username === "" && url.password === "";
  if (!url || !(isMail || isPage) || url.href.length > MAX_CONTACT) {
    throw new Unusable("a link such as mailto:help@example.org or https://example.org/contact");
  }
  return url.href;
});

/** Reads an image, PNG or SVG by its content. An SVG must be a plain drawing; others are refused, not sanitized. */
export const brandLogo = parser<Logo>("FILE", (value, folder) => {
  const bytes = readImage(resolve(folder, value));
  if (bytes.length > MAX_LOGO_BYTES) throw new Unusable(`a PNG or SVG file of at most ${MAX_LOGO_BYTES / 1024} KiB`);
  const base64 = bytes.toString("base64");
  if (bytes.subarray(0, PNG.length).equals(PNG)) return { type: "image/png", base64 };
  const problem = svgProblem(bytes.toString("utf8"));
  if (problem !== null) throw new Unusable(`a PNG or SVG file; this one ${problem}`);
  return { type: "image/svg+xml", base64 };
});

/** Returns why a text is not a plain drawing; null if it is one. */
export function svgProblem(text: string): string | null {
  const withoutComments = text.replaceAll(/<!--.*?-->/gs, "");
  if (!/^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?<svg[\s>]/.test(withoutComments)) return "is neither";
  return FORBIDDEN.find(([pattern]) => pattern.test(withoutComments))?.[1] ?? null;
}

// --- internal ---

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** Markup that can run code, load something, or hide either. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/<!/, "has a document type or CDATA: remove it"],
  [
    /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|object|embed|handler|listener|animate\w*|set)\b/i,
    "has scripts or animations: remove them",
  ],
  [/[\s"'/]on\w+\s*=/i, "has event handlers: remove them"],
  [/<\?(?!xml\s)/i, "has processing instructions: remove them"],
  [/href\s*=\s*(?!["']?#)/i, "refers to something outside its own drawing: remove that"],
  [/url\(\s*["']?(?!#)/i, "refers to something outside its own drawing: remove that"],
  [/@import|javascript:|&#|\\/i, "has code or escapes: remove them"],
];

function readImage(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new Unusable("the path of a PNG or SVG file that can be read");
  }
}
