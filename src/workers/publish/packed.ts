import type { ManifestFile } from "../../domain/deployments/manifest.ts";
import type { UnpackedArchive } from "../../domain/ports/archive.ts";

/**
 * An unpacked archive on its way between threads. Its lists are text in buffers, which change hands without a copy:
 * as objects, 50,000 files cost 60 MB on the way from the threads that unpack over the main thread to the one that
 * publishes. A buffer holds up to a thousand items: one for all, and the text that it is made of, are 15 MB more.
 */
export interface PackedArchive extends Omit<UnpackedArchive, "files" | "reused"> {
  /** Path, digest and size of each file, each ended by a NUL, which no path holds. */
  readonly files: readonly PackedText[];
  /** Digests, each ended by a NUL. */
  readonly reused: readonly PackedText[];
}

type PackedText = Uint8Array<ArrayBuffer>;

const ITEMS_PER_BUFFER = 1000;

export function packArchive({ files, reused, ...rest }: UnpackedArchive): PackedArchive {
  return {
    ...rest,
    files: packed(files, ({ path, digest, size }) => `${path}\0${digest}\0${size}\0`),
    reused: packed(reused, (digest) => `${digest}\0`),
  };
}

export function unpackArchive({ files, reused, ...rest }: PackedArchive): UnpackedArchive {
  return { ...rest, files: files.flatMap((text) => fileList(parts(text))), reused: reused.flatMap(parts) };
}

/** Whether a value that another thread sent is an unpacked archive. */
export function isPacked(value: unknown): value is PackedArchive {
  return (
    value instanceof Object && "files" in value && Array.isArray(value.files) && value.files[0] instanceof Uint8Array
  );
}

/** Returns what changes hands with a packed archive. */
export function buffersOf({ files, reused }: PackedArchive): ArrayBuffer[] {
  return [...files, ...reused].map((text) => text.buffer);
}

// --- internal ---

function packed<Item>(items: readonly Item[], textOf: (item: Item) => string): PackedText[] {
  const texts: PackedText[] = [];
  for (let at = 0; at < items.length; at += ITEMS_PER_BUFFER) {
    const text = items
      .slice(at, at + ITEMS_PER_BUFFER)
      .map(textOf)
      .join("");
    texts.push(new TextEncoder().encode(text));
  }
  return texts;
}

function parts(text: PackedText): string[] {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text).split("\0").slice(0, -1);
}

function fileList(fields: readonly string[]): ManifestFile[] {
  const files: ManifestFile[] = [];
  for (let at = 0; at < fields.length; at += 3) {
    files.push({ path: fields[at]!, digest: fields[at + 1]!, size: Number(fields[at + 2]) });
  }
  return files;
}
