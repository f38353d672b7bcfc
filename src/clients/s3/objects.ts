import type { S3Destination } from "../../domain/backups/destination.ts";
import { DomainError } from "../../domain/errors.ts";
import type { ByteSpan } from "../../domain/ports/content.ts";
import type { ObjectStore, StoredObject } from "../../domain/ports/objects.ts";
import { codeOf, refusal } from "./failure.ts";
import type { S3Keys } from "./location.ts";
import { type S3Options, type S3Send, s3Sender } from "./send.ts";
import { elements, escaped, textOf } from "./xml.ts";

/** Objects up to this size are one request; larger ones are read and written in parts of this size. */
const PART_BYTES = 8 * 1024 * 1024;
/** S3's maximum number of parts of an object. */
const MAX_PARTS = 10_000;

/** Concurrent requests. Each mostly waits for the server, and holds one part in memory. */
const WIDTH = 8;

interface S3ObjectOptions extends S3Options {
  /** Smaller in tests only, where S3 allows 5 MiB and more. */
  readonly partBytes?: number;
  /** Objects on a page of a list; smaller in tests only. */
  readonly pageSize?: number;
}

/** S3's maximum. */
const PAGE_SIZE = 1000;

/** Returns the objects of a bucket, or of the part of it below a prefix. Nothing is requested before the first call. */
export function s3Objects(destination: S3Destination, keys: S3Keys, options: S3ObjectOptions = {}): ObjectStore {
  const { partBytes = PART_BYTES, pageSize = PAGE_SIZE } = options;
  const { prefix, bucket } = destination;
  const send = s3Sender(destination, keys, options);
  const keyOf = (name: string) => prefix + name;
  return {
    place: destination.url,
    width: WIDTH,

    async *list(begins) {
      for await (const { name, size } of listObjects(send, keyOf(begins), pageSize))
        yield { name: name.slice(prefix.length), size };
    },

    async read(name, { start, end } = { start: 0, end: Number.MAX_SAFE_INTEGER }) {
      const spanAt = (at: number) => ({ start: at, end: Math.min(at + partBytes, end) });
      const first = start >= end ? new Uint8Array() : await readPart(send, keyOf(name), spanAt(start));
      if (first === null) return null;
      return yieldParts(first, { start, partBytes }, async (at) => {
        if (at >= end) return new Uint8Array();
        const part = await readPart(send, keyOf(name), spanAt(at));
        if (part === null) throw new DomainError("unavailable", `${bucket}/${keyOf(name)} was deleted meanwhile`);
        return part;
      });
    },

    async write(name, chunks) {
      const reader = partReader(chunks, partBytes);
      const first = await reader.next();
      if (first.length < partBytes) {
        await send({ method: "PUT", key: keyOf(name), body: first });
      } else {
        await writeInParts(send, destination, keyOf(name), first, reader);
      }
    },

    async delete(name) {
      await send({ method: "DELETE", key: keyOf(name) });
    },

    async deleteWithLeftovers(name) {
      await abortUploads(send, keyOf(name));
      await send({ method: "DELETE", key: keyOf(name) });
    },

    // Everything that S3 has confirmed is durable.
    async sync() {},

    async prepare() {
      await abortUploads(send, prefix);
    },
  };
}

// --- internal ---

/** Returns null where there is no object. */
async function readPart(send: S3Send, key: string, { start, end }: ByteSpan): Promise<Uint8Array | null> {
  const headers = { Range: `bytes=${start}-${end - 1}` };
  const response = await send({ method: "GET", key, headers, expectedBytes: end - start });
  if (response.status === 404) return null;
  // A range that starts at the end, such as any range of an empty object.
  return response.status === 416 ? new Uint8Array() : response.body;
}

async function* yieldParts(
  first: Uint8Array,
  { start, partBytes }: { readonly start: number; readonly partBytes: number },
  next: (at: number) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let at = start, part = first; part.length > 0; ) {
    yield part;
    at += part.length;
    // A short part is the last one.
    if (part.length < partBytes) return;
    part = await next(at);
  }
}

async function* listObjects(send: S3Send, prefix: string, pageSize = PAGE_SIZE): AsyncGenerator<StoredObject> {
  const page = { "list-type": "2", prefix, "max-keys": String(pageSize) };
  for (let token: string | null = null; ; ) {
    const query = { ...page, ...(token === null ? {} : { "continuation-token": token }) };
    const xml = new TextDecoder().decode((await send({ method: "GET", key: "", query })).body);
    for (const entry of elements(xml, "Contents")) {
      yield { name: textOf(entry, "Key") ?? "", size: Number(textOf(entry, "Size")) };
    }
    token = textOf(xml, "NextContinuationToken");
    if (token === null) return;
  }
}

/** Splits chunks of any length into parts of one length; the last one is shorter, or empty. */
function partReader(chunks: AsyncIterable<Uint8Array>, partBytes: number) {
  const source = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();
  return {
    async next(): Promise<Uint8Array<ArrayBuffer>> {
      const pieces = [held];
      let length = held.length;
      while (length < partBytes) {
        const { value, done } = await source.next();
        if (done) break;
        pieces.push(value);
        length += value.length;
      }
      const whole = Buffer.concat(pieces);
      held = whole.subarray(partBytes);
      return whole.subarray(0, partBytes);
    },
  };
}

type PartReader = ReturnType<typeof partReader>;

/** Nothing is stored unless every part was uploaded and the chunks ended without an error. */
async function writeInParts(
  send: S3Send,
  destination: S3Destination,
  key: string,
  first: Uint8Array<ArrayBuffer>,
  reader: PartReader,
): Promise<void> {
  const begun = await send({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textOf(new TextDecoder().decode(begun.body), "UploadId");
  if (uploadId === null) throw refusal(destination, begun);
  try {
    const tags: string[] = [];
    for (let part = first; part.length > 0 || tags.length === 0; part = await reader.next()) {
      if (tags.length === MAX_PARTS) throw new DomainError("unavailable", `${key} exceeds the S3 object size limit`);
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await send({ method: "PUT", key, query, body: part });
      tags.push(headers.get("etag") ?? "");
    }
    await completeUpload(send, destination, key, uploadId, tags);
  } catch (error) {
    await send({ method: "DELETE", key, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

/** A completion may fail in the body of a response with 200. */
async function completeUpload(
  send: S3Send,
  destination: S3Destination,
  key: string,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
  const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const response = await send({ method: "POST", key, query: { uploadId }, body });
  // The response to an earlier attempt may have been lost.
  if (codeOf(response) === "NoSuchUpload" && (await exists(send, key))) return;
  if (response.status !== 200 || codeOf(response) !== "") throw refusal(destination, response);
}

async function exists(send: S3Send, key: string): Promise<boolean> {
  for await (const { name } of listObjects(send, key)) return name === key;
  return false;
}

/** Parts of an upload that is never completed are charged for, and no list of objects shows them. */
async function abortUploads(send: S3Send, prefix: string): Promise<void> {
  const { body } = await send({ method: "GET", key: "", query: { uploads: "", prefix } });
  for (const upload of elements(new TextDecoder().decode(body), "Upload")) {
    const [key, uploadId] = [textOf(upload, "Key"), textOf(upload, "UploadId")];
    if (key !== null && uploadId !== null) await send({ method: "DELETE", key, query: { uploadId } });
  }
}
