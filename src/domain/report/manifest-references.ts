import { Lines } from "./lines.ts";
import { ReferenceList } from "./references.ts";

/** Returns whether a file is a manifest of a web application by its name. */
export function isAppManifest(path: string): boolean {
  return /(?:^|\/)(?:[^/]+\.webmanifest|(?:site\.|app\.)?manifest\.json)$/i.test(path);
}

/** Returns the icons and the start address of a manifest; none if it is not JSON, or has neither. */
export function manifestReferences(text: string): ReferenceList {
  const list = new ReferenceList();
  const manifest = parse(text);
  if (manifest === null) return list;
  const add = (kind: "image" | "start", address: unknown) => {
    if (typeof address === "string") list.add(kind, address, lineOf(text, address));
  };
  add("start", manifest.start_url);
  for (const icon of Array.isArray(manifest.icons) ? manifest.icons : []) add("image", fieldsOf(icon)?.src);
  return list;
}

// --- internal ---

type Fields = Readonly<Record<string, unknown>>;

function parse(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}

/** The address is looked up as JSON writes it; with other escapes, its line is unknown. */
function lineOf(text: string, address: string): number {
  const at = text.indexOf(JSON.stringify(address));
  return at === -1 ? 0 : new Lines(text).at(at);
}
