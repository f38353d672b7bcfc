import type { Reference, ReferenceKind } from "../model/file-facts.ts";

/** How a browser requests an address. */
export interface ReferenceRequest {
  readonly accept: string;
  /** The value of `Sec-Fetch-Dest`. */
  readonly destination: string;
}

const PAGE_TYPES = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PAGE: ReferenceRequest = { accept: PAGE_TYPES, destination: "document" };

export const REQUESTS: Readonly<Record<ReferenceKind, ReferenceRequest>> = {
  link: PAGE,
  form: PAGE,
  start: PAGE,
  canonical: PAGE,
  frame: { accept: PAGE_TYPES, destination: "iframe" },
  image: { accept: "image/avif,image/webp,image/*,*/*;q=0.8", destination: "image" },
  script: { accept: "*/*", destination: "script" },
  style: { accept: "text/css,*/*;q=0.1", destination: "style" },
  media: { accept: "*/*", destination: "video" },
  object: { accept: "*/*", destination: "object" },
  manifest: { accept: "*/*", destination: "manifest" },
  preload: { accept: "*/*", destination: "empty" },
};

/** Returns whether a person follows the address, instead of the browser loading it with the page. */
export function isFollowed(kind: ReferenceKind): boolean {
  return kind === "link" || kind === "form" || kind === "canonical";
}

/** Addresses of a file beyond this number are not checked. */
export const MAX_REFERENCES = 50_000;

/** No longer address is kept: the server answers 414 to it whatever follows. */
const MAX_ADDRESS_LENGTH = 10_000;

/** Collects the addresses of a file that a browser requests over HTTP. */
export class ReferenceList {
  readonly references: Reference[] = [];
  /** True if there were more than `MAX_REFERENCES`. */
  isCut = false;

  add(kind: ReferenceKind, address: string, line: number): void {
    const text = address.length > MAX_ADDRESS_LENGTH ? address.slice(0, MAX_ADDRESS_LENGTH) : address;
    if (OTHER_SCHEME.test(text)) return;
    // An empty address is the page itself, which a browser does not load into the page.
    if (!isFollowed(kind) && (text.trim() === "" || text.trimStart().startsWith("#"))) return;
    if (this.references.length >= MAX_REFERENCES) this.isCut = true;
    else this.references.push({ kind, address: text, line });
  }
}

// --- internal ---

/** `data:`, `mailto:`, `javascript:` and all others that are not requested over HTTP. Browsers skip control characters before a scheme. */
const OTHER_SCHEME = /^[\u0000-\u0020]*(?!https?:)[a-z][a-z0-9+.\-\t\n\r]*:/i;
