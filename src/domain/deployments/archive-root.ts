/**
 * An archive that lists its own root says where the site begins, so nothing is stripped from it. Archives made of `.`
 * (`tar -acf site.zip -C dist .`) do, and so do ours where all files lie in one folder.
 */
export const ROOT_MARKER = ".//";

/** Whether a reader would take the first folder of an archive for a mere wrapping, because all files lie in it. */
export function needsRootMarker(files: readonly { readonly path: string }[]): boolean {
  const first = files[0]?.path.split("/", 1)[0];
  return files.every((file) => file.path.startsWith(`${first}/`));
}
