import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { INDEX_FILES } from "../../domain/rules/clean-urls.ts";
import { hasExtension } from "../../domain/rules/extensions.ts";
import { Failure, UsageError } from "../terminal/errors.ts";
import { checkName, scanFolder } from "./folder.ts";

/** A local file and its path in the site. */
export interface SourceFile {
  /** Relative, with `/` between segments. */
  readonly path: string;
  readonly file: string;
  readonly size: number;
}

/** The content to deploy: an existing archive, or files to be packed. */
export type Source =
  | { readonly kind: "archive"; readonly file: string; readonly size: number }
  | {
      readonly kind: "files";
      readonly files: readonly SourceFile[];
      /** Messages about ignored files. */
      readonly notes: readonly string[];
    };

/** Returns what is at the path given to `deploy`. Throws `Failure` if nothing is. */
export function statSource(path: string): Promise<Stats> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "does not exist" : `cannot be read (${error.code})`;
    throw new Failure(`${path || '""'} ${reason}`, "Give a folder, a .zip or a single file: vitrine deploy FOLDER");
  });
}

/** Where tools put the site that they build. */
const BUILT_FOLDERS = ["dist", "build", "out", "public", "_site"];

/**
 * Stops the deployment of a project's sources: throws UsageError for a folder with a package.json and no start page if
 * a folder in it has one.
 */
export async function refuseSources(folder: string): Promise<void> {
  const has = async (path: string) => (await stat(join(folder, path)).catch(() => null))?.isFile() === true;
  if (!(await has("package.json")) || (await has("index.html"))) return;
  for (const built of BUILT_FOLDERS) {
    if (!(await has(`${built}/index.html`))) continue;
    const meant = join(folder, built);
    throw new UsageError(
      `${folder} is a project without an index.html, and ${meant} has one`,
      `Deploy the built site: vitrine deploy ${meant}. To publish the project itself: --force`,
    );
  }
}

/** Reads the path given to `deploy`: a folder, a ZIP, or one file. */
export async function readSource(path: string): Promise<Source> {
  const info = await statSource(path);
  if (info.isDirectory()) {
    const { files, notes } = await scanFolder(path);
    if (files.length > 0) return { kind: "files", files, notes };
    throw new Failure(`${path} contains no files to deploy`, "Build the site first, or check .vitrineignore.");
  }
  if (!info.isFile())
    throw new Failure(`${path} is neither a folder nor a file`, "Give a folder, a .zip or a single file.");
  if (extname(path).toLowerCase() === ".zip") return { kind: "archive", file: path, size: info.size };
  if (OTHER_ARCHIVE.test(path)) throw new Failure(`${path} is an archive, but only a ZIP is unpacked`, USE_ZIP);
  return { kind: "files", files: oneFile(path, info.size), notes: [] };
}

/** Deployed as a single file, such an archive would replace the site by a download. */
const OTHER_ARCHIVE = /\.(tar(\.(gz|bz2|xz|zst|lz4?|lzma|z))?|tgz|tbz2?|txz|tzst|7z|rar)$/i;
const USE_ZIP =
  "Deploy its unpacked folder or a ZIP. To publish the archive as a download, deploy a folder that contains it.";

/** A single page becomes the start page, so that the site's URL shows it. */
function oneFile(file: string, size: number): readonly SourceFile[] {
  const name = checkName(basename(file), "Rename it.");
  return [{ path: hasExtension(name, "page") ? "index.html" : name, file, size }];
}

/** Files that the server can send for the site's URL. */
const START_FILES = [...INDEX_FILES, "200.html", "_redirects"];

/**
 * Returns a warning if the files have no start page, with the folder that was probably meant; otherwise null.
 * The server gives the same warning after the deployment.
 */
export function missingStartPage(folder: string, files: readonly SourceFile[]): string | null {
  if (files.some(({ path }) => START_FILES.includes(path))) return null;
  const below = files.filter(({ path }) => /^[^/]+\/index\.html?$/.test(path)).map(({ path }) => path.split("/")[0]);
  const meant = below.length === 1 ? ` Did you mean ${folder.replace(/\/+$/, "")}/${below[0]}?` : "";
  return `${NO_START_PAGE}${meant}`;
}

const NO_START_PAGE = "There is no index.html at the top: the site's URL shows a 404 page.";
