import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ContentStore } from "../../../domain/ports/content.ts";
import type { EnsureSpace } from "../../disk/space-guard.ts";
import { Unsynced } from "../../disk/sync.ts";
import { adopt, Created, stageFile, writeNew } from "./file.ts";
import { ContentFolders, modifiedAt, type Places } from "./places.ts";

type Writing = Pick<ContentStore, "stage" | "put" | "undo" | "sync" | "deleteUnfinished">;

/** The disk space of the smallest file. */
const BLOCK_BYTES = 4096;

/**
 * Writes content if there is space, and remembers what is not durable yet and what can be undone. It uses synchronous
 * system calls, which are cheapest for thousands of small files, on a thread that serves no requests.
 */
export function openWriting({ root, staging, path }: Places, ensureSpace: EnsureSpace): Writing {
  const folders = new ContentFolders(root);
  const unsynced = new Unsynced(root);
  const created = new Created(path, staging);

  const stage = () => {
    const file = stageFile(staging);
    return {
      async write(chunk: Uint8Array) {
        ensureSpace(chunk.length);
        file.write(chunk);
      },
      async commit(digest: string) {
        const target = path(digest);
        folders.make(target);
        const identity = file.moveTo(target);
        if (identity) created.add(digest, identity);
        unsynced.add(target);
      },
      abort: async () => file.remove(),
    };
  };

  const putWhole = async (digest: string, bytes: Uint8Array) => {
    const staged = stage();
    try {
      await staged.write(bytes);
      await staged.commit(digest);
    } catch (error) {
      await staged.abort();
      throw error;
    }
  };

  const putDirectly = (digest: string, bytes: Uint8Array): boolean => {
    const file = path(digest);
    ensureSpace(bytes.length + BLOCK_BYTES);
    folders.make(file);
    const identity = writeNew(file, bytes);
    if (identity) created.add(digest, identity);
    else if (!adopt(file, bytes)) return false;
    unsynced.add(file);
    return true;
  };

  return {
    stage: async () => stage(),

    async put(digest, bytes) {
      if (!putDirectly(digest, bytes)) await putWhole(digest, bytes);
    },

    undo: async () => created.undo(),

    async sync() {
      unsynced.sync();
      folders.sync();
    },

    deleteUnfinished: async (before) => deleteUnfinished(staging, before),
  };
}

function deleteUnfinished(staging: string, before: number): void {
  for (const name of readdirSync(staging)) {
    const file = join(staging, name);
    if (modifiedAt(file) < before) rmSync(file, { force: true });
  }
}
