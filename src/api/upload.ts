import { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { watchPace } from "../domain/deployments/upload-pace.ts";
import { DomainError, fieldError } from "../domain/errors.ts";
import type { SpoolFile } from "../domain/ports/spool.ts";
import type { RunningUpload } from "../domain/ports/uploads.ts";
import { connectionOf } from "./connection.ts";
import type { ApiPorts } from "./ports.ts";

/** For boundaries, part headers and small fields around the archive. A larger Content-Length is refused before reading. */
const MULTIPART_OVERHEAD = 64 * 1024;
/** Only one part is needed; forms send few others. */
const MAX_PARTS = 20;

type PacePorts = Pick<ApiPorts, "timers" | "minUploadRate">;
type ReceivePorts = PacePorts & Pick<ApiPorts, "spool" | "uploads" | "limits">;

/**
 * Writes the archive of a request to the spool, passes it to `use`, and discards it. Until then it counts as an upload of
 * its owner. Throws the errors of `use` and `receiveArchive`, and `too_many_requests` or `unavailable` if too many uploads
 * are in progress.
 */
export async function withArchive<T>(
  ports: ReceivePorts,
  request: Request,
  ownerId: number,
  use: (archive: SpoolFile) => Promise<T>,
): Promise<T> {
  const upload = ports.uploads.begin(ownerId);
  try {
    connectionOf(request).allowSlowBody();
    const archive = await receiveArchive(ports, request, upload);
    try {
      return await use(archive);
    } finally {
      await archive.delete();
    }
  } finally {
    upload.end();
  }
}

/**
 * Streams the multipart part `file` of a request to the spool: an upload of any size needs a few chunks of memory. The
 * caller discards the returned file. Throws `validation` if the body is not such a form, `invalid` if it ends early,
 * `request_timeout` if it arrives too slowly, `disk_full`, and `limit_exceeded` at the first byte over the limit.
 */
async function receiveArchive(ports: ReceivePorts, request: Request, upload: RunningUpload): Promise<SpoolFile> {
  const limit = ports.limits.archiveBytes;
  const declared = declaredLength(request);
  if (declared > limit + MULTIPART_OVERHEAD) throw archiveTooLarge(limit);
  const form = parser(request, limit);
  upload.add(declared);
  const file = await ports.spool.create(declared);
  // The declared length was added already.
  const count = declared === 0 ? upload.add : () => {};
  try {
    await readForm(arriving(request.body, ports, count), form, file, limit);
    await file.close();
    return file;
  } catch (error) {
    await file.delete();
    throw error;
  }
}

/**
 * Reads the rest of a refused request, unless it is larger than an upload may be. Many clients lose a response that
 * arrives before they have sent the body: over TLS, curl 7.88 reports a broken pipe, and over HTTP/2 a framing error.
 */
export async function discardBody(request: Request, ports: PacePorts & Pick<ApiPorts, "limits">): Promise<void> {
  const { body } = request;
  let left = ports.limits.archiveBytes + MULTIPART_OVERHEAD;
  if (body === null || body.locked || declaredLength(request) > left) return;
  try {
    for await (const chunk of arriving(body, ports)) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {
    // The client has disconnected or is too slow.
  }
}

function declaredLength(request: Request): number {
  return Number(request.headers.get("content-length") ?? 0);
}

function parser(request: Request, limit: number): BusboyInstance {
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(contentType) || !request.body) throw missingPart();
  if (!/;\s*boundary=("[^"]+"|[^\s";]+)/i.test(contentType)) throw noBoundary();
  try {
    const limits = {
      files: 2,
      fileSize: limit,
      fields: MAX_PARTS,
      fieldSize: 4096,
      parts: MAX_PARTS,
      headerPairs: 32,
    };
    return new Busboy({
      headers: { "content-type": contentType },
      limits,
      // The name decides, because curl and browsers do not always send a file name.
      isPartAFile: (name) => name === "file",
    });
  } catch {
    throw noBoundary();
  }
}

/** From this size on, an upload takes long enough to delay visitors of its thread. */
const LONG_UPLOAD_BYTES = 64 * 1024 * 1024;
/** Read between two pauses of a millisecond: 90 MB per second on a core that reads and writes 130. */
const BETWEEN_BREAKS_BYTES = 128 * 1024;

/**
 * Yields a body as it arrives, and pauses during a long one so that the thread can serve visitors. Calls `count` with the
 * size of each chunk. Throws the errors of `count`, and `request_timeout` if the body arrives too slowly.
 */
async function* arriving(
  body: ReadableStream<Uint8Array> | null,
  { timers, minUploadRate }: PacePorts,
  count: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let refusal: DomainError | null = null;
  const pace = watchPace(timers, minUploadRate, (tooSlow) => {
    refusal = tooSlow;
    // Aborts a read that may wait for a long time.
    reader.cancel().catch(() => {});
  });
  let taken = 0;
  let nextBreak = LONG_UPLOAD_BYTES;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (refusal !== null) throw refusal;
      if (done) return;
      pace.received(value.length);
      count(value.length);
      yield value;
      taken += value.length;
      if (taken < nextBreak) continue;
      nextBreak = taken + BETWEEN_BREAKS_BYTES;
      await Bun.sleep(1);
    }
  } finally {
    pace.stop();
    reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/** Every way in which the form can end settles the promise, and every stream has an error listener. */
function readForm(
  chunks: AsyncGenerator<Uint8Array>,
  form: BusboyInstance,
  file: SpoolFile,
  limit: number,
): Promise<void> {
  const body = Readable.from(chunks, { objectMode: false });
  return new Promise<void>((resolve, reject) => {
    let archive: Promise<void> | null = null;
    const fail = (error: unknown) => {
      reject(error);
      body.unpipe(form);
      body.destroy();
      form.removeAllListeners("finish");
    };

    form.on("file", (name, part, _fileName, _encoding) => {
      part.on("error", fail);
      if (name !== "file") return part.resume();
      if (archive)
        return fail(fieldError(["body", "file"], "Send one part named file, not several", "multipart_invalid"));
      archive = spoolPart(part, file, limit);
      archive.catch(fail);
    });
    form.on("finish", () => {
      if (archive) archive.then(resolve, fail);
      else fail(missingPart());
    });
    form.on("partsLimit", () => archive ?? fail(tooManyParts()));
    form.on("error", () => fail(endedEarly()));
    body.on("error", (error) => fail(error instanceof DomainError ? error : endedEarly()));
    body.pipe(form);
  });
}

async function spoolPart(part: BusboyFileStream, file: SpoolFile, limit: number): Promise<void> {
  part.on("limit", () => part.destroy(archiveTooLarge(limit)));
  for await (const chunk of part) await file.write(chunk);
  if (part.truncated) throw archiveTooLarge(limit);
}

function noBoundary(): DomainError {
  return fieldError(["header", "content-type"], "The multipart boundary is missing", "multipart_invalid");
}

function missingPart(): DomainError {
  return fieldError(
    ["body", "file"],
    "Send a multipart/form-data body with the ZIP archive in a part named file",
    "missing",
  );
}

function tooManyParts(): DomainError {
  return fieldError(["body"], `Send the part named file among the first ${MAX_PARTS}`, "multipart_invalid");
}

function endedEarly(): DomainError {
  return new DomainError("invalid", "archive is invalid: the upload ended before the archive was complete");
}

function archiveTooLarge(limit: number): DomainError {
  return new DomainError(
    "limit_exceeded",
    `a deployment limit was exceeded: the archive is larger than ${limit} bytes`,
  );
}
