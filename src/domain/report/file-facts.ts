import type { FileFacts, FileReader } from "../model/file-facts.ts";
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

/** Returns the facts of a file that is too large to be read; null for others. */
export function unreadFacts(reader: FileReader, size: number): FileFacts | null {
  const limit = reader === "page" || reader === "style" ? MAX_READ_BYTES : MAX_TEXT_BYTES;
  return size > limit ? { ...NO_FACTS, problem: `it is larger than ${limit / 1024 / 1024} MiB` } : null;
}

/** Reads a file. Whatever it contains, the result has facts or a problem. */
export function readFacts(reader: FileReader, bytes: Uint8Array, readMarkup: ReadMarkup): FileFacts {
  try {
    const text = decodeText(bytes);
    if (!isText(text)) return { ...NO_FACTS, problem: reader === "text" ? null : "it is not text" };
    const secrets = bytes.length > MAX_TEXT_BYTES ? [] : findSecrets(text);
    const { isCut, ...links } = linksOf(reader, text, readMarkup);
    return { ...links, secrets, problem: isCut ? `it has more than ${MAX_REFERENCES} links` : null };
  } catch {
    return { ...NO_FACTS, problem: "it cannot be read as what its name says" };
  }
}

// --- internal ---

const NO_FACTS = { base: null, references: [], anchors: null, secrets: [] } as const;

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
