import type { FileContent, FileFacts, FileOutline, FileReader } from "../model/file-facts.ts";
import type { ManifestFile } from "../model/manifest.ts";
import type { ContentStore } from "../ports/content.ts";
import type { Store } from "../ports/store.ts";
import { readerOf, readFile, unreadFile } from "./file-facts.ts";
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

interface FileWith<Known> extends ReadableFile {
  /** Null if the file was not read in time. */
  readonly known: Known | null;
}

/** Returns the files that have links or may have secrets. */
export function readableFiles(files: readonly ManifestFile[]): readonly ReadableFile[] {
  return files.flatMap((file) => {
    const reader = readerOf(file.path);
    return reader === null ? [] : [{ file, reader }];
  });
}

/**
 * Yields the outlines of files. Those that another deployment had, or that were read before, come from the store; the
 * others are read and stored as long as `mayGoOn` returns true. Not even known ones are yielded afterwards.
 */
export function outlinesOf(ports: FactsPorts, files: readonly ReadableFile[], mayGoOn: () => boolean) {
  const load: Load<FileOutline> = (reader, digests) => ports.store.reports.outlines(reader, digests);
  return knownOrRead(ports, files, mayGoOn, load, ({ outline }) => outline);
}

/** Yields the facts of files in the same way. */
export function factsOf(ports: FactsPorts, files: readonly ReadableFile[], mayGoOn: () => boolean) {
  const load: Load<FileFacts> = (reader, digests) => ports.store.reports.facts(reader, digests);
  return knownOrRead(ports, files, mayGoOn, load, ({ facts }) => facts);
}

// --- internal ---

type Load<Known> = (reader: FileReader, digests: readonly string[]) => Promise<ReadonlyMap<string, Known>>;

async function* knownOrRead<Known>(
  ports: FactsPorts,
  files: readonly ReadableFile[],
  mayGoOn: () => boolean,
  load: Load<Known>,
  pick: (content: FileContent) => Known,
): AsyncGenerator<FileWith<Known>> {
  for (const [reader, batch] of inBatches(files)) {
    const known = new Map(mayGoOn() ? await load(reader, digestsOf(batch)) : []);
    const read = new Map<string, FileContent>();
    try {
      for (const { file } of batch) {
        const isInTime = mayGoOn();
        if (isInTime && !known.has(file.digest)) {
          const content = await readContent(ports, file, reader);
          read.set(file.digest, content);
          known.set(file.digest, pick(content));
        }
        yield { file, reader, known: isInTime ? known.get(file.digest)! : null };
      }
    } finally {
      const added = [...read].map(([digest, content]) => ({ digest, reader, ...content }));
      if (added.length > 0) await ports.store.reports.keepFacts(added);
    }
  }
}

/** Files whose facts are loaded and stored at once. */
const BATCH = 200;

async function readContent(ports: FactsPorts, file: ManifestFile, reader: FileReader): Promise<FileContent> {
  const unread = unreadFile(reader, file.size);
  if (unread !== null) return unread;
  const content = readFile(reader, await ports.content.read(file.digest), ports.readMarkup);
  await ports.pause();
  return content;
}

function digestsOf(files: readonly ReadableFile[]): readonly string[] {
  return [...new Set(files.map(({ file }) => file.digest))];
}

/** Yields batches of files that are read in the same way. */
function* inBatches(files: readonly ReadableFile[]): Generator<readonly [FileReader, readonly ReadableFile[]]> {
  for (const [reader, group] of Map.groupBy(files, (file) => file.reader)) {
    for (let start = 0; start < group.length; start += BATCH) yield [reader, group.slice(start, start + BATCH)];
  }
}
