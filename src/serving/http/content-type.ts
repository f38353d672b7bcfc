import mime from "mime";
import { decodedName } from "../../domain/deployments/precompressed.ts";

/** The type of unknown content, which browsers download. */
export const UNKNOWN_TYPE = "application/octet-stream";

/**
 * Returns the media type for a file name. It depends on the extension only, never on the content. Together with
 * `nosniff`, this keeps an uploaded image from being rendered as a page.
 */
export function contentType(path: string): string {
  // Without the slash a whole name may count as an extension, but a file `html` is not a page.
  const known = mime.getType(`/${path}`) ?? UNKNOWN_TYPE;
  // With `nosniff`, no browser runs a script with the type registered for `.cjs`.
  const type = known === "application/node" ? "text/javascript" : known;
  return type.startsWith("text/") || type === "application/javascript" ? `${type}; charset=utf-8` : type;
}

/** Returns whether the media type is that of a page. */
export function isPage(type: string): boolean {
  return type.startsWith("text/html") || type.startsWith("application/xhtml+xml");
}

/** Returns whether the path has an extension of files that pages load or link to. Such a request never wants a page. */
export function looksLikeAsset(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const compressed = decodedName(name);
  return hasAssetExtension(name) || (compressed !== name && hasAssetExtension(compressed));
}

// --- internal ---

function hasAssetExtension(name: string): boolean {
  const dot = name.lastIndexOf(".");
  if (dot === -1) return false;
  const extension = name.slice(dot + 1).toLowerCase();
  return ASSETS.has(extension) || (MEDIA.test(mime.getType(extension) ?? "") && !AMBIGUOUS.has(extension));
}

const MEDIA = /^(?:audio|font|image|model|video)\//;

/** Extensions of media that are also top-level domains, or the end of a version number. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["au", "movie", "rip", "210"]);

/**
 * Extensions besides media. A thousand others exist, dozens of which are top-level domains: `/users/jane@example.com`
 * is a page.
 */
const ASSETS: ReadonlySet<string> = new Set(
  [
    "js mjs cjs tsx jsx css scss sass less map wasm cur eps exr eot hdr fbx m3u8 mpd vtt srt",
    "json json5 jsonld geojson topojson ndjson jsonl webmanifest manifest appcache xml xsl xsd rss atom yaml yml toml",
    "csv tsv txt text md log ics vcf gpx kml kmz mvt bin dat db sqlite parquet proto graphql gql",
    "pdf doc docx xls xlsx xlsm ppt pptx odt ods odp rtf epub mobi",
    "zip gz tgz bz2 xz zst 7z rar tar jar war dmg iso exe dll pdb msi deb rpm apk ipa crx xpi",
    "unityweb pem crt cer asc sig torrent swf",
  ].flatMap((extensions) => extensions.split(" ")),
);
