import { ApiError } from "../client/api-error.ts";
import { type ApiClient, path as apiPath } from "../client/client.ts";
import type { VisitExplanation } from "../client/types.ts";
import type { SourceFile } from "./source.ts";

/** Any of these answers for the site's address, or may. */
const START_FILES = ["index.html", "200.html", "_redirects"];

/** Returns a sentence where files have no start page, with the folder that was probably meant; null where they have one. */
export function missingStartPage(folder: string, files: readonly SourceFile[]): string | null {
  if (files.some(({ path }) => START_FILES.includes(path))) return null;
  const below = files.filter(({ path }) => /^[^/]+\/index\.html$/.test(path)).map(({ path }) => path.split("/")[0]);
  const meant = below.length === 1 ? ` Did you mean ${folder.replace(/\/+$/, "")}/${below[0]}?` : "";
  return `${NO_START_PAGE}${meant}`;
}

/** The same for an archive, by the server's own explanation once it is deployed; null also where that may not be asked. */
export async function missingDeployedStartPage(client: ApiClient, site: string): Promise<string | null> {
  try {
    const { status } = await client.get<VisitExplanation>(`${apiPath`/sites/${site}/explain`}?path=%2F`);
    return status === 404 ? NO_START_PAGE : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const NO_START_PAGE = "There is no index.html at the top: the site's address answers 404.";
