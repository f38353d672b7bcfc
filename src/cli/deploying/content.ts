import { Failure } from "../errors.ts";
import { archiveOf } from "./archive.ts";
import type { Source } from "./source.ts";

/** Yields the archive to send, as it is or made on the way; `onRead` hears of every chunk read from the disk. */
export function contentOf(source: Source, onRead: (bytes: number) => void): AsyncIterable<Uint8Array> {
  return source.kind === "files" ? archiveOf(source.files, onRead) : contentOfFile(source.file, onRead);
}

/** Returns how many bytes will be read from the disk. */
export function sizeOf(source: Source): number {
  return source.kind === "archive" ? source.size : source.files.reduce((sum, { size }) => sum + size, 0);
}

async function* contentOfFile(file: string, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of Bun.file(file).stream()) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, "Fix its permissions.");
  }
}
