import type { FileContent, FileReader } from "../model/file-facts.ts";
import { hasExtension } from "../rules/extensions.ts";
import { cssReferences } from "./css-references.ts";
import { decodeText, isText } from "./decode-text.ts";
import { Lines } from "./lines.ts";
import { isAppManifest, manifestReferences } from "./manifest-references.ts";
import type { ReadMarkup } from "./markup.ts";
import { pageFacts } from "./page-facts.ts";
import { MAX_REFERENCES, ReferenceList } from "./references.ts";
import { findSecrets } from "./secrets.ts";

/** Pages and style sheets are read as a whole, into memory. */
const MAX_READ_BYTES = 10 * 1024 * 1024;
/** Larger texts are data, which are generated and not written. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024;

/** Returns how a file is read; null for files without links and secrets, such as pictures. */
export function readerOf(path: string): FileReader | null {
  if (hasExtension(path, "page")) return "page";
  if (/\.css$/i.test(path)) return "style";
  if (isAppManifest(path)) return "manifest";
  return TEXT.test(path) ? "text" : null;
}

/** Returns what is known of a file that is too large to be read; null for others. */
export function unreadFile(reader: FileReader, size: number): FileContent | null {
  const limit = reader === "page" || reader === "style" ? MAX_READ_BYTES : MAX_TEXT_BYTES;
  return size > limit ? unknownContent(`it is larger than ${limit / 1024 / 1024} MiB`) : null;
}

/** Reads a file. Whatever it contains, the result has facts or a problem. */
export function readFile(reader: FileReader, bytes: Uint8Array, readMarkup: ReadMarkup): FileContent {
  try {
    const text = decodeText(bytes);
    if (!isText(text)) return unknownContent(reader === "text" ? null : "it is not text");
    const secrets = bytes.length > MAX_TEXT_BYTES ? [] : findSecrets(text);
    const { isCut, anchors, base, references } = linksOf(reader, text, readMarkup);
    const problem = isCut ? `it has more than ${MAX_REFERENCES} links` : null;
    return { facts: { base, references, secrets, problem }, outline: { links: references.length, anchors } };
  } catch {
    return unknownContent("it cannot be read as what its name says");
  }
}

// --- internal ---

function unknownContent(problem: string | null): FileContent {
  return { facts: { base: null, references: [], secrets: [], problem }, outline: { links: 0, anchors: null } };
}

/** Text files that may contain a secret; what browsers show and what they load. */
const TEXT =
  /\.(?:js|mjs|cjs|jsx|ts|tsx|json|map|svg|xml|txt|md|ya?ml|toml|ini|conf|env|pem|key|sh|py|rb|php|vue|webmanifest)$/i;

function linksOf(reader: FileReader, text: string, readMarkup: ReadMarkup) {
  switch (reader) {
    case "page":
      return pageFacts(text, readMarkup);
    case "style":
      return ofList(styleReferences(text));
    case "manifest":
      return ofList(manifestReferences(text));
    case "text":
      return ofList(new ReferenceList());
  }
}

function ofList({ references, isCut }: ReferenceList) {
  return { base: null, anchors: null, references, isCut };
}

function styleReferences(text: string): ReferenceList {
  const list = new ReferenceList();
  const lines = new Lines(text);
  for (const { kind, address, at } of cssReferences(text)) list.add(kind, address, lines.at(at));
  return list;
}
