import type { BackupTarget } from "../ports/backup.ts";
import type { ContentRows } from "../ports/store/contents.ts";

export interface BackupReport {
  readonly sites: number;
  readonly deployments: number;
  readonly contents: number;
  readonly bytes: number;
  /** Of those, how many had to be copied: the others were there, and whole, from an earlier backup. */
  readonly copied: number;
  /** Digests that the store relies on and that are not in the backup. */
  readonly missing: readonly string[];
  /** Digests whose content is not what it should be. */
  readonly damaged: readonly string[];
}

/**
 * Copies everything to the target while the server goes on working, and completes it. Content is never changed, so
 * a snapshot of the store and the contents that it names are the state of one moment. Content that was deleted between
 * the snapshot and its turn to be copied is not in a later snapshot: another one is taken until nothing is missing but
 * what the store itself misses.
 */
export async function backup(
  ports: { readonly contents: Pick<ContentRows, "find">; readonly target: BackupTarget },
  progress: (contents: number) => void = () => {},
): Promise<BackupReport> {
  const { contents, target } = ports;
  const there = new Set<string>();
  const damaged: string[] = [];
  let copied = 0;
  for (;;) {
    const snapshot = await target.takeSnapshot();
    const missing: string[] = [];
    let bytes = 0;
    for (const content of snapshot.contents()) {
      bytes += content.size;
      if (there.has(content.digest)) continue;
      const outcome = (await target.has(content)) ? "there" : await target.copy(content);
      if (outcome === "missing") {
        missing.push(content.digest);
        continue;
      }
      if (outcome === "damaged") damaged.push(content.digest);
      if (outcome === "copied") copied++;
      there.add(content.digest);
      progress(there.size);
    }
    if (await hasBeenSwept(contents, missing)) continue;
    await target.complete(snapshot);
    const { sites, deployments } = snapshot;
    return { sites, deployments, contents: there.size + missing.length, bytes, copied, missing, damaged };
  }
}

/** Whether the store keeps one of these contents no longer: a later snapshot does without it. */
async function hasBeenSwept(contents: Pick<ContentRows, "find">, digests: readonly string[]): Promise<boolean> {
  for (let at = 0; at < digests.length; at += LOOKUP_BATCH) {
    const some = digests.slice(at, at + LOOKUP_BATCH);
    const found = await contents.find(some);
    if (some.some((digest) => found.get(digest)?.condemnedAt !== null)) return true;
  }
  return false;
}

/** The store takes so many digests at once. */
const LOOKUP_BATCH = 1000;
