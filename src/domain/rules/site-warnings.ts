import { ERROR_PAGES, type Manifest, type Warning } from "../model/manifest.ts";
import { warnAboutCaching } from "./caching-overlap.ts";
import { INDEX_FILES, rewriteTarget } from "./clean-urls.ts";
import { hasExtension } from "./extensions.ts";
import { compileHeaders } from "./header-matcher.ts";
import { codingOf, decodedName, namedCoding } from "./precompressed.ts";
import { compileRedirects } from "./redirect-matcher.ts";

type Rules = Pick<Manifest, "redirects" | "headers">;

/**
 * Returns warnings about the site as a whole that its owner may not expect. `files` are the paths
 * that are served. The file in a warning may be a missing one.
 */
export function warnAboutSite(files: ReadonlySet<string>, rules: Rules): Warning[] {
  // A single file is shared by its URL and needs no other pages.
  const messages = files.size < 2 ? [] : [missingStartPage(files, rules), missingErrorPage(files, rules)];
  const about = [...messages, unmarkedCompression(files, rules), ...warnAboutCaching(files, rules)];
  return about.filter((warning) => warning !== null);
}

// --- internal ---

function missingStartPage(files: ReadonlySet<string>, { redirects }: Rules): Warning | null {
  if (files.has("200.html") || rewriteTarget((file) => files.has(file), "/") !== null) return null;
  if (compileRedirects(redirects).match("/", "") !== null) return null;
  const [nearest] = [...files]
    .filter((file) => INDEX_FILES.some((name) => file.endsWith(`/${name}`)))
    .sort((one, other) => one.length - other.length);
  const hint = nearest === undefined ? "" : `. If ${nearest} is the start page, deploy its folder`;
  return warning("index.html", `there is no index.html at the top, so the site's URL shows a 404 page${hint}`);
}

/** Search engines and visitors expect a page for URLs that do not exist. */
function missingErrorPage(files: ReadonlySet<string>, { redirects }: Rules): Warning | null {
  if (!files.has("index.html") || ["200.html", ...ERROR_PAGES].some((page) => files.has(page))) return null;
  const saysSo = redirects.some(({ from, query }) => from === "/*" && Object.keys(query).length === 0);
  if (saysSo) return null;
  return warning(
    "404.html",
    "without a 404.html, wrong URLs show the start page (200): add one, or name the app's page 200.html",
  );
}

/** Each is compared with all rules of `_headers`. */
const MAX_CHECKED = 1000;

/** Browsers can use a precompressed file only if `Content-Encoding` names its coding. */
function unmarkedCompression(files: ReadonlySet<string>, { headers }: Rules): Warning | null {
  const { match } = compileHeaders(headers);
  const loaded = [...files].filter((file) => {
    const plain = decodedName(file);
    return plain !== file && hasExtension(plain, "loaded") && !files.has(plain);
  });
  const file = loaded.slice(0, MAX_CHECKED).find((path) => codingOf(path, match(`/${path}`)) === null);
  if (file === undefined) return null;
  const pattern = `/*${file.slice(file.lastIndexOf("."))}`;
  return warning(
    file,
    `is compressed, and browsers are not told so: write the path ${pattern} with Content-Encoding: ${namedCoding(file)} into _headers`,
  );
}

function warning(file: string, message: string): Warning {
  return { file, line: 0, message };
}
