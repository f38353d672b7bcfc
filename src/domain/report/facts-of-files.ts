import type { FileFacts, FileReader } from "../model/file-facts.ts";
import type { ManifestFile } from "../model/manifest.ts";
import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";
import { readerOf, readFacts, unreadFacts } from "./file-facts.ts";
import type { ReadMarkup } from "./markup.ts";

export interface FactsPorts {
  readonly store: Pick<Store, "reports">;
  readonly content: Pick<ContentStore, "read">;
  readonly readMarkup: ReadMarkup;
  /** Called after each file that is read. Yields to other work; throws to stop. */
  readonly pause: () => Promise<void>;
}

export interface ReadableFile {
  readonly file: ManifestFile;
  readonly reader: FileReader;
}

export interface FileWithFacts extends ReadableFile {
  /** Null if the file was not read in time. */
  readonly facts: FileFacts | null;
}

/** Facts that are loaded and stored at once. */
const BATCH = 200;

/** Returns the files that have links or may have secrets, those that are read in the same way together. */
export function readableFiles(files: readonly ManifestFile[]): readonly ReadableFile[] {
  const readable = files.flatMap((file) => {
    const reader = readerOf(file.path);
    return reader === null ? [] : [{ file, reader }];
  });
  return readable.sort((one, other) => (one.reader < other.reader ? -1 : Number(one.reader > other.reader)));
}

/**
 * Yields the facts of files. Those that another deployment had, or that were read before, come from the store; the
 * others are read and stored as long as `mayGoOn` returns true. Not even known ones are yielded afterwards.
 */
export async function* factsOf(
  ports: FactsPorts,
  files: readonly ReadableFile[],
  mayGoOn: () => boolean,
): AsyncGenerator<FileWithFacts> {
  for (const batch of inBatches(files)) {
    const known = mayGoOn() ? await ports.store.reports.facts(batch[0]!.reader, digestsOf(batch)) : new Map();
    const read = new Map<string, FileFacts>();
    try {
      for (const { file, reader } of batch) {
        const facts = mayGoOn() ? (known.get(file.digest) ?? read.get(file.digest)) : null;
        if (facts === undefined) read.set(file.digest, await readFile(ports, file, reader));
        yield { file, reader, facts: facts === undefined ? read.get(file.digest)! : facts };
      }
    } finally {
      const added = [...read].map(([digest, facts]) => ({ digest, reader: batch[0]!.reader, facts }));
      if (added.length > 0) await ports.store.reports.keepFacts(added);
    }
  }
}

// --- internal ---

async function readFile(ports: FactsPorts, file: ManifestFile, reader: FileReader): Promise<FileFacts> {
  const unread = unreadFacts(reader, file.size);
  if (unread !== null) return unread;
  const facts = readFacts(reader, await ports.content.read(file.digest), ports.readMarkup);
  await ports.pause();
  return facts;
}

function digestsOf(files: readonly ReadableFile[]): readonly string[] {
  return [...new Set(files.map(({ file }) => file.digest))];
}

/** Yields batches of files that are read in the same way. */
function* inBatches(files: readonly ReadableFile[]): Generator<readonly ReadableFile[]> {
  for (let start = 0; start < files.length; ) {
    let end = start;
    while (end < files.length && end - start < BATCH && files[end]!.reader === files[start]!.reader) end += 1;
    yield files.slice(start, end);
    start = end;
  }
}
