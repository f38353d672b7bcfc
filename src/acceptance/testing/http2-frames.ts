import { connect } from "node:tls";

// An HTTP/2 client on the level of frames. A client library would read what its window allows and widen the window
// again.

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
  /** The loopback address from which the client connects. */
  readonly localAddress?: string;
}

/** A connection whose streams all send the same request with a window of zero. */
interface OpenStreams {
  /** The responses so far. */
  readonly responses: { served: number; refused: number; bytes: number };
  /** Resolves when every stream has a response. */
  readonly answered: Promise<void>;
  /** Widens the window of each response by this many bytes. */
  widen(bytes: number): void;
  close(): void;
}

/** Opens a connection that sends the same request on many streams and reads nothing of the responses. */
export function openStreams({ port, authority, path, streams, localAddress }: Target): OpenStreams {
  const responses = { served: 0, refused: 0, bytes: 0 };
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const source = localAddress === undefined ? {} : { localAddress };
  const socket = connect({ host: "127.0.0.1", port, ...source, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  socket.on("error", () => {});
  socket.on(
    "data",
    frames((type, payload) => {
      if (type === DATA) responses.bytes += payload.length;
      if (type === HEADERS) responses[payload[0] === STATUS_200 ? "served" : "refused"] += 1;
      if (responses.served + responses.refused === streams) resolve();
    }),
  );
  const ids = Array.from({ length: streams }, (_, index) => 2 * index + 1);
  const requests = ids.map((id) => frame(HEADERS, END_OF_STREAM_AND_HEADERS, id, requestFields(authority, path)));
  const settings = frame(SETTINGS, 0, 0, [0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]);
  socket.write(Buffer.concat([PREFACE, settings, frame(SETTINGS, ACK, 0, []), ...requests]));
  return {
    responses,
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
  // `:method: GET`, `:scheme: https`, then the names of `:path` and `:authority` with literal values.
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

/** Returns a function that takes bytes as they arrive, and calls `onFrame` for every complete frame. */
function frames(onFrame: (type: number, payload: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.length < 9 ? Infinity : 9 + rest.readUIntBE(0, 3);
      if (rest.length < end) return;
      onFrame(rest.readUInt8(3), rest.subarray(9, end));
      rest = rest.subarray(end);
    }
  };
}
