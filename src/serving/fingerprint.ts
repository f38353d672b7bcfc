/** File systems allow no longer names, and what a visitor sends is read several times below. */
const MAX_NAME_LENGTH = 255;

/**
 * Whether a file's name holds a hash of its content, put there by a build tool, so that the same address never
 * shows anything else: such a file may be kept for a year, and outlives the deployment it came with.
 *
 * A name that is wrongly taken for one shows old content for a year, one that is missed only costs a revalidation:
 * hence every pattern asks for more than "eight characters before the extension", and of pictures and downloads, whose names
 * people make of dates, sizes and numbers, for more than of code.
 */
export function isFingerprinted(path: string): boolean {
  const slash = path.lastIndexOf("/");
  const folder = path.slice(0, slash + 1);
  const name = path.slice(slash + 1);
  if (name.length > MAX_NAME_LENGTH) return false;
  const extension = /\.([a-z0-9]{2,11})$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined || NEVER.has(extension)) return false;
  // Next, Astro and SvelteKit put nothing but fingerprinted files here.
  if (/(?:^|\/)(?:_next\/static|_astro|_app\/immutable)\//.test(folder)) return true;
  const stem = stemOf(name);
  if (/(?:^|\/)_framework\//.test(folder)) return isBlazorHash(stem);
  if (/(?:^|\/)_nuxt\//.test(folder) && isNuxtHash(stem)) return true;
  const where = { isCode: CODE.has(extension), inBuildFolder: BUILD_FOLDER.test(folder) };
  if (isHexHash(stem, where) || isHugoImage(stem)) return true;
  const hash = /(?:^|[.-])([A-Za-z0-9_-]{8})$/.exec(stem)?.[1];
  if (hash === undefined) return false;
  // A name that is nothing else is more often that of a class: `DataGrid.js`, `Vector3D.js`.
  if (hash === stem && !(where.isCode && where.inBuildFolder && fallsApart(hash, { isCode: true }))) return false;
  return isEsbuildHash(hash, where) || isRollupHash(hash, where);
}

// --- internal ---

interface Where {
  readonly isCode: boolean;
  readonly inBuildFolder: boolean;
}

/** Pages and what crawlers and browsers ask for by a fixed name are never kept for long. */
const NEVER: ReadonlySet<string> = new Set("html htm shtml xhtml xht xml txt md webmanifest rss atom".split(" "));
/** What people seldom name by hand as build tools do. Fonts are none: `Inter-SemiBold.woff2`. */
const CODE: ReadonlySet<string> = new Set(["js", "mjs", "cjs", "css", "wasm", "map"]);
/** What may stand between the hash and the extension. */
const SUFFIXES: ReadonlySet<string> = new Set("min chunk bundle module legacy lean map js css".split(" "));
const BUILD_FOLDER = /(?:^|\/)(?:assets|chunks?|entries|build|dist|static\/(?:js|css|media))\//;

/** Returns the name without its extension, and without what tools put between that and the hash. */
function stemOf(name: string): string {
  const parts = name.split(".").slice(0, -1);
  while (parts.length > 1 && SUFFIXES.has(parts.at(-1) as string)) parts.pop();
  // Trunk and wasm-bindgen: `app-4f3a2b1c1d2e3f40_bg.wasm`.
  return parts.join(".").replace(/_bg$/, "");
}

/** webpack, Parcel, Gatsby, Docusaurus, Hugo: 8 to 128 hex digits, after a dot or hyphen or alone. A date is none. */
function isHexHash(stem: string, { isCode, inBuildFolder }: Where): boolean {
  const hash = /(?:^|[.~_-])([0-9a-f]{8,128})$/.exec(stem)?.[1];
  if (hash === undefined || DATE.test(hash)) return false;
  const isApart = /[.~-]$/.test(stem.slice(0, -hash.length));
  // One in forty has no letter, one in thousands no digit: believed of code.
  if (!/\d/.test(hash) || !/[a-f]/.test(hash)) return isApart && isCode;
  if (!isCode && !fallsApart(hash, { isCode, hasOneCase: true, inBuildFolder })) return false;
  if (hash.length >= 16 || isApart) return true;
  // Alone, a short one may be a word (`deadbeef`) or somebody's number; after an underscore, an identifier.
  return hash === stem && (hash.length >= 10 || (isCode && /\d.*\d/.test(hash) && /[a-f].*[a-f]/.test(hash)));
}

/** `20241231`, and the two months that hex digits can write: `5dec2025`, `2024feb5`. */
const DATE = /^(?:(?:19|20)\d{6}|\d{1,4}(?:dec|feb)\d{1,4}$)/;

/** Hugo's resized images: `photo_hu_1a2b….webp`, formerly `photo_hu1a2b…_1234_600x0_resize_q75_box.jpg`. */
function isHugoImage(stem: string): boolean {
  return /_hu_?[0-9a-f]{16,64}(?:_|$)/.test(stem);
}

/** Ten characters of base36 after a dot, beside assemblies with names like `Shop.component2.wasm`. */
function isBlazorHash(stem: string): boolean {
  return /\.[a-z0-9]{10}$/.test(stem) && /\d[a-z][a-z0-9]*$/.test(stem);
}

/** Eight characters of base64url, also alone, in a folder that people put nothing into. Ten per million are a word. */
function isNuxtHash(stem: string): boolean {
  return /(?:^|[.-])(?=.*[A-Z0-9])[A-Za-z0-9_-]{8}$/.test(stem);
}

/** esbuild, Angular: eight characters of base32. */
function isEsbuildHash(hash: string, { isCode }: Where): boolean {
  return /^[A-Z2-7]{8}$/.test(hash) && /[A-Z]/.test(hash) && (isCode || fallsApart(hash, { isCode, hasOneCase: true }));
}

/**
 * Vite, Rollup, VitePress: eight characters of base64url. Three in a hundred have one case only, two have more than three
 * digits: those look like dates and sizes. What else they are told by from words and numbers in camel case (`FullSize`,
 * `Vector3D`, `iPhone6s`) is that they fall into many parts, or that nobody can speak them.
 */
function isRollupHash(hash: string, { isCode, inBuildFolder }: Where): boolean {
  if (!/[a-z]/.test(hash) || !/[A-Z]/.test(hash) || /(?:\d.*){4}/.test(hash)) return false;
  if (isDividedName(hash)) return false;
  if (fallsApart(hash, { isCode })) return true;
  if (!inBuildFolder) return false;
  if (isCode && (hash.includes("_") || /[b-df-hj-np-tv-xz]{5}/i.test(hash))) return true;
  return fallsApart(hash, { isCode, inBuildFolder }) && !/[a-z]{4}/.test(hash);
}

/** Two words or more with dividers between them, `Dark_One`, `zh_Hant2`, `en_US_v2`: one in a hundred hashes looks so. */
function isDividedName(text: string): boolean {
  const sides = text.split(/[_-]/);
  return sides.length > 1 && sides.every((side) => side !== "" && isSpeakable(side.replace(/\d+$/, "")));
}

/** Abbreviations, and up to two words in camel case: `HTML`, `zh`, `NavBar`. */
function isSpeakable(letters: string): boolean {
  if (/^[A-Z]*$/.test(letters)) return true;
  return /^(?:[A-Z]?[a-z]+){1,2}$/.test(letters) && (letters.length <= 2 || /[aeiouy]/i.test(letters));
}

/** What speaks for a hash, besides that it falls apart. */
interface Evidence {
  readonly isCode: boolean;
  readonly hasOneCase?: boolean;
  readonly inBuildFolder?: boolean;
}

/**
 * Whether a text falls into more words, runs of capital letters and numbers than a name of eight characters does: of code
 * such names have three (`Vector3D`), of pictures and downloads four (`iPhone6s`). Letters of one case only make up for
 * one, as a build folder does.
 */
function fallsApart(text: string, { isCode, hasOneCase = false, inBuildFolder = false }: Evidence): boolean {
  const parts = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.length ?? 0;
  return parts + Number(hasOneCase) + Number(inBuildFolder) > (isCode ? 3 : 4);
}
