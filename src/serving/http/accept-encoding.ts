import { BoundedMemo } from "../../domain/bounded-memo.ts";
import type { Encoding } from "../../domain/ports/store/encodings.ts";

/** The stored encodings. Of equally small ones the first is sent: zstd decodes several times faster than br. */
const CODINGS: readonly Encoding[] = ["zstd", "br", "gzip"];

type Sizes = Readonly<Partial<Record<Encoding, number>>>;

/** Browsers send one of a few `Accept-Encoding` headers: each is parsed once. */
const preferences = new BoundedMemo<string, Preference>(1000);

/** Returns the encoding to send to a client. `sizes` has those that are stored. */
export function negotiateEncoding(headers: Headers, sizes: Sizes): Encoding {
  const header = headers.get("accept-encoding");
  return header === null ? "identity" : chooseEncoding(preferences.get(header, parseAcceptEncoding), sizes);
}

/** The encodings that a client accepts, in order of preference. `identity` ends the list, because it always exists. */
type Preference = readonly (readonly Encoding[])[];

/**
 * Returns the client's preference as groups of equal weight (RFC 9110 section 12.5.3). If a header excludes all stored
 * encodings, identity is sent, as the section allows, because a page is better than a 406.
 */
export function parseAcceptEncoding(header: string | null): Preference {
  if (header === null || header === "") return IDENTITY_ONLY;
  const weights = parseWeights(header);
  const any = weights.get("*") ?? 0;
  const groups = new Map<number, Encoding[]>();
  for (const coding of CODINGS) addTo(groups, weights.get(coding) ?? any, coding);
  // If it is not named, identity is acceptable, but named encodings are preferred.
  addTo(groups, weights.get("identity") ?? (weights.get("*") === 0 ? 0 : 1e-9), "identity");
  const wanted = [...groups].sort(([a], [b]) => b - a).map(([, codings]) => codings);
  return wanted.length === 0 ? IDENTITY_ONLY : wanted;
}

/** Returns the encoding to send: the smallest among those that the client prefers. */
export function chooseEncoding(preference: Preference, sizes: Sizes): Encoding {
  for (const group of preference) {
    let best: Encoding | null = null;
    for (const encoding of group) {
      const size = sizes[encoding];
      if (size !== undefined && (best === null || size < (sizes[best] as number))) best = encoding;
    }
    if (best !== null) return best;
  }
  return "identity";
}

// --- internal ---

const IDENTITY_ONLY: Preference = [["identity"]];

function addTo(groups: Map<number, Encoding[]>, weight: number, encoding: Encoding): void {
  if (!(weight > 0)) return;
  const group = groups.get(weight);
  if (group === undefined) groups.set(weight, [encoding]);
  else group.push(encoding);
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",", MAX_ITEMS)) {
    const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(
      parameters.find((part) => part.startsWith("q=")) ?? "q=1",
    );
    // x-gzip is gzip (RFC 9110 section 8.4.1.3). An invalid weight removes the item.
    if (coding !== "") weights.set(coding === "x-gzip" ? "gzip" : coding, Number(weight?.[1] ?? 0));
  }
  return weights;
}

/** A browser sends four or five. */
const MAX_ITEMS = 20;
