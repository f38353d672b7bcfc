import type { SourceFile } from "./source.ts";

/** Files that can answer for the site's URL. */
const START_FILES = ["index.html", "200.html", "_redirects"];

/**
 * Returns a warning if the files have no start page, with the folder that was probably meant; otherwise null.
 * The server gives the same warning after the deployment.
 */
export function missingStartPage(folder: string, files: readonly SourceFile[]): string | null {
  if (files.some(({ path }) => START_FILES.includes(path))) return null;
  const below = files.filter(({ path }) => /^[^/]+\/index\.html$/.test(path)).map(({ path }) => path.split("/")[0]);
  const meant = below.length === 1 ? ` Did you mean ${folder.replace(/\/+$/, "")}/${below[0]}?` : "";
  return `${NO_START_PAGE}${meant}`;
}

const NO_START_PAGE = "There is no index.html at the top: the site's address answers 404.";
