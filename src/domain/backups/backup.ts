import { eachInParallel } from "../each-in-parallel.ts";
import { inBatches } from "../in-batches.ts";
import type { BackupTarget } from "../ports/backup.ts";
import type { ContentRows } from "../ports/store/contents.ts";

export interface BackupReport {
  readonly sites: number;
  readonly deployments: number;
  readonly contents: number;
  readonly bytes: number;
  /** The number of those that were copied. The others were intact in an earlier backup. */
  readonly copied: number;
  /** Digests that the store needs and the backup lacks. */
  readonly missing: readonly string[];
  /** Digests whose content is damaged. */
  readonly damaged: readonly string[];
}

/**
 * Backs up to the target while the server runs. Content is immutable, so
 * a snapshot of the store with its contents is consistent. Content deleted after
 * the snapshot and before its copy is not in a later snapshot, so the snapshot is repeated until only content is missing
 * that the store itself lacks. Copies `width` contents at a time. Ends with what `progress` throws.
 */
export async function backup(
  ports: { readonly contents: Pick<ContentRows, "find">; readonly target: BackupTarget; readonly width?: number },
  progress: (contents: number, total: number) => void = () => {},
): Promise<BackupReport> {
  const { contents, target, width = 1 } = ports;
  const there = new Set<string>();
  const damaged: string[] = [];
  let copied = 0;
  for (;;) {
    const snapshot = await target.takeSnapshot();
    const missing: string[] = [];
    let bytes = 0;
    await eachInParallel(snapshot.contents(), width, async (content) => {
      bytes += content.size;
      if (there.has(content.digest)) return;
      const outcome = (await target.has(content)) ? "there" : await target.copy(content);
      if (outcome === "missing") {
        missing.push(content.digest);
        return;
      }
      if (outcome === "damaged") damaged.push(content.digest);
      if (outcome === "copied") copied++;
      there.add(content.digest);
      progress(there.size, snapshot.total);
    });
    if (await hasBeenSwept(contents, missing)) continue;
    await target.complete(snapshot);
    const { sites, deployments } = snapshot;
    return { sites, deployments, contents: there.size + missing.length, bytes, copied, missing, damaged };
  }
}

/** Returns whether the store no longer has one of these contents, so that a later snapshot does not need it. */
async function hasBeenSwept(contents: Pick<ContentRows, "find">, digests: readonly string[]): Promise<boolean> {
  for await (const some of inBatches(digests, LOOKUP_BATCH)) {
    const found = await contents.find(some);
    if (some.some((digest) => found.get(digest)?.condemnedAt !== null)) return true;
  }
  return false;
}

/** Maximum digests per query. */
const LOOKUP_BATCH = 1000;
