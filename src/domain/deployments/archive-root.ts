/**
 * If an archive lists its own root, no common folder is stripped from it. Archives of `.`
 * (`tar -acf site.zip -C dist .`) list it, and so do the archives of this program if all files are in one folder.
 */
export const ROOT_MARKER = ".//";

/** Returns whether all files are in one folder, which would be stripped without the marker. */
export function needsRootMarker(files: readonly { readonly path: string }[]): boolean {
  const first = files[0]?.path.split("/", 1)[0];
  return files.every((file) => file.path.startsWith(`${first}/`));
}
