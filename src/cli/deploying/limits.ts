import type { HostingCapability } from "../../api/schemas/types.ts";
import { hasExtension } from "../../domain/rules/extensions.ts";
import { ApiError } from "../client/api-error.ts";
import type { ApiClient } from "../client/client.ts";
import { Failure } from "../terminal/errors.ts";
import { count, formatBytes } from "../terminal/units.ts";
import type { Source, SourceFile } from "./source.ts";

type Limits = HostingCapability["limits"];

/** Fetches the server's limits, and throws before the upload if the source exceeds one. */
export async function checkLimits(client: ApiClient, source: Source): Promise<void> {
  const limits = await findLimits(client);
  const excess = limits && excessOf(limits, source);
  if (excess) throw new Failure(excess, "Exclude files with .vitrineignore, or ask the operator to raise the limit.");
}

/** Returns a message about the exceeded limit; null if none is known to be exceeded before packing. */
export function excessOf(limits: Limits, source: Source): string | null {
  if (source.kind === "archive") {
    return source.size > limits.archive_bytes ? over(source.file, source.size, limits.archive_bytes, ARCHIVE) : null;
  }
  const { files } = source;
  const large = files.find(({ size }) => size > limits.file_bytes);
  if (large) return over(large.path, large.size, limits.file_bytes, "for a file (max-file-bytes)");
  if (files.length > limits.files) {
    const most = limits.files.toLocaleString("en");
    return `There are ${count(files.length, "file")}, over the server's limit of ${most} (max-files).`;
  }
  const bytes = sum(files);
  if (bytes > limits.site_bytes) {
    return over("The site", bytes, limits.site_bytes, "for a deployment (max-site-bytes)");
  }
  // Packing does not make compressed files smaller.
  const packed = sum(files.filter(({ path }) => hasExtension(path, "compressed")));
  return packed > limits.archive_bytes ? over("The archive", packed, limits.archive_bytes, ARCHIVE) : null;
}

// --- internal ---

const ARCHIVE = "for an archive (max-archive-bytes)";

/** Null if the server is too old to report them. */
async function findLimits(client: ApiClient): Promise<Limits | null> {
  try {
    return (await client.get<HostingCapability>("/capabilities/hosting")).limits;
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 404) return null;
    throw error;
  }
}

function sum(files: readonly SourceFile[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

function over(what: string, size: number, limit: number, ofWhat: string): string {
  const [has, most] = [formatBytes(size), formatBytes(limit)];
  const shown = has === most ? `${size.toLocaleString("en")} bytes` : has;
  return `${what} has ${shown}, over the server's limit of ${most} ${ofWhat}.`;
}
