import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { MAX_QUERY_BYTES } from "./query.ts";

/** Limits for clients; RFC 7766 section 6.2.3 leaves them to the server. */
export interface TcpLimits {
  /** Milliseconds after which a connection is closed, whatever it does. */
  readonly lifetime: number;
  readonly connections: number;
  /** Bytes of a message; a longer one closes the connection before it is read. */
  readonly messageBytes: number;
}

/** A CA sends one or two queries. */
const LIMITS: TcpLimits = { lifetime: 10_000, connections: 100, messageBytes: MAX_QUERY_BYTES };

export interface TcpServer {
  /** Returns the port; rejects if the address is not available. */
  listen(port: number, address: string): Promise<number>;
  /** Accepts no more connections and closes the open ones. */
  close(): Promise<void>;
}

/**
 * Answers messages over TCP (RFC 1035 section 4.2.2), any number per connection, in order. dns2's own server
 * keeps a connection until its peer closes it, and accepts queries whose answers are not read.
 * `answer` returns null for no answer, and throws for an invalid message, which closes the connection. Later errors
 * of the server itself are passed to `report`.
 */
export function tcpServer(
  answer: (message: Buffer) => Buffer | null,
  report: (error: unknown) => void,
  limits: TcpLimits = LIMITS,
): TcpServer {
  const open = new Set<Socket>();
  // A client that half-closes after the query still gets the answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // The oldest connection is closed: a real client has its answer by then, and idle ones cannot block others.
    for (const oldest of open) if (open.size >= limits.connections && open.delete(oldest)) oldest.destroy();
    open.add(socket);
    const lifetime = setTimeout(() => socket.destroy(), limits.lifetime);
    socket.once("close", () => {
      clearTimeout(lifetime);
      open.delete(socket);
    });
    // Invalid input from the internet is not reported.
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

/** Yields each answer before it reads on, for backpressure. */
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
      // Thousands of queries can arrive at once; yield to the event loop in between.
      await setImmediate();
    }
  }
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return length;
}
