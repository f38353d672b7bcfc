/** Returns the body of a request or a response as text; null if it has more than `maxBytes`, of which the rest is not read. */
export async function boundedText({ body }: Pick<Response, "body">, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
