import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { needsRootMarker, ROOT_MARKER } from "../../domain/deployments/archive-root.ts";
import type { ManifestFile } from "../../domain/deployments/manifest.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import { readParts } from "../../domain/read-parts.ts";

/** Content that is compressed already: deflating it again costs time and saves nothing. */
const COMPRESSED =
  /\.(?:7z|aac|apk|avif|br|bz2|docx|epub|flac|gif|gz|heic|ico|jar|jpe?g|jxl|m4[av]|mkv|mov|mp[34]|og[agv]|opus|png|pptx|rar|tgz|web[mp]|wasm\.br|woff2?|xlsx|xz|zip|zst)$/i;

/**
 * Streams files as a ZIP archive that deploys again to the same files. The same files make the same archive: entries
 * are in the given order and carry no time of their own. A few parts of one file are in memory. The stream fails when content is missing.
 */
export function writeZip(
  files: readonly ManifestFile[],
  content: Pick<ContentStore, "read">,
): ReadableStream<Uint8Array> {
  const zip = new ZipFile();
  // yazl always makes a stream that can be read and destroyed; its types promise less.
  const output = zip.outputStream as Readable;
  zip.on("error", (error) => output.destroy(error));

  // DOS times are local: this is the same date everywhere.
  const entry = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  if (needsRootMarker(files)) zip.addEmptyDirectory(ROOT_MARKER, entry);
  for (const { path, digest, size } of files) {
    const options = { ...entry, mode: 0o100644, size, compress: !COMPRESSED.test(path) };
    zip.addReadStreamLazy(path, options, (start) => {
      const file = Readable.from(readParts(content, digest), { objectMode: false });
      file.on("error", (error) => output.destroy(error));
      start(null, file);
    });
  }
  zip.end();
  return asWebStream(output);
}

/** Reads only when it is asked, so that a slow download holds the files back. */
function asWebStream(output: Readable): ReadableStream<Uint8Array> {
  const chunks = output[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
