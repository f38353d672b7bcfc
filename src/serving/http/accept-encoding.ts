import type { Encoding } from "../../domain/ports/content.ts";

/** The stored encodings. Among equally small ones the first is sent: zstd unpacks several times faster than br. */
const CODINGS: readonly Encoding[] = ["zstd", "br", "gzip"];

/** Which encodings a client takes, the ones it wants most first. `identity` ends the list: it is always there. */
export type Preference = readonly (readonly Encoding[])[];

/**
 * Returns the client's preference as groups of equal weight (RFC 9110 section 12.5.3). A header that admits nothing
 * that is stored gets the identity all the same, as the section allows: a page is better than a 406.
 */
export function parseAcceptEncoding(header: string | null): Preference {
  if (header === null || header === "") return IDENTITY_ONLY;
  const weights = parseWeights(header);
  const any = weights.get("*") ?? 0;
  const groups = new Map<number, Encoding[]>();
  for (const coding of CODINGS) addTo(groups, weights.get(coding) ?? any, coding);
  // Without a word about it, identity is acceptable, but encodings that were named are wanted more.
  addTo(groups, weights.get("identity") ?? (weights.get("*") === 0 ? 0 : 1e-9), "identity");
  const wanted = [...groups].sort(([a], [b]) => b - a).map(([, codings]) => codings);
  return wanted.length === 0 ? IDENTITY_ONLY : wanted;
}

/** Returns the encoding to send: the smallest among those that the client wants most. `sizes` holds what is stored. */
export function chooseEncoding(preference: Preference, sizes: Readonly<Partial<Record<Encoding, number>>>): Encoding {
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
    // x-gzip is gzip (RFC 9110 section 8.4.1.3). A weight that is none takes the item out.
    if (coding !== "") weights.set(coding === "x-gzip" ? "gzip" : coding, Number(weight?.[1] ?? 0));
  }
  return weights;
}

/** A browser sends four or five. */
const MAX_ITEMS = 20;
