import { Readable } from "node:stream";
import { createTarDecoder } from "modern-tar";
import { messageOf } from "../../domain/error-message.ts";

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Must be read to its end, or not at all, before the next entry is asked for. */
  read(): AsyncIterable<Uint8Array>;
}

/** Yields the files of an archive. Throws where it is none, or ends early. */
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
    // Not cancelled: the decoder may be at the next entry already, and would leave that without an end.
    if (unread) for await (const _ of explained(body));
  }
}

/** What the decoder finds wrong is told in our words; a failure of the stream itself as it is. */
async function* explained<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (messageOf(error) === "Tar archive is truncated.") throw new Error("it ends early");
    if (/^(Invalid|Tar|TAR) /.test(messageOf(error))) throw new Error("it is no tar archive, or damaged");
    throw error;
  }
}
