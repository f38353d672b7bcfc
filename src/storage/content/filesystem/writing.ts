import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ContentStore, Encoding } from "../../../domain/ports/content.ts";
import type { EnsureSpace } from "../../space-guard.ts";
import { Created } from "./created.ts";
import { adopt, stageFile, writeNew } from "./file.ts";
import { modifiedAt, type Places } from "./places.ts";
import { Unsynced } from "./unsynced.ts";

type Writing = Pick<ContentStore, "stage" | "write" | "undo" | "sync" | "discardUnfinished">;

/** What the smallest file takes. */
const BLOCK_BYTES = 4096;

/** Writes content for which there is space, and remembers what is not durable yet and what can be undone. */
export function openWriting({ root, staging, path }: Places, ensureSpace: EnsureSpace): Writing {
  const unsynced = new Unsynced(root);
  const created = new Created(path, staging);

  const stage = () => {
    const file = stageFile(staging);
    return {
      write(chunk: Uint8Array) {
        ensureSpace(chunk.length);
        file.write(chunk);
      },
      commit(digest: string, encoding: Encoding = "identity") {
        const target = path(digest, encoding);
        const identity = file.moveTo(target);
        // Nobody takes an encoding back.
        if (identity && encoding === "identity") created.add(digest, identity);
        unsynced.add(target);
      },
      abort: file.remove,
    };
  };

  const writeWhole = (digest: string, content: Uint8Array, encoding: Encoding) => {
    const staged = stage();
    try {
      staged.write(content);
      staged.commit(digest, encoding);
    } catch (error) {
      staged.abort();
      throw error;
    }
  };

  const writeDirectly = (digest: string, content: Uint8Array): boolean => {
    const file = path(digest);
    ensureSpace(content.length + BLOCK_BYTES);
    const identity = writeNew(file, content);
    if (identity) created.add(digest, identity);
    else if (!adopt(file, content)) return false;
    unsynced.add(file);
    return true;
  };

  return {
    stage,

    write(digest, content, encoding = "identity") {
      // An encoding is served as soon as its file exists, so it appears whole; content is served once it has a row.
      if (encoding === "identity" && writeDirectly(digest, content)) return;
      writeWhole(digest, content, encoding);
    },

    undo() {
      created.undo();
    },

    async sync() {
      unsynced.sync();
    },

    discardUnfinished(before) {
      discardUnfinished(staging, before);
    },
  };
}

function discardUnfinished(staging: string, before: number): void {
  for (const name of readdirSync(staging)) {
    const file = join(staging, name);
    if (modifiedAt(file) < before) rmSync(file, { force: true });
  }
}
