import mime from "mime";

/**
 * Returns the media type for a file's name: from the extension alone, never from the content, which together with
 * `nosniff` keeps an uploaded picture from being run as a page.
 */
export function contentType(path: string): string {
  // Without a slash in front a whole name may pass for an extension: a file `html` is no page.
  const type = mime.getType(`/${path}`) ?? "application/octet-stream";
  return type.startsWith("text/") || type === "application/javascript" ? `${type}; charset=utf-8` : type;
}

/** Whether the media type is that of a page that people read. */
export function isPage(type: string): boolean {
  return type.startsWith("text/html") || type.startsWith("application/xhtml+xml");
}

/** Whether the last segment of a path ends in an extension of what pages load or link to: it never asks for a page. */
export function looksLikeAsset(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot !== -1 && ASSETS.has(name.slice(dot + 1).toLowerCase());
}

// --- internal ---

/** The media types know a thousand more, of which dozens are top-level domains: `/users/jane@example.com` is an address. */
const ASSETS: ReadonlySet<string> = new Set(
  [
    "js mjs cjs ts tsx jsx css scss sass less map wasm",
    "png apng jpg jpeg jpe jfif gif webp avif jxl heic heif bmp tif tiff ico cur svg svgz psd eps",
    "woff woff2 ttf otf ttc eot",
    "mp3 m4a aac ogg oga opus wav flac weba mid midi mp4 m4v mov webm ogv avi mkv mpeg mpg 3gp m3u8 mpd vtt srt",
    "json json5 jsonld geojson topojson ndjson jsonl webmanifest manifest appcache xml xsl xsd rss atom yaml yml toml",
    "csv tsv txt text md log ics vcf gpx kml kmz bin dat db sqlite parquet proto graphql gql",
    "pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub",
    "zip gz tgz bz2 xz zst 7z rar tar jar war dmg iso exe msi deb rpm apk ipa crx xpi",
    "glb gltf obj stl usdz hdr ktx2 pem crt cer asc sig torrent swf",
  ].flatMap((extensions) => extensions.split(" ")),
);
