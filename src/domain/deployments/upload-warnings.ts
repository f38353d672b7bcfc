import type { Warning } from "../model/manifest.ts";
import type { UnpackedArchive } from "../ports/archive.ts";
import { quote } from "../quote.ts";
import { isServed } from "../rules/clean-urls.ts";
import { mayHoldCredentials } from "./left-out.ts";

/** Returns warnings about an upload: what of it is never served, and what the server had to guess. */
export function warnAboutUpload(unpacked: UnpackedArchive): Warning[] {
  return [...unseenFiles(unpacked), ...guessedNames(unpacked), ...legacyTexts(unpacked)];
}

/** Enough to act on. Somebody who publishes a folder of keys needs no list of them. */
const MAX_KEY_WARNINGS = 20;

/** Returns warnings that must not be overlooked among others. */
export function warnAboutPrivateKeys({ privateKeys: paths }: Pick<UnpackedArchive, "privateKeys">): Warning[] {
  const message =
    "holds a private key: deploy again without it, delete this deployment (vitrine deployments delete, or its menu in " +
    "the dashboard), and replace the key";
  return paths.slice(0, MAX_KEY_WARNINGS).map((file) => ({ file, line: 0, message }));
}

// --- internal ---

/** A `.git` folder or a folder of dotfiles can hold thousands of files, and nobody reads more warnings than these. */
const MAX_UNSEEN_WARNINGS = 100;

/** Returns a warning for each uploaded file that is never served. The two rule files are not meant to be served. */
function unseenFiles({ files, leftOut }: UnpackedArchive): Warning[] {
  const dotfiles = files.map((file) => file.path).filter((path) => !isServed(path) && /(^|\/)\./.test(path));
  const [credentials, metadata] = [
    leftOut.filter(mayHoldCredentials),
    leftOut.filter((path) => !mayHoldCredentials(path)),
  ];
  return [
    ...credentials.map((file): Warning => ({ file, line: 0, message: "was left out: it may hold credentials" })),
    ...metadata.map((file): Warning => ({ file, line: 0, message: "was left out: it is not part of a site" })),
    ...dotfiles.map((file): Warning => ({ file, line: 0, message: "is kept, but never served" })),
  ].slice(0, MAX_UNSEEN_WARNINGS);
}

/** Enough to see whether the names are right. */
const SHOWN_NAMES = 3;
const SHOWN_CHARACTERS = 100;

/** Browsers read such a text in the encoding that it declares, or else in that of their user's language. */
function legacyTexts({ legacyTexts: texts }: UnpackedArchive): Warning[] {
  const [file, ...others] = texts.map(({ path }) => path).filter(isServed);
  if (file === undefined) return [];
  const like = others.length === 0 ? "" : `, like ${others.length} other${others.length === 1 ? "" : "s"}`;
  const message = `is a text that is not UTF-8${like}: it is sent without a charset, so that its own declaration decides`;
  return [{ file, line: 0, message }];
}

/** Returns a warning if names may look wrong because the archive is in another code page, such as Shift JIS. */
function guessedNames({ guessedNames: names }: UnpackedArchive): Warning[] {
  const [file] = names;
  if (file === undefined) return [];
  const shown = names.slice(0, SHOWN_NAMES).map((name) => quote(name, SHOWN_CHARACTERS));
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
  const guess = `names in the archive are not UTF-8 and were read as code page 437: ${shown.join(", ")}${more}`;
  return [{ file, line: 0, message: `${guess}. If they look wrong, create the archive with UTF-8 names` }];
}
