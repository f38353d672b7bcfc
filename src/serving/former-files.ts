import { MAX_KEY_LENGTH } from "../domain/bounded-memo.ts";
import { ownCopy } from "../domain/own-copy.ts";
import type { StoredFile } from "../domain/ports/store/files.ts";
import { DAY } from "../domain/timestamp.ts";
import type { HostingPorts, Route } from "./ports.ts";
import { TinyLfu } from "./tiny-lfu.ts";

/** Returns the file of this path in the latest deployment of the site that was active until recently; null for none. */
export type FindFormerFile = (route: Route, path: string) => StoredFile | null;

/** For so long the fingerprinted files of a replaced deployment stay reachable: a tab stays open over a weekend. */
const GRACE_MS = 7 * DAY;

/** What it costs in memory to know that a path is none, besides the path. */
const BYTES_PER_MISS = 200;

/**
 * Returns the look-up of former files, which keeps up to `memory` bytes of what was not found. That holds until the
 * site's active deployment changes: another one becomes a former one only then.
 */
export function makeFindFormerFile(
  { store, clock }: Pick<HostingPorts, "store" | "clock">,
  memory: number,
): FindFormerFile {
  const missing = new TinyLfu<true>(memory);

  return ({ siteId, deploymentId, publishedAt }, path) => {
    const key = `${deploymentId} ${publishedAt} ${path}`;
    if (missing.get(key)) return null;
    const file = store.files.findFormer(siteId, path, clock.now() - GRACE_MS);
    if (file === null && key.length <= MAX_KEY_LENGTH) missing.set(ownCopy(key), true, BYTES_PER_MISS + key.length);
    return file;
  };
}
