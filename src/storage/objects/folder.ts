import { constants, mkdirSync, rmSync, statSync } from "node:fs";
import { access, link, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, isDiskFull, messageOf } from "../../domain/error-message.ts";
import { DomainError } from "../../domain/errors.ts";
import type { ByteSpan } from "../../domain/ports/content.ts";
import type { ObjectStore, StoredObject } from "../../domain/ports/objects.ts";
import type { EnsureSpace } from "../disk/space-guard.ts";
import { Unsynced } from "../disk/sync.ts";

/** Objects are here until they are complete: on the same file system, and not listed. */
const UNFINISHED = "unfinished";

const READ_BYTES = 256 * 1024;

/**
 * Returns the objects in a folder, one file each. `ensureSpace` throws if these further bytes would use up a disk that
 * others need too.
 */
export function folderObjects(root: string, ensureSpace: EnsureSpace = () => {}): ObjectStore {
  const unsynced = new Unsynced(root);
  const pathOf = (name: string) => join(root, name);
  const explained = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw failure(root, error);
    });
  const putInPlace = (partial: string, name: string) =>
    explained(async () => {
      await mkdir(dirname(pathOf(name)), { recursive: true, mode: 0o700 });
      await rename(partial, pathOf(name));
      unsynced.add(pathOf(name));
    });
  const remove = (name: string) =>
    explained(async () => {
      await rm(pathOf(name), { force: true });
      await removeEmpty(dirname(pathOf(name)), root);
    });
  return {
    place: root,
    width: 1,

    async *list(prefix) {
      const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      for await (const object of filesIn(root, folder, explained)) if (object.name.startsWith(prefix)) yield object;
    },

    async read(name, span = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
      const found = await explained(() => stat(pathOf(name)).catch(nothingThere));
      return found?.isFile() ? readSpan(pathOf(name), span, (error) => failure(root, error)) : null;
    },

    async write(name, chunks) {
      const partial = join(root, UNFINISHED, crypto.randomUUID());
      try {
        await writeAll(partial, guarded(chunks, ensureSpace), (error) => failure(root, error));
        await putInPlace(partial, name);
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {});
        throw error;
      }
    },

    async link(name, file) {
      const partial = join(root, UNFINISHED, crypto.randomUUID());
      const isLinked = await canLink(file, partial);
      if (isLinked) await putInPlace(partial, name);
      return isLinked;
    },

    delete: remove,
    // Leftovers of interrupted writes have names of their own. The next `prepare` removes them.
    deleteWithLeftovers: remove,

    sync: () => explained(async () => unsynced.sync()),

    prepare: () => explained(() => prepareFolder(root)),
  };
}

// --- internal ---

async function prepareFolder(root: string): Promise<void> {
  if (!statSync(root, { throwIfNoEntry: false })) mkdirSync(root, { mode: 0o700 });
  await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  rmSync(join(root, UNFINISHED), { recursive: true, force: true });
  mkdirSync(join(root, UNFINISHED), { mode: 0o700 });
}

/** Links a file, and returns false where it cannot be: on another file system, one without links, or after too many links to the file. */
async function canLink(file: string, path: string): Promise<boolean> {
  return link(file, path).then(
    () => true,
    () => false,
  );
}

type Explained = <T>(work: () => Promise<T>) => Promise<T>;

async function* filesIn(root: string, folder: string, explained: Explained): AsyncGenerator<StoredObject> {
  const entries = await explained(() => readdir(join(root, folder), { withFileTypes: true }).catch(noneThere));
  for (const entry of entries) {
    const name = folder + entry.name;
    if (entry.isDirectory() && name !== UNFINISHED) yield* filesIn(root, `${name}/`, explained);
    if (!entry.isFile()) continue;
    const found = await explained(() => stat(join(root, name)).catch(nothingThere));
    if (found) yield { name, size: found.size };
  }
}

async function* readSpan(
  path: string,
  { start, end }: ByteSpan,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(path);
    try {
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(READ_BYTES, end - at)), { position: at });
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw explain(error);
  }
}

async function* guarded(chunks: AsyncIterable<Uint8Array>, ensureSpace: EnsureSpace): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    ensureSpace(chunk.length);
    yield chunk;
  }
}

/** Errors of the chunks are passed on unchanged. */
async function writeAll(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => unknown,
): Promise<void> {
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw explain(error);
    });
  const file = await explained(open(path, "wx", 0o600));
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) at += (await explained(file.write(chunk, at))).bytesWritten;
    }
  } finally {
    await file.close().catch(() => {});
  }
}

/** A folder with foreign files stays. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root) return;
  await rmdir(folder).catch(() => {});
}

function nothingThere(error: unknown): null {
  if (!["ENOENT", "ENOTDIR"].includes(errorCode(error))) throw error;
  return null;
}

function noneThere(error: unknown): [] {
  nothingThere(error);
  return [];
}

/** Explains an error of the file system; other errors are returned unchanged. */
function failure(root: string, error: unknown): unknown {
  if (error instanceof DomainError || errorCode(error) === "") return error;
  const detail = `the folder ${root} cannot be used: ${reasonOf(root, error)}`;
  return new DomainError("unavailable", detail, { cause: error });
}

function reasonOf(root: string, error: unknown): string {
  if (isDiskFull(error)) return "its disk is full";
  switch (errorCode(error)) {
    case "ENOENT":
      return `there is no folder ${dirname(root)}: create it, or mount its disk`;
    case "EACCES":
    case "EPERM":
      return `uid ${process.getuid?.()}, which runs vitrine, may not read and write it`;
    case "EROFS":
      return "it is mounted read-only";
    default:
      return messageOf(error);
  }
}
