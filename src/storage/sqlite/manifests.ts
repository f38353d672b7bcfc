import { zstdCompressSync, zstdDecompressSync } from "bun";
import { isDigest, notDigest } from "../../domain/deployments/digest.ts";
import type { DeploymentRules, Manifest, ManifestFile } from "../../domain/deployments/manifest.ts";
import { quote } from "../../domain/quote.ts";
import type { Connection } from "./connection.ts";

/** Returns what a deployment has besides its files, as it lies in its row: JSON under zstd. */
export function encodeRules(rules: DeploymentRules): Buffer {
  return zstdCompressSync(JSON.stringify(rules), { level: 3 });
}

/** Throws for content that is named by something else than a digest: a restored database can hold anything. */
export function requireDigest<File extends ManifestFile>(file: File): File {
  if (!isDigest(file.digest)) throw new Error(`${quote(file.path)} has content ${notDigest(file.digest)}`);
  return file;
}

/** Reads the parts of manifests: rules in one row, files in a row each. */
export function manifestStatements({ raw }: Connection) {
  const rules = raw.prepare<{ rules: Uint8Array }, [number]>("SELECT rules FROM manifests WHERE deployment_id = ?");
  const files = raw.prepare<ManifestFile, [number]>(
    `SELECT path, digest, size FROM deployment_files JOIN contents ON contents.id = content_id
     WHERE deployment_id = ? ORDER BY path`,
  );
  const readRules = (deploymentId: number): DeploymentRules | null => {
    const row = rules.get(deploymentId);
    return row && (JSON.parse(new TextDecoder().decode(zstdDecompressSync(row.rules))) as DeploymentRules);
  };
  return {
    readRules,

    read(deploymentId: number): Manifest | null {
      const found = readRules(deploymentId);
      return (
        found && {
          files: files.all(deploymentId).map(requireDigest),
          redirects: found.redirects,
          headers: found.headers,
        }
      );
    },
  };
}
