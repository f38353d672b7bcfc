/**
 * Whether a file's name holds a hash of its content, put there by a build tool, so that the same address never
 * shows anything else: such a file may be kept for a year, and outlives the deployment it came with.
 *
 * A name that is wrongly taken for one shows old content for a year, one that is missed only costs a revalidation:
 * hence every pattern asks for more than "eight characters before the extension".
 */
export function isFingerprinted(path: string): boolean {
  const slash = path.lastIndexOf("/");
  const folder = path.slice(0, slash + 1);
  const name = path.slice(slash + 1);
  const extension = /\.([a-z0-9]{2,11})$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined || NEVER.has(extension)) return false;
  // Next, Astro and SvelteKit put nothing but fingerprinted files here.
  if (/(?:^|\/)(?:_next\/static|_astro|_app\/immutable)\//.test(folder)) return true;
  const stem = name.replace(/(?:\.(?:min|chunk|bundle|module|legacy|map|js|css|LICENSE))*\.[a-z0-9]+$/i, "");
  const isCode = CODE.has(extension);
  if (isHexHash(stem, isCode) || isHugoImage(stem)) return true;
  const hash = /(?:^|[.-])([A-Za-z0-9_-]{8})$/.exec(stem)?.[1];
  if (hash === undefined) return false;
  return isEsbuildHash(hash, isCode) || isRollupHash(stem, folder, isCode);
}

// --- internal ---

/** Pages and what crawlers and browsers ask for by a fixed name are never kept for long. */
const NEVER: ReadonlySet<string> = new Set("html htm shtml xhtml xht xml txt md webmanifest rss atom".split(" "));
const CODE: ReadonlySet<string> = new Set(["js", "mjs", "cjs", "css", "wasm", "map", "woff", "woff2", "ttf", "otf"]);

/** webpack, Parcel, Gatsby, Docusaurus, Hugo: 8 to 128 hex digits, after a dot or hyphen or alone. A date is none. */
function isHexHash(stem: string, isCode: boolean): boolean {
  const hash = /(?:^|[.~_-])([0-9a-f]{8,128})$/.exec(stem)?.[1];
  if (hash === undefined) return false;
  const isApart = /[.~-]$/.test(stem.slice(0, -hash.length));
  // One in forty has no letter, one in thousands no digit: believed of code, unless it is a date.
  if (!/\d/.test(hash) || !/[a-f]/.test(hash)) return isApart && isCode && !/^(?:19|20)\d{6}/.test(hash);
  if (hash.length >= 16 || isApart) return true;
  // Alone, a short one may be a word (`deadbeef`) or somebody's number; after an underscore, an identifier.
  return hash === stem && (hash.length >= 10 || (isCode && /\d.*\d/.test(hash) && /[a-f].*[a-f]/.test(hash)));
}

/** Hugo's resized images: `photo_hu_1a2b….webp`, formerly `photo_hu1a2b…_1234_600x0_resize_q75_box.jpg`. */
function isHugoImage(stem: string): boolean {
  return /_hu_?[0-9a-f]{16,64}(?:_|$)/.test(stem);
}

/** esbuild, Angular: eight characters of base32. */
function isEsbuildHash(hash: string, isCode: boolean): boolean {
  return /^[A-Z2-7]{8}$/.test(hash) && /[A-Z]/.test(hash) && (isCode || /\d/.test(hash));
}

/**
 * Vite, Rollup, Nuxt: eight characters of base64url after a hyphen or dot, or alone. Without a digit (a quarter of
 * them) they look like words in camel case, and are believed only of code in a folder that build tools fill.
 */
function isRollupHash(stem: string, folder: string, isCode: boolean): boolean {
  const hash = stem.slice(-8);
  const before = stem.slice(0, -8);
  const inBuildFolder = /(?:^|\/)(?:assets|_nuxt|chunks?|entries|build|dist|js|css)\//.test(folder);
  if (before !== "" ? !/[.-]$/.test(before) : !inBuildFolder) return false;
  const isMixed = /[a-z]/.test(hash) && /[A-Z]/.test(hash);
  if (/\d/.test(hash) && /[A-Za-z]/.test(hash)) return isMixed || /[a-z]\d+[a-z]|\d[a-z]+\d/i.test(hash);
  return isMixed && isCode && inBuildFolder && !/^[A-Z]?[a-z]+$/.test(hash);
}
