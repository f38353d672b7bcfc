import { decodePath } from "../request-target.ts";
import { plainKey } from "../rules/path-pattern.ts";
import { encodePath } from "../url-text.ts";
import { addressOf } from "./page-address.ts";

/** Returns the clean address of the file whose path differs from a requested one in case alone; null if there is none. */
export type FindRightCase = (path: string) => string | null;

/** Makes the lookup among the served files. Its index is made when it is first asked: most sites never need it. */
export function makeFindRightCase(files: ReadonlySet<string>): FindRightCase {
  let index: ReadonlyMap<string, string> | null = null;
  return (path) => {
    const decoded = decodePath(path);
    if (decoded === null) return null;
    index ??= indexOf(files);
    return index.get(keyOf(decoded)) ?? null;
  };
}

// --- internal ---

function indexOf(files: ReadonlySet<string>): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const file of files) {
    const address = addressOf(files, file);
    for (const path of [address, `/${file}`]) {
      if (!index.has(keyOf(path))) index.set(keyOf(path), encodePath(address));
    }
  }
  return index;
}

/** A folder is found with and without its slash. */
function keyOf(path: string): string {
  return plainKey(path).toLowerCase();
}
