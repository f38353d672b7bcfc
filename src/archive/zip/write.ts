import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { needsRootMarker, ROOT_MARKER } from "../../domain/deployments/archive-root.ts";
import type { ManifestFile } from "../../domain/model/manifest.ts";
import { type ContentStore, readParts } from "../../domain/ports/content.ts";
import { pullStream } from "../../domain/pull-stream.ts";
import { hasExtension } from "../../domain/rules/extensions.ts";

/**
 * Streams files as a ZIP archive that can be deployed again. The archive is deterministic: entries
 * are in the given order and have a constant time. Only a few chunks are in memory. The stream fails if content is
 * missing; `report` gets the error, because the listener only breaks off the response.
 */
export function writeZip(
  files: readonly ManifestFile[],
  content: Pick<ContentStore, "read">,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const zip = new ZipFile();
  // yazl's stream is always readable and destroyable, but its types do not say so.
  const output = zip.outputStream as Readable;
  zip.on("error", (error) => output.destroy(error));

  // DOS times are local; this results in the same date everywhere.
  const entry = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  if (needsRootMarker(files)) zip.addEmptyDirectory(ROOT_MARKER, entry);
  for (const { path, digest, size } of files) {
    const options = { ...entry, mode: 0o100644, size, compress: !hasExtension(path, "compressed") };
    zip.addReadStreamLazy(path, options, (start) => {
      const file = Readable.from(readParts(content, digest), { objectMode: false });
      file.on("error", (error) => output.destroy(error));
      start(null, file);
    });
  }
  zip.end();
  return asWebStream(output, report);
}

/** Reads on demand, for backpressure with slow downloads. */
function asWebStream(output: Readable, report: (error: unknown) => void): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = output[Symbol.asyncIterator]();
  return pullStream({
    async next() {
      const { done, value } = await chunks.next();
      return done ? null : value;
    },
    close: () => chunks.return?.(),
    failed: report,
  });
}
