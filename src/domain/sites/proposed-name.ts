/** Converts a folder's name to a site name; empty if nothing usable is left. */
export function proposedSiteName(text: string): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  return NAMELESS.has(name) || /^\d*$/.test(name) || name === "index" ? "" : name;
}

// --- internal ---

/** Names of build folders, which are no good site names. */
const NAMELESS = new Set([
  "dist",
  "build",
  "out",
  "public",
  "site",
  "www",
  "html",
  "htdocs",
  "output",
  "_site",
  "docs",
]);
