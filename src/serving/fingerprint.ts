import { hasExtension } from "../domain/rules/extensions.ts";

/** The limit of file systems. */
const MAX_NAME_LENGTH = 255;

/**
 * Returns whether a build tool may have named a file after its content. If so, a file that the live deployment does not
 * have is looked up in former ones. A hash may look like a word, so no hash may be missed. Pages have no hash: their
 * URLs stay, and an open tab never requests a page of another deployment.
 */
export function mayBeFingerprinted(path: string): boolean {
  const { folder, name, extension } = partsOf(path);
  if (extension === null || hasExtension(name, "page")) return false;
  return FINGERPRINTED_FOLDER.test(folder) || /[\w-]{8}/.test(name.slice(0, -extension.length));
}

/**
 * Returns whether a file's name certainly contains a hash of its content, so that its URL never shows anything else and
 * may be cached for a year.
 *
 * A false positive shows old content for a year, while a false negative only costs a revalidation. Names that people
 * form of words, dates, sizes and numbers therefore do not count, even if a hash looks like them.
 */
export function isFingerprinted(path: string): boolean {
  const { folder, name, extension } = partsOf(path);
  if (extension === null || hasExtension(name, "page") || hasExtension(name, "fixedName")) return false;
  if (FINGERPRINTED_FOLDER.test(folder)) return true;
  const stem = stemOf(name);
  const isCode = hasExtension(name, "code");
  if (/(?:^|\/)_framework\//.test(folder)) return BLAZOR_HASH.test(stem);
  if (/(?:^|\/)_nuxt\//.test(folder) && NUXT_HASH.test(stem)) return true;
  if (isHexHash(stem, isCode) || HUGO_IMAGE.test(stem)) return true;
  const isBuilt = BUILD_FOLDER.test(folder);
  const hash = /(?:^|[.-])([\w-]{8})$/.exec(stem)?.[1];
  if (hash === undefined) return false;
  // A name with just these characters is usually that of a class: `DataGrid.js`, `Vector3D.js`.
  if (hash === stem && !(isCode && isBuilt)) return false;
  return isBase32Hash(hash, isCode) || isBase64Hash(hash, isCode, isBuilt);
}

// --- internal ---

/** Next, Astro and SvelteKit put only fingerprinted files here. */
const FINGERPRINTED_FOLDER = /(?:^|\/)(?:_next\/static|_astro|_app\/immutable)\//;
/** Bundlers write their output here, beside files that people named. */
const BUILD_FOLDER = /(?:^|\/)(?:assets|chunks?|entries|build|dist|static\/(?:js|css|media))\//;

/** Parts that may be between the hash and the extension. */
const SUFFIXES: ReadonlySet<string> = new Set("min chunk bundle module legacy lean map js css".split(" "));

/** Ten characters of base36 after a dot, beside assemblies with names like `Shop.component2.wasm`. */
const BLAZOR_HASH = /\.(?=[a-z0-9]{10}$)[a-z0-9]*\d[a-z][a-z0-9]*$/;
/** Eight characters of base64url, possibly alone, in a folder that people do not use. Ten in a million are a word. */
const NUXT_HASH = /(?:^|[.-])(?=.*[A-Z0-9])[\w-]{8}$/;
/** Hugo's resized images: `photo_hu_1a2b….webp`, formerly `photo_hu1a2b…_1234_600x0_resize_q75_box.jpg`. */
const HUGO_IMAGE = /_hu_?[0-9a-f]{16,64}(?:_|$)/;

function partsOf(path: string): { folder: string; name: string; extension: string | null } {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  // A visitor's path is matched several times: longer ones cannot be a file's name.
  const [, extension] = name.length > MAX_NAME_LENGTH ? [] : (/\.([a-z0-9]{2,11})$/i.exec(name) ?? []);
  return { folder: path.slice(0, slash + 1), name, extension: extension ?? null };
}

/** Returns the name without its extension and the parts that tools put between that and the hash. */
function stemOf(name: string): string {
  const parts = name.split(".").slice(0, -1);
  while (parts.length > 1 && SUFFIXES.has(parts.at(-1) as string)) parts.pop();
  // Trunk and wasm-bindgen: `app-4f3a2b1c1d2e3f40_bg.wasm`.
  return parts.join(".").replace(/_bg$/, "");
}

/**
 * webpack, Parcel, Gatsby, Docusaurus, Hugo: 8 to 128 hexadecimal digits, after a dot or hyphen or alone. Dates are
 * excluded.
 */
function isHexHash(stem: string, isCode: boolean): boolean {
  const hash = /(?:^|[.~_-])([0-9a-f]{8,128})$/.exec(stem)?.[1];
  if (hash === undefined || DATE.test(hash)) return false;
  const isApart = /[.~-]$/.test(stem.slice(0, -hash.length));
  // One hash in forty has no letter, one in thousands no digit: accepted for code.
  if (!/\d/.test(hash) || !/[a-f]/.test(hash)) return isApart && isCode;
  if (!isCode && runsOf(hash) < 3) return false;
  if (hash.length >= 16 || isApart) return true;
  // A short one may be a word (`deadbeef`) or a number if it is the whole name, and an identifier after an underscore.
  return hash === stem && (hash.length >= 10 || (isCode && /\d.*\d/.test(hash) && /[a-f].*[a-f]/.test(hash)));
}

/** `20241231`, and the two months that can be written in hexadecimal digits: `5dec2025`, `2024feb5`. */
const DATE = /^(?:(?:19|20)\d{6}|\d{1,4}(?:dec|feb)\d{1,4}$)/;

/** esbuild, Angular: eight characters of base32. For images and downloads, `SUMMER25` is a name. */
function isBase32Hash(hash: string, isCode: boolean): boolean {
  return /^(?=.*[A-Z])[A-Z2-7]{8}$/.test(hash) && (isCode || runsOf(hash) > 3);
}

/**
 * Vite, Rollup, VitePress: eight characters of base64url. Three in a hundred have only one case, two have more than
 * three digits: those look like dates and sizes. Without other evidence a hash needs more runs than a name has, because
 * people write `photo-iPhone6s.jpg`.
 */
function isBase64Hash(hash: string, isCode: boolean, isBuilt: boolean): boolean {
  if (!/[a-z]/.test(hash) || !/[A-Z]/.test(hash) || /(?:\d.*){4}/.test(hash) || isName(hash)) return false;
  return (isCode && isBuilt) || runsOf(hash) > (isCode || isBuilt ? 3 : 4);
}

/**
 * Returns whether people use such names: up to two words in camel case, or an abbreviation, and then a number, on each
 * side of `_` or `-`. `FullSize`, `Vector3D`, `jQueryUI`, `iPhone6s`, `zh_Hant2`, `en_US_v2`.
 */
function isName(text: string): boolean {
  if (/[b-df-hj-np-tv-xz]{5}/i.test(text)) return false;
  return text.split(/[_-]/).every((side) => {
    const letters = /^([A-Z]*|(?:[A-Z]?[a-z]+){1,2}(?:UI|JS|ID)?)(?:\d+[sxD]?)?$/.exec(side)?.[1];
    if (letters === undefined) return false;
    return letters.length <= 2 || /[aeiouy]/i.test(letters) || letters === letters.toUpperCase();
  });
}

/** Returns the number of words, runs of capital letters and numbers in a text. */
function runsOf(text: string): number {
  return text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.length ?? 0;
}
