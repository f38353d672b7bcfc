/** Returns the path of a file within the folder that is listed; the whole path in the result of a search. */
export function nameIn(folder: string | null, path: string): string {
  return folder === null ? path : path.slice(folder.length);
}

/** Returns a media type without its parameters; an unknown type in words. */
export function kindOf(type: string): string {
  const [kind = ""] = type.split(";");
  return kind === "application/octet-stream" ? "Download" : kind;
}
