import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { CONNECTION_WORDS } from "../http/exchange.ts";
import { type Query, type Reply, readReply } from "./message.ts";

export interface Resolver {
  readonly address: string;
  readonly port: number;
}

/** There was no reply; the message says why. */
export class NoReply extends Error {}

/** A datagram may be lost: it is repeated once, with this time limit each. */
const UDP_RESEND = 1000;
const UDP_LIMIT = 2500;
const TCP_LIMIT = 2500;

/**
 * Queries over UDP from a random port, and over TCP if the reply was truncated or missing. If TCP fails,
 * a truncated reply is returned as it is. Throws NoReply.
 * The socket is connected, so that the system drops datagrams from others and reports a closed port at once.
 */
export async function exchange(query: Query, resolver: Resolver, signal: AbortSignal): Promise<Reply> {
  const first = await overUdp(query, resolver, signal).catch(noReply);
  if (!(first instanceof NoReply) && !first.truncated) return first;
  const second = await overTcp(query, resolver, signal).catch(noReply);
  if (!(second instanceof NoReply)) return second;
  if (first instanceof NoReply) throw first;
  return first;
}

function noReply(error: unknown): NoReply {
  if (error instanceof NoReply) return error;
  throw error;
}

function overUdp(query: Query, { address, port }: Resolver, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    const end = endOnce(signal, UDP_LIMIT, reject, () => {
      clearTimeout(again);
      socket.close();
    });
    const send = () => {
      if (!end.ended) socket.send(query.bytes, (error) => error && end.fail(`UDP: ${error.message}`));
    };
    const again = setTimeout(send, UDP_RESEND);
    socket.on("error", (error) => end.fail(`UDP: ${reasonOf(error)}`));
    socket.on("message", (bytes) => {
      const reply = readReply(query, bytes);
      if (reply !== null && end.close()) resolve(reply);
    });
    if (!end.ended) socket.connect(port, address, send);
  });
}

function overTcp(query: Query, { address, port }: Resolver, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const end = endOnce(signal, TCP_LIMIT, reject, () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on("connect", () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.bytes.length);
      socket.write(Buffer.concat([length, query.bytes]));
    });
    socket.on("data", (chunk: Buffer) => {
      // At most one message of 64 kB is read.
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const reply = readReply(query, received.subarray(2, 2 + received.readUInt16BE(0)));
      if (reply === null) end.fail("TCP: the reply does not belong to the question");
      else if (end.close()) resolve({ ...reply, truncated: false });
    });
    socket.on("error", (error) => end.fail(`TCP: ${reasonOf(error)}`));
    socket.on("close", () => end.fail("TCP: the connection was closed without a reply"));
  });
}

interface End {
  readonly ended: boolean;
  /** Releases everything; false if that was done before. */
  close(): boolean;
  fail(reason: string): void;
}

/** Ends an exchange once, by its time limit or the caller's signal. */
function endOnce(signal: AbortSignal, limit: number, reject: (error: Error) => void, release: () => void): End {
  let ended = false;
  const end: End = {
    get ended() {
      return ended;
    },
    close() {
      if (ended) return false;
      ended = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      // In a new turn, because a socket must not be closed within its own callback.
      queueMicrotask(release);
      return true;
    },
    fail(reason) {
      if (end.close()) reject(new NoReply(reason));
    },
  };
  const aborted = () => end.fail("the check ran out of time");
  const timer = setTimeout(() => end.fail(`no reply within ${limit / 1000} s`), limit);
  signal.addEventListener("abort", aborted);
  if (signal.aborted) aborted();
  return end;
}

function reasonOf(error: Error & { code?: string }): string {
  const reason = error.code ?? error.message;
  return CONNECTION_WORDS[reason] ?? reason;
}
