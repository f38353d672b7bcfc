/** What the last extension of a file's name tells besides its media type. The only such table. */
const EXTENSIONS = {
  page: listOf("html htm shtml xhtml xht"),
  /** Pages that other servers generate. Only scanners request them here. */
  generatedPage: listOf("php asp aspx jsp cgi"),
  /** People seldom give files of these types names that look like a hash, but they do for fonts: `Inter-SemiBold.woff2`. */
  code: listOf("js mjs cjs css wasm map"),
  /** Crawlers and browsers request these by a fixed name. */
  fixedName: listOf("xml txt md webmanifest rss atom"),
  /** Browsers load these as part of a page. Other compressed files are downloads, which people unpack. */
  loaded: listOf("css data html js mjs svg wasm"),
  /**
   * Files that pages load or link to, besides media. A thousand other extensions exist, dozens of which are top-level
   * domains: `/users/jane@example.com` is a page.
   */
  asset: listOf(
    "js mjs cjs tsx jsx css scss sass less map wasm cur eps exr eot hdr fbx m3u8 mpd vtt srt " +
      "json json5 jsonld geojson topojson ndjson jsonl webmanifest manifest appcache xml xsl xsd rss atom yaml yml toml " +
      "csv tsv txt text md log ics vcf gpx kml kmz mvt bin dat db sqlite parquet proto graphql gql " +
      "pdf doc docx xls xlsx xlsm ppt pptx odt ods odp rtf epub mobi " +
      "zip gz tgz bz2 xz zst 7z rar tar jar war dmg iso exe dll pdb msi deb rpm apk ipa crx xpi " +
      "unityweb pem crt cer asc sig torrent swf",
  ),
  /** Compressed formats: deflating them again takes most of the time and saves nothing. */
  compressed: listOf(
    "7z aac apk avif br bz2 docx epub flac gif gz heic ico jar jpeg jpg jxl m4a m4v mkv mov mp3 mp4 oga ogg ogv opus " +
      "pdf png pptx rar tgz webm webp woff woff2 xlsx xz zip zst",
  ),
};

type ExtensionKind = keyof typeof EXTENSIONS;

/** Returns whether the name of a file, or the last segment of a path, has an extension of this kind, in either case. */
export function hasExtension(path: string, kind: ExtensionKind): boolean {
  return EXTENSIONS[kind].has(extensionOf(path));
}

/** Returns the last extension of a path in lower case; empty for none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1).toLowerCase();
}

// --- internal ---

function listOf(extensions: string): ReadonlySet<string> {
  return new Set(extensions.split(" "));
}
