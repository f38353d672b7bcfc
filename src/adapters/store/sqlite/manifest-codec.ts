import { zstdCompressSync, zstdDecompressSync } from "bun";
import type { Manifest, ManifestFile } from "../../../domain/deployments/manifest.ts";

/** How a manifest lies in its row: JSON under zstd, files as triples, about 45 bytes a file. */
interface StoredManifest extends Omit<Manifest, "files"> {
  readonly files: readonly (readonly [path: string, digest: string, size: number])[];
}

export function encodeManifest(manifest: Manifest): Buffer {
  const stored: StoredManifest = {
    ...manifest,
    files: manifest.files.map(({ path, digest, size }) => [path, digest, size] as const),
  };
  return zstdCompressSync(JSON.stringify(stored), { level: 3 });
}

export function decodeManifest(body: Uint8Array): Manifest {
  const stored = JSON.parse(new TextDecoder().decode(zstdDecompressSync(body))) as StoredManifest;
  return {
    ...stored,
    files: stored.files.map(([path, digest, size]): ManifestFile => ({ path, digest, size })),
  };
}
