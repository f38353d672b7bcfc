import { zstdCompressSync, zstdDecompressSync } from "bun";
import { isDigest, notDigest } from "../domain/deployments/digest.ts";
import type { DeploymentRules, ManifestFile } from "../domain/deployments/manifest.ts";
import { quote } from "../domain/quote.ts";

// How a manifest lies in its rows, in every database.

/** Returns what a deployment has besides its files, as it lies in its row: JSON under zstd. */
export function encodeRules(rules: DeploymentRules): Buffer {
  return zstdCompressSync(JSON.stringify(rules), { level: 3 });
}

export function decodeRules(row: Uint8Array): DeploymentRules {
  return JSON.parse(new TextDecoder().decode(zstdDecompressSync(row))) as DeploymentRules;
}

/** Throws for content that is named by something else than a digest: a restored database can hold anything. */
export function requireDigest<File extends ManifestFile>(file: File): File {
  if (!isDigest(file.digest)) throw new Error(`${quote(file.path)} has content ${notDigest(file.digest)}`);
  return file;
}
