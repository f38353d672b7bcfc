import { Readable } from "node:stream";
import { createTarDecoder } from "modern-tar";
import { messageOf } from "../../domain/error-message.ts";

interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Must be read completely, or not at all, before the next entry is requested. */
  read(): AsyncIterable<Uint8Array>;
}

/** Yields the files of an archive. Throws if it is invalid or truncated. */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  const bytes = Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  for await (const { header, body } of explained(bytes.pipeThrough(createTarDecoder({ strict: true })))) {
    let unread = true;
    yield {
      name: header.name,
      size: header.size,
      read() {
        unread = false;
        return explained(body);
      },
    };
    // Not cancelled, because the decoder may have started the next entry already, which would then never end.
    if (unread) for await (const _ of explained(body));
  }
}

/** Rephrases errors of the decoder. Errors of the stream itself are passed on. */
async function* explained<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (messageOf(error) === "Tar archive is truncated.") throw new Error("it ends early");
    if (/^(Invalid|Tar|TAR) /.test(messageOf(error))) throw new Error("it is no tar archive, or damaged");
    throw error;
  }
}
