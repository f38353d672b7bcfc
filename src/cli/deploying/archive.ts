import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { needsRootMarker, ROOT_MARKER } from "../../domain/deployments/archive-root.ts";
import { hasExtension } from "../../domain/rules/extensions.ts";
import { Failure } from "../terminal/errors.ts";
import { IGNORE_FILE } from "./folder.ts";
import type { Source, SourceFile } from "./source.ts";

/** Yields a ZIP of the files, reading one file at a time; calls `onRead` with the length of each chunk. */
export async function* archiveOf(
  files: readonly SourceFile[],
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const output = writeArchive(files, onRead);
  try {
    for await (const chunk of output) yield chunk;
  } catch (error) {
    if (error instanceof Failure) throw error;
    // yazl's own errors mean that a file changed its size since the folder was read.
    throw new Failure(
      `a file changed while it was read: ${(error as Error).message}`,
      "Deploy again when it no longer changes.",
    );
  }
}

function writeArchive(files: readonly SourceFile[], onRead: (bytes: number) => void): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  // An error after the upload was aborted must not end the process.
  output.on("error", () => {});
  zip.on("error", (error: Error) => output.destroy(error));
  if (needsRootMarker(files)) zip.addEmptyDirectory(ROOT_MARKER);
  for (const { path, file, size } of files) {
    const compress = !hasExtension(path, "compressed");
    zip.addReadStreamLazy(path, { size, compress, mode: 0o100644 }, (deliver) => {
      const content = createReadStream(file);
      content.on("data", (chunk) => onRead(chunk.length));
      content.on("error", (error) => output.destroy(unreadable(path, error)));
      deliver(null, content);
    });
  }
  zip.end();
  return output;
}

function unreadable(path: string, error: NodeJS.ErrnoException): Failure {
  return new Failure(`${path} cannot be read (${error.code})`, `Fix its permissions, or exclude it in ${IGNORE_FILE}.`);
}

/** Yields the archive to send; calls `onRead` with the length of each chunk read from the disk. */
export function contentOf(source: Source, onRead: (bytes: number) => void): AsyncIterable<Uint8Array> {
  return source.kind === "files" ? archiveOf(source.files, onRead) : contentOfFile(source.file, onRead);
}

export function sizeOf(source: Source): number {
  return source.kind === "archive" ? source.size : source.files.reduce((sum, { size }) => sum + size, 0);
}

async function* contentOfFile(file: string, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, "Fix its permissions.");
  }
}
