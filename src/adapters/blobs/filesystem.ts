import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Blobs, Encoding } from "../../domain/ports/blobs.ts";
import { diskFull, fileFailure } from "../disk-error.ts";
import { errorCode } from "../failure.ts";
import { Created } from "./created.ts";
import { adopt, stageFile, writeNew } from "./file.ts";
import { hashFile } from "./hash-file.ts";
import { readFromPageCache } from "./page-cache.ts";
import { syncPath, Unsynced } from "./unsynced.ts";

const SUFFIX: Readonly<Record<Encoding, string>> = { identity: "", zstd: ".zst", br: ".br", gzip: ".gz" };
const ENCODINGS = Object.keys(SUFFIX) as Encoding[];

/** Free space that content never takes, so that the database can still be written and sites be deleted. */
const RESERVE_BYTES = 200 * 1024 * 1024;
const RESERVE_SHARE = 0.05;

/** Free space is looked at again after so many bytes. */
const SPACE_CHECK_BYTES = 1024 * 1024;

/** What the smallest file takes. */
const BLOCK_BYTES = 4096;

/**
 * Opens the content store in a folder, and makes it where it is missing:
 * `ab/<digest>` holds content, `ab/<digest>.zst`, `.br` and `.gz` its encodings, `staging/` what is being written,
 * `trash/` what is set aside. Every thread opens its own.
 */
export function openFilesystemBlobs(root: string): Blobs {
  makeFolders(root);
  const trash = join(root, "trash");
  const staging = join(root, "staging");
  const unsynced = new Unsynced(root);
  const ensureSpace = spaceGuard(root);

  const path = (digest: string, encoding: Encoding = "identity") =>
    `${root}/${digest.slice(0, 2)}/${digest}${SUFFIX[encoding]}`;
  const created = new Created(path, staging);
  const variants = (digest: string) =>
    ENCODINGS.map((encoding) => ({
      live: path(digest, encoding),
      aside: join(trash, `${digest}${SUFFIX[encoding]}`),
    }));

  const stage = () => {
    const file = inDomainTerms(() => stageFile(staging));
    return {
      write: (chunk: Uint8Array) =>
        inDomainTerms(() => {
          ensureSpace(chunk.length);
          file.write(chunk);
        }),
      commit(digest: string, encoding: Encoding = "identity") {
        const target = path(digest, encoding);
        const identity = inDomainTerms(() => file.moveTo(target));
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

  return {
    path,
    stage,

    async read(digest, encoding) {
      return Bun.file(path(digest, encoding)).bytes().catch(refuse);
    },

    readNow: (digest, encoding, size) => readFromPageCache(path(digest, encoding), size),

    write(digest, content, encoding = "identity") {
      // An encoding is served as soon as its file exists, so it appears whole; content is served once it has a row.
      if (encoding !== "identity") return writeWhole(digest, content, encoding);
      const file = path(digest);
      const done = inDomainTerms(() => {
        ensureSpace(content.length + BLOCK_BYTES);
        const identity = writeNew(file, content);
        if (identity) created.add(digest, identity);
        return identity !== null || adopt(file, content);
      });
      if (done) unsynced.add(file);
      else writeWhole(digest, content, encoding);
    },

    undo() {
      created.undo();
    },

    async sync() {
      inDomainTerms(() => unsynced.sync());
    },

    discard(digest) {
      for (const { live, aside } of variants(digest)) move(live, aside);
    },

    discardStray(digest, before) {
      const file = path(digest);
      if (modifiedAt(file) >= before) return false;
      this.discard(digest);
      // `adopt` touches the file and then looks whether it is still there: one of the two always sees the other.
      if (modifiedAt(join(trash, digest)) < before) return true;
      this.restore(digest);
      return false;
    },

    restore(digest) {
      for (const { live, aside } of variants(digest)) move(aside, live);
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

    discardUnfinished(before) {
      for (const name of readdirSync(staging)) {
        const file = join(staging, name);
        if (modifiedAt(file) < before) rmSync(file, { force: true });
      }
    },

    hash: (digest) => hashFile(path(digest)),

    async *list() {
      for (const folder of fanOut()) {
        for (const [digest, name] of filesIn(join(root, folder))) {
          const info = statSync(join(root, folder, name), { throwIfNoEntry: false });
          if (info) yield { digest, modifiedAt: info.mtimeMs, size: info.size };
        }
      }
    },
  };
}

/** Returns one file for each digest: the content, or where it is gone one of its encodings. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const [digest, suffix] = [name.slice(0, 64), name.slice(64)];
    if (!isDigest(digest) || !Object.values(SUFFIX).includes(suffix)) continue;
    if (suffix === SUFFIX.identity || !files.has(digest)) files.set(digest, name);
  }
  return files;
}

function* fanOut(): Iterable<string> {
  for (let byte = 0; byte < 256; byte++) yield byte.toString(16).padStart(2, "0");
}

/** All folders are made once, so that nobody has to think of making (and syncing) one while content is written. */
function makeFolders(root: string): void {
  if (existsSync(join(root, "trash"))) return;
  for (const folder of [...fanOut(), "staging", "trash"]) {
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  }
  syncPath(root);
  syncPath(dirname(root));
}

/** Returns a check that throws `disk_full` when so many further bytes would eat into the reserve. */
function spaceGuard(root: string): (bytes: number) => void {
  let sinceCheck = Number.POSITIVE_INFINITY;
  return (bytes) => {
    sinceCheck += bytes;
    if (sinceCheck < SPACE_CHECK_BYTES) return;
    const { bavail, blocks, bsize } = statfsSync(root);
    if (bavail * bsize - bytes < Math.min(RESERVE_BYTES, RESERVE_SHARE * blocks * bsize)) throw diskFull();
    sinceCheck = 0;
  };
}

function isDigest(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

function inDomainTerms<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  throw fileFailure(error, "the content store");
}
