/** Where the chunks of a stream come from. */
interface ChunkSource {
  /** Resolves with the next chunk; null at the end. It is not called again before it has settled. */
  next(): Promise<Uint8Array | null>;
  /** Releases what `next` uses. Called once if the reader leaves early; `next` may be running. */
  close?(): unknown;
  /** Gets the error that ends the stream early. */
  failed?(error: unknown): void;
}

/**
 * Returns a stream that creates each chunk when its reader is ready to receive it. A reader may leave at any time, also
 * while a chunk is created: that is normal, and what `next` returns or throws afterwards is ignored.
 */
export function pullStream(source: ChunkSource): ReadableStream<Uint8Array> {
  // The controller throws once the reader has left, and says so nowhere before.
  let hasLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await source.next();
          if (hasLeft) return;
          if (chunk === null) controller.close();
          else controller.enqueue(chunk);
        } catch (error) {
          if (hasLeft) return;
          source.failed?.(error);
          controller.error(error);
        }
      },
      async cancel() {
        hasLeft = true;
        await source.close?.();
      },
    },
    { highWaterMark: 0 },
  );
}
