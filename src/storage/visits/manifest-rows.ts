import { zstdCompressSync, zstdDecompressSync } from "bun";
import { invalidDigest, isDigest } from "../../domain/deployments/digest.ts";
import type { DeploymentRules, ManifestFile } from "../../domain/model/manifest.ts";
import { quote } from "../../domain/quote.ts";

/** Encodes everything of a deployment except its files, as its row stores it: JSON compressed with zstd. */
export function encodeRules(rules: DeploymentRules): Buffer {
  return zstdCompressSync(JSON.stringify(rules), { level: 3 });
}

export function decodeRules(row: Uint8Array): DeploymentRules {
  return JSON.parse(new TextDecoder().decode(zstdDecompressSync(row))) as DeploymentRules;
}

/** Returns the file. Throws for an invalid digest, because a restored database can contain anything. */
export function requireDigest<File extends ManifestFile>(file: File): File {
  if (!isDigest(file.digest)) throw new Error(`${quote(file.path)} has content ${invalidDigest(file.digest)}`);
  return file;
}
