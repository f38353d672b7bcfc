import { rewriteTarget } from "./clean-urls.ts";
import { compileHeaders } from "./header-matcher.ts";
import type { Manifest, Warning } from "./manifest.ts";
import { codingOf, decodedName, namedCoding } from "./precompressed.ts";
import { compileRedirects } from "./redirect-matcher.ts";

type Rules = Pick<Manifest, "redirects" | "headers">;

/**
 * Returns warnings about what visitors of the whole site get that its owner may not expect. `files` are the paths of those
 * that are served. The file that a warning names may be the one that is missing.
 */
export function warnAboutSite(files: ReadonlySet<string>, rules: Rules): Warning[] {
  // One file alone is shared by its address. Nothing of it leads to another page.
  const messages = files.size < 2 ? [] : [missingStartPage(files, rules), missingErrorPage(files, rules)];
  return [...messages, unmarkedCompression(files, rules)].filter((warning) => warning !== null);
}

// --- internal ---

function missingStartPage(files: ReadonlySet<string>, { redirects }: Rules): Warning | null {
  if (files.has("200.html") || rewriteTarget((file) => files.has(file), "/") !== null) return null;
  if (compileRedirects(redirects).match("/", "") !== null) return null;
  const [nearest] = [...files]
    .filter((file) => file.endsWith("/index.html"))
    .sort((one, other) => one.length - other.length);
  const hint = nearest === undefined ? "" : `. If ${nearest} is the start page, deploy its folder`;
  return warning("index.html", `there is no index.html at the top, so the site's address answers 404${hint}`);
}

/** Other sites have a page for addresses that do not exist, as search engines and visitors expect. */
function missingErrorPage(files: ReadonlySet<string>, { redirects }: Rules): Warning | null {
  if (!files.has("index.html") || files.has("404.html") || files.has("200.html")) return null;
  const saysSo = redirects.some(({ from, query }) => from === "/*" && Object.keys(query).length === 0);
  if (saysSo) return null;
  return warning(
    "404.html",
    "there is no 404.html, so every unknown address shows the start page with status 200. A single-page application needs " +
      "that, and can name its page 200.html; any other site should have a 404.html",
  );
}

/** What browsers load by themselves. Other compressed files are downloads, which people unpack. */
const LOADED = /\.(?:css|data|html|js|mjs|svg|wasm)$/;

/** Each is compared with all rules of `_headers`. */
const MAX_CHECKED = 1000;

/** Browsers take a compressed file for what it is named only where `Content-Encoding` says how it is compressed. */
function unmarkedCompression(files: ReadonlySet<string>, { headers }: Rules): Warning | null {
  const { match } = compileHeaders(headers);
  const loaded = [...files].filter((file) => {
    const plain = decodedName(file);
    return plain !== file && LOADED.test(plain) && !files.has(plain);
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
