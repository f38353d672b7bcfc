import { createHash } from "node:crypto";
import { LOGO_PATH } from "../../domain/request-target.ts";
import { readableOn } from "./contrast.ts";
import style from "./page.css" with { type: "text" };

/** The operator's brand on visitors' pages and on the sign-in page; null for values that are not set. */
export interface Brand {
  readonly name: string | null;
  /** `#rrggbb`. */
  readonly color: string | null;
  readonly logo: { readonly type: string; readonly base64: string } | null;
  /** A `mailto:` or `https:` link. */
  readonly contact: string | null;
}

/** The parts of every page that depend on the brand. */
interface Look {
  readonly name: string | null;
  readonly contact: string | null;
  /** False if the operator has set neither a name nor a contact. */
  readonly isBranded: boolean;
  /** A CSS colour that is readable on light and dark pages; null for the default. */
  readonly color: string | null;
  readonly style: string;
  /** The page includes its style and loads nothing but the logo. */
  readonly policy: string;
  readonly header: string;
  readonly footer: string;
  readonly logo: { readonly type: string; readonly bytes: Buffer } | null;
}

/** The background colours of page.css. */
const LIGHT_GROUND = "#fafafb";
const DARK_GROUND = "#0c0d0f";

export const PLAIN: Brand = { name: null, color: null, logo: null, contact: null };

let current = lookOf(PLAIN);

/** Sets the operator's brand of the pages. Each thread calls it once, before it serves requests. */
export function setBrand(brand: Brand): void {
  current = lookOf(brand);
}

/** Returns the parts of a page for the brand that is set. */
export function currentLook(): Look {
  return current;
}

// --- internal ---

function lookOf({ name, color, logo, contact }: Brand): Look {
  const readable = color && `light-dark(${readableOn(color, LIGHT_GROUND)},${readableOn(color, DARK_GROUND)})`;
  const branded = readable ? `${style}:root{--brand:${readable}}` : style;
  const hash = createHash("sha256").update(branded).digest("base64");
  const bytes = logo && Buffer.from(logo.base64, "base64");
  const shown = escaped(name ?? "");
  return {
    name,
    contact,
    isBranded: name !== null || contact !== null,
    color: readable,
    style: branded,
    policy: `default-src 'none'; style-src 'sha256-${hash}';${bytes ? " img-src 'self';" : ""} base-uri 'none'; frame-ancestors 'self'; form-action`,
    header: bytes ? `<img class="logo" src="${LOGO_PATH}?v=${versionOf(bytes)}" alt="${shown}" height="36">\n` : "",
    footer: footerOf(shown === "" ? "Hosted with Vitrine" : shown, contact),
    logo: logo && bytes && { type: logo.type, bytes },
  };
}

function footerOf(name: string, contact: string | null): string {
  return contact === null ? name : `${name} · <a href="${escaped(contact)}">Contact</a>`;
}

/** Browsers cache the image for a day, so another image needs another URL. */
function versionOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 8);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
