import { ZipFile } from "yazl";
import { needsRootMarker, ROOT_MARKER } from "../../domain/deployments/archive-root.ts";
import { validateName } from "./name.ts";

interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The system of Unix in `version made by`, whose programs separate folders by `/` only. */
const UNIX = 3;

/**
 * Returns files as a ZIP archive, to be deployed like an uploaded one. Throws `invalid` for a path that no archive can
 * have; everything else is judged when the archive is unpacked.
 */
export async function packZip(files: readonly PackedFile[]): Promise<Uint8Array> {
  const zip = new ZipFile();
  const paths = files.map(({ path }) => ({ path: validateName(path, UNIX).path }));
  if (needsRootMarker(paths)) zip.addEmptyDirectory(ROOT_MARKER);
  for (const [index, { bytes }] of files.entries()) {
    zip.addBuffer(Buffer.from(bytes), (paths[index] as { path: string }).path, { mode: 0o100644, compress: false });
  }
  zip.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.outputStream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
