import { connect } from "node:tls";

// A client of HTTP/2 made of frames: a client library takes what its window lets in, and opens that again.

const [DATA, HEADERS, SETTINGS, WINDOW_UPDATE] = [0, 1, 4, 8] as const;
const ACK = 1;
const END_OF_STREAM_AND_HEADERS = 5;
const INITIAL_WINDOW_SIZE = 4;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** `:status: 200` in HPACK's static table. */
const STATUS_200 = 0x88;

interface Target {
  readonly port: number;
  readonly authority: string;
  readonly path: string;
  readonly streams: number;
  /** A loopback address that the server takes the client for. */
  readonly localAddress?: string;
}

/** A connection whose streams all ask for the same, with no window at all. */
interface OpenStreams {
  /** What came back by now. */
  readonly answers: { served: number; refused: number; bytes: number };
  /** Resolves when every stream has been answered. */
  readonly answered: Promise<void>;
  /** Lets so many bytes more of each answer in. */
  widen(bytes: number): void;
  close(): void;
}

/** Opens a connection that asks for the same thing on so many streams, and takes nothing of it. */
export function openStreams({ port, authority, path, streams, localAddress }: Target): OpenStreams {
  const answers = { served: 0, refused: 0, bytes: 0 };
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const source = localAddress === undefined ? {} : { localAddress };
  const socket = connect({ host: "127.0.0.1", port, ...source, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  socket.on("error", () => {});
  socket.on(
    "data",
    frames((type, payload) => {
      if (type === DATA) answers.bytes += payload.length;
      if (type === HEADERS) answers[payload[0] === STATUS_200 ? "served" : "refused"] += 1;
      if (answers.served + answers.refused === streams) resolve();
    }),
  );
  const ids = Array.from({ length: streams }, (_, index) => 2 * index + 1);
  const requests = ids.map((id) => frame(HEADERS, END_OF_STREAM_AND_HEADERS, id, requestFields(authority, path)));
  const settings = frame(SETTINGS, 0, 0, [0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]);
  socket.write(Buffer.concat([PREFACE, settings, frame(SETTINGS, ACK, 0, []), ...requests]));
  return {
    answers,
    answered,
    widen(bytes) {
      const size = [...Buffer.from(Uint32Array.of(bytes).buffer).reverse()];
      socket.write(Buffer.concat([0, ...ids].map((id) => frame(WINDOW_UPDATE, 0, id, size))));
    },
    close: () => socket.destroy(),
  };
}

// --- internal ---

function requestFields(authority: string, path: string): readonly number[] {
  // `:method: GET`, `:scheme: https`, then the names of `:path` and `:authority` with values of their own.
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  return [0x82, 0x87, 4, ...text(path), 1, ...text(authority)];
}

function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Returns what takes bytes as they come, and tells of every frame that is complete. */
function frames(tell: (type: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.length < 9 ? Infinity : 9 + rest.readUIntBE(0, 3);
      if (rest.length < end) return;
      tell(rest.readUInt8(3), rest.subarray(9, end));
      rest = rest.subarray(end);
    }
  };
}
