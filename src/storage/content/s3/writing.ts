import { readFile, rm } from "node:fs/promises";
import { DomainError } from "../../../domain/errors.ts";
import type { ContentStore, StagedContent } from "../../../domain/ports/content.ts";
import type { ObjectStore } from "../../../domain/ports/objects.ts";
import type { ContentObjectStore, FilledObject, PlacedContent } from "../../../domain/ports/store/content-objects.ts";
import { chunksOf } from "../../disk/chunks.ts";
import { readChunks } from "../../disk/read-file.ts";
import type { EnsureSpace } from "../../disk/space-guard.ts";
import { requireDigest } from "../require-digest.ts";
import { MAX_PACK_BYTES, MAX_PACKED_BYTES, newObjectName } from "./names.ts";
import { spoolFile } from "./spool-file.ts";

type Writing = Pick<ContentStore, "put" | "stage" | "undo" | "sync">;

/** Concurrent uploads: enough to keep the connection busy, and each holds a pack in memory. */
const MAX_UPLOADS = 3;

interface WritingPorts {
  readonly objects: Pick<ObjectStore, "write">;
  readonly places: Pick<ContentObjectStore, "intend" | "place" | "undo">;
  /** A folder for content whose digest is not known yet. */
  readonly staging: string;
  readonly ensureSpace: EnsureSpace;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Keeps an object that was placed on this machine: its first visitors are mostly those who deployed it. Takes over the
   * file that has it, if it is in one. Never throws.
   */
  readonly keep?: (object: FilledObject, from: AsyncIterable<Uint8Array> | string) => Promise<void>;
}

/**
 * Writes content to objects: small content in packs, and larger content separately. Content is recorded in the metadata
 * when `sync` resolves, and never before its object is stored completely.
 */
export function openWriting(ports: WritingPorts): Writing {
  const writer = crypto.randomUUID();
  const uploads = new Uploads();
  let pack = new Pack();

  /** Uploads an object, and removes its `file`, if it is in one, whether that succeeds or not. */
  const send = (sending: Sending, file?: string) =>
    uploads.start(
      async () => {
        const object = await sendObject(ports, writer, sending);
        await ports.keep?.(object, file ?? sending.chunks());
      },
      async () => {
        if (file !== undefined) await rm(file, { force: true });
      },
    );

  const sendPack = async () => {
    const full = pack;
    pack = new Pack();
    if (full.contents.length > 0) await send(full);
  };

  const put = async (digest: string, bytes: Uint8Array) => {
    requireDigest(digest);
    if (bytes.length > MAX_PACKED_BYTES) {
      return send(oneContent(digest, bytes.length, () => chunksOf([bytes])));
    }
    // Others may have added to the next pack meanwhile.
    while (pack.size + bytes.length > MAX_PACK_BYTES) await sendPack();
    pack.add(digest, bytes);
  };

  /** Puts the content of a file, which is removed whether that succeeds or not. */
  const putFile = async (digest: string, file: string, size: number) => {
    const whole = oneContent(digest, size, () => readChunks(file));
    if (size > MAX_PACKED_BYTES) return send(whole, file);
    await put(digest, await readFile(file).finally(() => rm(file, { force: true })));
  };

  return {
    put,

    stage: () => stageFile(ports, putFile),

    async sync() {
      await sendPack();
      await uploads.end();
    },

    async undo() {
      pack = new Pack();
      await uploads.end().catch(() => {});
      await ports.places.undo(writer);
    },
  };
}

/** An object to send. */
interface Sending {
  readonly contents: readonly PlacedContent[];
  readonly size: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

function oneContent(digest: string, size: number, chunks: Sending["chunks"]): Sending {
  return { contents: [{ digest, size, offset: 0 }], size, chunks };
}

/** Sends one object. It is recorded before its first byte, and its contents after its last. */
async function sendObject(
  { objects, places, now }: WritingPorts,
  writer: string,
  sending: Sending,
): Promise<FilledObject> {
  const name = newObjectName();
  await places.intend(name, now());
  await objects.write(name, sending.chunks());
  const { size, contents } = sending;
  const object = { name, size, contents };
  if (await places.place(object, writer, now())) return object;
  throw new DomainError("unavailable", "storing the files took too long: try again");
}

// --- internal ---

/** Starts content whose digest is not known yet, in a file that `putFile` gets. */
async function stageFile(
  { staging, ensureSpace }: WritingPorts,
  putFile: (digest: string, file: string, size: number) => Promise<void>,
): Promise<StagedContent> {
  const file = await spoolFile(staging, ensureSpace);
  return {
    write: file.write,
    async commit(digest) {
      requireDigest(digest);
      await putFile(digest, file.path, await file.end());
    },
    abort: file.abort,
  };
}

/** Small contents, one after the other. */
class Pack {
  readonly contents: PlacedContent[] = [];
  readonly #digests = new Set<string>();
  readonly #bytes: Uint8Array[] = [];
  size = 0;

  add(digest: string, bytes: Uint8Array): void {
    if (this.#digests.has(digest)) return;
    this.#digests.add(digest);
    this.contents.push({ digest, size: bytes.length, offset: this.size });
    this.#bytes.push(bytes);
    this.size += bytes.length;
  }

  chunks(): AsyncIterable<Uint8Array> {
    return chunksOf(this.#bytes);
  }
}

/** Concurrent uploads. The next call throws the first failure. */
class Uploads {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  /** Starts an upload, and waits until another one may start. Always awaits `cleanUp`, after the upload if it starts. */
  async start(upload: () => Promise<void>, cleanUp: () => Promise<void>): Promise<void> {
    if (this.#failure) await cleanUp();
    this.#throwFailure();
    const running: Promise<void> = upload()
      .finally(cleanUp)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    if (this.#running.size >= MAX_UPLOADS) await Promise.race(this.#running);
    this.#throwFailure();
  }

  /** Resolves once all have ended. Throws the first failure once. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
