import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDigest } from "../../../domain/deployments/digest.ts";
import { errorCode } from "../../../domain/error-message.ts";
import type { Blobs, Encoding } from "../../../domain/ports/blobs.ts";
import { modifiedAt, type Places, SUFFIX } from "./places.ts";

type Trash = Pick<Blobs, "discard" | "discardStray" | "restore" | "restoreMissing" | "discarded" | "purge">;

const ENCODINGS = Object.keys(SUFFIX) as Encoding[];

/** Sets content aside, with its encodings, and brings it back, until it is purged. */
export function openTrash({ path, trash }: Places): Trash {
  const variants = (digest: string) =>
    ENCODINGS.map((encoding) => ({
      live: path(digest, encoding),
      aside: join(trash, `${digest}${SUFFIX[encoding]}`),
    }));

  const discard = (digest: string) => {
    for (const { live, aside } of variants(digest)) move(live, aside);
  };

  const restore = (digest: string) => {
    for (const { live, aside } of variants(digest)) move(aside, live);
  };

  return {
    discard,
    restore,

    discardStray(digest, before) {
      const file = path(digest);
      if (modifiedAt(file) >= before) return false;
      discard(digest);
      // `adopt` touches the file and then looks whether it is still there: one of the two always sees the other.
      if (modifiedAt(join(trash, digest)) < before) return true;
      restore(digest);
      return false;
    },

    restoreMissing(digest) {
      for (const { live, aside } of variants(digest)) if (!existsSync(live)) move(aside, live);
    },

    discarded() {
      return readdirSync(trash).filter(isDigest);
    },

    purge() {
      for (const name of readdirSync(trash)) rmSync(join(trash, name), { force: true });
    },
  };
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
