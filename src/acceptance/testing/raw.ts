import { connect } from "node:net";

/** Sends bytes over a new socket. Resolves with all received bytes at the end. */
export function rawRequest(
  port: number,
  parts: readonly (string | Uint8Array)[],
  options: { end?: boolean } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part);
      if (options.end) socket.end();
    });
    socket.setTimeout(120_000, () => socket.destroy());
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    // A server that closes while bytes are still arriving resets the connection. The response before it counts.
    socket.on("error", (error) =>
      chunks.length > 0 ? resolve(Buffer.concat(chunks).toString("latin1")) : reject(error),
    );
  });
}
