import { isJsonObject, parseJsonObject } from "../json.ts";
import { Lines } from "./lines.ts";
import { ReferenceList } from "./references.ts";

/** Returns whether a file is a manifest of a web application by its name. */
export function isAppManifest(path: string): boolean {
  return /(?:^|\/)(?:[^/]+\.webmanifest|(?:site\.|app\.)?manifest\.json)$/i.test(path);
}

/** Returns the icons and the start address of a manifest; none if it is not JSON, or has neither. */
export function manifestReferences(text: string): ReferenceList {
  const list = new ReferenceList();
  const manifest = parseJsonObject(text);
  if (manifest === null) return list;
  const add = (kind: "image" | "start", address: unknown) => {
    if (typeof address === "string") list.add(kind, address, lineOf(text, address));
  };
  add("start", manifest.start_url);
  const icons: readonly unknown[] = Array.isArray(manifest.icons) ? manifest.icons : [];
  for (const { src } of icons.filter(isJsonObject)) add("image", src);
  return list;
}

// --- internal ---

/** The address is looked up as JSON writes it; with other escapes, its line is unknown. */
function lineOf(text: string, address: string): number {
  const at = text.indexOf(JSON.stringify(address));
  return at === -1 ? 0 : new Lines(text).at(at);
}
