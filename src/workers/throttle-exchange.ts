import type { RateExchange } from "../domain/ports/store/rate-exchange.ts";
import type { Clock } from "../domain/ports/system.ts";
import type { Timers } from "../domain/ports/timers.ts";
import { SECOND } from "../domain/timestamp.ts";
import {
  collectTaken,
  type TakenTokens,
  type ThrottleTable,
  type ThrottleTables,
  takeElsewhere,
} from "./throttle-table.ts";

interface ExchangePorts {
  readonly exchange: RateExchange;
  /** Identifies this start of the node. */
  readonly node: string;
  readonly clock: Clock;
  readonly timers: Timers;
}

const INTERVAL_MS = SECOND;

/** Row, owner and count. */
const ENTRY_BYTES = 10;

/**
 * Exchanges with the other nodes each second what was taken of the rates of API calls and visits. Between two exchanges
 * each node gives what it has. While the database is away, each counts alone. Returns a function that stops this.
 */
export function exchangeTaken(tables: ThrottleTables, ports: ExchangePorts): () => void {
  const stopped = new AbortController();
  const limited = Object.entries(tables).filter((entry): entry is [string, ThrottleTable] => entry[1] !== null);
  const stops = limited.map(([name, table]) => ports.exchange.receive(receiver(name, table, ports)));
  for (const [name, table] of limited) void sendTaken(name, table, ports, stopped.signal);
  return () => {
    stopped.abort();
    for (const stop of stops) stop();
  };
}

// --- internal ---

/** `NODE table BASE64`. */
const MESSAGE = /^(\S+) (\S+) (\S+)$/;

async function sendTaken(
  name: string,
  table: ThrottleTable,
  { exchange, node, timers }: ExchangePorts,
  stopped: AbortSignal,
): Promise<void> {
  const head = `${node} ${name} `;
  const limit = Math.floor((((exchange.maxLength - head.length) / 4) * 3 - 2) / ENTRY_BYTES);
  let isSeeded = false;
  while (!stopped.aborted) {
    const tokens = collectTaken(table, limit);
    try {
      if (!isSeeded) table.seed[0] = await exchange.seed();
      else if (tokens.length > 0) await exchange.send(head + encode(tokens));
      isSeeded = true;
    } catch {
      // The database is away, which others report. What was taken meanwhile is not charged later.
    }
    await timers.wait(INTERVAL_MS, stopped);
  }
}

function receiver(name: string, table: ThrottleTable, { node, clock }: ExchangePorts) {
  return (message: string): void => {
    const [, from, of, tokens = ""] = MESSAGE.exec(message) ?? [];
    if (of === name && from !== node) takeElsewhere(table, clock, decode(tokens));
  };
}

function encode(tokens: readonly TakenTokens[]): string {
  const bytes = new DataView(new ArrayBuffer(tokens.length * ENTRY_BYTES));
  for (const [index, { row, owner, count }] of tokens.entries()) {
    bytes.setUint16(index * ENTRY_BYTES, row);
    bytes.setInt32(index * ENTRY_BYTES + 2, owner);
    bytes.setUint32(index * ENTRY_BYTES + 6, count);
  }
  return new Uint8Array(bytes.buffer).toBase64();
}

function decode(text: string): readonly TakenTokens[] {
  const { buffer, byteLength } = Uint8Array.fromBase64(text);
  const bytes = new DataView(buffer);
  return Array.from({ length: Math.floor(byteLength / ENTRY_BYTES) }, (_, index) => ({
    row: bytes.getUint16(index * ENTRY_BYTES),
    owner: bytes.getInt32(index * ENTRY_BYTES + 2),
    count: bytes.getUint32(index * ENTRY_BYTES + 6),
  }));
}
