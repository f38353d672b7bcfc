import { join } from "node:path";
import { diskFull } from "../../../domain/disk-error.ts";
import { isDiskFull } from "../../../domain/error-message.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { Copied } from "../../../domain/ports/backup.ts";
import type { PlacedTarget } from "../../../domain/ports/backup-place.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import { hashing } from "../../disk/chunks.ts";
import { diskSpace } from "../../disk/disk-space.ts";
import { readChunks } from "../../disk/read-file.ts";
import { DESCRIPTION, SETTINGS, STORE } from "../../folder/layout.ts";
import { sealCopy } from "../../sqlite/snapshot.ts";
import { formatDescription } from "../backup/description.ts";
import type { BackupFiles } from "../backup/files.ts";
import { readableParts } from "../backup/readable-parts.ts";
import { makeWorkFolder } from "../backup/work-folder.ts";
import { CONTENTS, fileName, partName } from "./names.ts";
import { lineOf } from "./objects.ts";
import type { BackupSource } from "./source.ts";

/**
 * Returns the target of a backup with this id. `known` are the sizes of content that exists at the destination. The
 * copy of the database is made in `scratch`, a local folder.
 */
export function placedTarget(
  objects: ObjectStore,
  { database, content, settings, origin }: BackupFiles,
  {
    id,
    scratch,
    known,
    fileOf,
  }: Pick<BackupSource, "scratch" | "fileOf"> & { readonly id: string; readonly known: Map<string, number> },
): PlacedTarget {
  const work = makeWorkFolder(scratch);
  let added = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      added += chunk.length;
      yield chunk;
    }
  };
  const write = (name: string, chunks: AsyncIterable<Uint8Array>) => objects.write(name, counted(chunks));
  return {
    added: () => added,

    async takeSnapshot() {
      requireRoom(scratch, await database.size());
      try {
        return await database.takeSnapshot(join(work.path, STORE));
      } catch (error) {
        throw isDiskFull(error) ? diskFull() : error;
      }
    },

    has: async ({ digest, size }) => known.get(digest) === size,

    async copy({ digest, size }) {
      const outcome = await copyContent(objects, { content, fileOf }, digest, counted);
      if (outcome === "copied") known.set(digest, size);
      return outcome;
    },

    async complete(snapshot) {
      const digest = await sealCopy(snapshot.file);
      // The list has no content that the data folder lacks.
      const contents = function* () {
        for (const entry of snapshot.contents()) if (known.get(entry.digest) === entry.size) yield lineOf(entry);
      };
      // An earlier attempt may have failed after its last step. Its parts are replaced one by one, so it is no longer
      // complete.
      await objects.delete(partName(id, DESCRIPTION));
      await write(partName(id, CONTENTS), inBlocks(contents()));
      if (settings !== null) await write(partName(id, SETTINGS), inBlocks([settings]));
      await write(partName(id, STORE), readChunks(snapshot.file));
      await objects.sync();
      const description = { format: 1, ...origin, database_sha256: [digest], added_bytes: added } as const;
      await write(partName(id, DESCRIPTION), inBlocks([formatDescription(description)]));
      await objects.sync();
      work.remove();
    },

    async abandon() {
      work.remove();
    },
  };
}

/** Copies content, which gets its name only if its bytes match the digest. */
export async function copyContent(
  objects: ObjectStore,
  { content, fileOf }: Pick<BackupSource, "content" | "fileOf">,
  digest: string,
  through: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (chunks) => chunks,
): Promise<Copied> {
  if ((await content.stat(digest)) === null) return "missing";
  const chunks = () => checked(readableParts(content, digest), digest);
  try {
    if (fileOf && objects.link) {
      for await (const _ of chunks());
      if (await objects.link(fileName(digest), fileOf(digest))) return "copied";
    }
    await objects.write(fileName(digest), through(chunks()));
    return "copied";
  } catch (error) {
    if (error instanceof DamagedContent) return "damaged";
    throw error;
  }
}

// --- internal ---

class DamagedContent extends Error {}

/** The copy of the database must leave the server its reserve of the disk. */
function requireRoom(scratch: string, bytes: number): void {
  const { free, reserve } = diskSpace(scratch);
  if (free - bytes >= reserve) return;
  throw new DomainError(
    "disk_full",
    "the disk of the data folder has no room for a copy of the database: free some space",
  );
}

async function* checked(chunks: AsyncIterable<Uint8Array>, digest: string): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher("sha256");
  yield* hashing(chunks, hasher);
  if (hasher.digest("hex") !== digest) throw new DamagedContent();
}

const BLOCK_CHARACTERS = 256 * 1024;

/** Joins short texts to blocks that are large enough for a write. */
async function* inBlocks(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let block = "";
  for (const piece of pieces) {
    if (typeof piece !== "string") yield piece;
    else block += piece;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield encoder.encode(block);
    block = "";
  }
  if (block !== "") yield encoder.encode(block);
}
