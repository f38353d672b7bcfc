import { ArrayBufferSink, zstdCompressSync, zstdDecompressSync } from "bun";
import { isDigest, notDigest } from "../../domain/deployments/digest.ts";
import type { Manifest, ManifestFile } from "../../domain/deployments/manifest.ts";
import { quote } from "../../domain/quote.ts";

/** How a manifest lies in its row: JSON under zstd, files as triples, about 45 bytes a file. */
interface StoredManifest extends Omit<Manifest, "files"> {
  readonly files: readonly (readonly [path: string, digest: string, size: number])[];
}

/** Files are written so many at a time: as one value and one text, 50,000 of them take 18 MB more. */
const FILES_AT_ONCE = 1000;

export function encodeManifest({ files, ...rules }: Manifest): Buffer {
  const json = new ArrayBufferSink();
  json.write(`${JSON.stringify(rules).slice(0, -1)},"files":[`);
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const some = files.slice(at, at + FILES_AT_ONCE).map(({ path, digest, size }) => [path, digest, size] as const);
    json.write(`${at === 0 ? "" : ","}${JSON.stringify(some).slice(1, -1)}`);
  }
  json.write("]}");
  return zstdCompressSync(json.end(), { level: 3 });
}

/** Throws for content that is named by something else than a digest: a restored database can hold anything. */
export function decodeManifest(body: Uint8Array): Manifest {
  const stored = JSON.parse(new TextDecoder().decode(zstdDecompressSync(body))) as StoredManifest;
  const strange = stored.files.find(([, digest]) => !isDigest(digest));
  if (strange) throw new Error(`${quote(strange[0])} has content ${notDigest(strange[1])}`);
  return {
    ...stored,
    files: stored.files.map(([path, digest, size]): ManifestFile => ({ path, digest, size })),
  };
}
