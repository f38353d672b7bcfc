import type { Readable } from "node:stream";
import { ZipFile } from "yazl";

/** Returns a ZIP archive of the files. Random bytes need no compression, which would take most of the time. */
export async function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  { compress = true } = {},
): Promise<Uint8Array> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path, { compress });
  zip.end();
  return new Uint8Array(Buffer.concat(await Array.fromAsync(zip.outputStream as Readable)));
}
