import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { MAX_QUERY_BYTES } from "./query.ts";

/** What askers may take of the process; RFC 7766 section 6.2.3 leaves it to the server. */
export interface TcpLimits {
  /** Milliseconds after which a connection ends, whatever it does: silent, asking on and on, or reading no answers. */
  readonly lifetime: number;
  readonly connections: number;
  /** Bytes of a message; a longer one ends its connection before it is read. */
  readonly messageBytes: number;
}

/** A CA asks once or twice and goes. */
const LIMITS: TcpLimits = { lifetime: 10_000, connections: 100, messageBytes: MAX_QUERY_BYTES };

export interface TcpServer {
  /** Returns the port that was taken; rejects where the address cannot be had. */
  listen(port: number, address: string): Promise<number>;
  /** Takes no more connections, and ends those that there are. */
  close(): Promise<void>;
}

/**
 * Answers messages over TCP (RFC 1035 section 4.2.2), as many as a connection brings, in their order. dns2's own server
 * holds a connection for as long as its peer does not close it, and takes questions whose answers nobody reads.
 * `answer` returns null for what gets none, and throws for what is no message: that ends the connection. What goes wrong
 * later with the server itself is handed to `report`.
 */
export function tcpServer(
  answer: (message: Buffer) => Buffer | null,
  report: (error: unknown) => void,
  limits: TcpLimits = LIMITS,
): TcpServer {
  const open = new Set<Socket>();
  // An asker that ends its side with the question still gets the answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // The oldest makes room: an honest one has its answer by then, and idle ones keep nobody out.
    for (const oldest of open) if (open.size >= limits.connections && open.delete(oldest)) oldest.destroy();
    open.add(socket);
    const lifetime = setTimeout(() => socket.destroy(), limits.lifetime);
    socket.once("close", () => {
      clearTimeout(lifetime);
      open.delete(socket);
    });
    // Noise from the internet: there is nobody to tell.
    const answers = (chunks: AsyncIterable<Buffer>) => answersTo(chunks, answer, limits.messageBytes);
    pipeline(socket, answers, socket).catch(() => socket.destroy());
  });
  return {
    async listen(port, address) {
      server.listen(port, address);
      await once(server, "listening");
      server.on("error", report);
      return (server.address() as AddressInfo).port;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

// --- internal ---

/** Yields each answer before it reads on, so that no more is read than is taken back. */
async function* answersTo(
  chunks: AsyncIterable<Buffer>,
  answer: (message: Buffer) => Buffer | null,
  messageBytes: number,
) {
  let received = Buffer.alloc(0);
  for await (const chunk of chunks) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2) {
      if (received.readUInt16BE(0) > messageBytes) throw new RangeError("the message is too long");
      if (received.length < 2 + received.readUInt16BE(0)) break;
      const end = 2 + received.readUInt16BE(0);
      const message = answer(received.subarray(2, end));
      received = received.subarray(end);
      if (message !== null) yield Buffer.concat([lengthOf(message), message]);
      // Thousands of questions come in one packet's time; others have their turn in between.
      await setImmediate();
    }
  }
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return length;
}
