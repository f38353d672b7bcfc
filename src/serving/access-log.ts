import { write } from "node:fs";
import type { Server } from "bun";
import { BoundedMemo } from "../domain/bounded-memo.ts";
import type { Clock } from "../domain/ports/system.ts";
import { quote } from "../domain/quote.ts";
import { pathOf } from "../domain/request-target.ts";
import { type ProxyTrust, peerOf } from "./connection.ts";

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>;

/** Called for each request when its response is ready; `duration` is in milliseconds. Must not throw. */
export interface Observer {
  /** True if it needs the peer's address, which takes longer than everything else here; otherwise that is empty. */
  readonly readsPeer: boolean;
  observe(request: Request, peer: string, status: number, duration: number): void;
}

/** Returns the handler with observers; without any, the handler itself. */
export function observed(fetch: Fetch, observers: readonly Observer[]): Fetch {
  if (observers.length === 0) return fetch;
  const readsPeer = observers.some((observer) => observer.readsPeer);
  const observe = (request: Request, peer: string, status: number, started: number) => {
    const duration = performance.now() - started;
    for (const observer of observers) observer.observe(request, peer, status, duration);
  };
  return (request, server) => {
    const started = performance.now();
    // Read now, because it is unknown once the client has disconnected.
    const peer = readsPeer ? peerOf(request, server) : "";
    const early = fetch(request, server);
    if (!(early instanceof Promise)) {
      observe(request, peer, early.status, started);
      return early;
    }
    return early.then(
      (response) => {
        observe(request, peer, response.status, started);
        return response;
      },
      (error) => {
        // The listener responds with 500.
        observe(request, peer, 500, started);
        throw error;
      },
    );
  };
}

/** Returns the observer that logs each request. Without `readsPeer`, the addresses in the log are empty. */
export function logRequests(
  write: (access: Access) => void,
  { trust, clock, readsPeer }: { trust: ProxyTrust; clock: Clock; readsPeer: boolean },
): Observer {
  const observe: Observer["observe"] = (request, peer, status, duration) => {
    const { headers } = request;
    write({
      at: clock.now(),
      address: trust.clientAddress(peer, headers.get("x-forwarded-for")),
      method: request.method,
      host: headers.get("host") ?? "-",
      path: loggedPath(request.url),
      status,
      duration,
      userAgent: headers.get("user-agent") ?? "-",
    });
  };
  return { readsPeer, observe };
}

/** A request with its response. Contains no secret: no query, no cookie, no credential, and no path with a code. */
export interface Access {
  readonly at: number;
  readonly address: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly status: number;
  /** Milliseconds until the response was ready to be sent. */
  readonly duration: number;
  readonly userAgent: string;
}

/** The part of a visitor's address that is logged. */
type LoggedAddresses = "full" | "truncated" | "off";

/** Returns the function that writes one line for each request. */
export function accessLog(
  format: "text" | "json",
  addresses: LoggedAddresses,
  write: (line: string) => void,
): (access: Access) => void {
  const lineOf = format === "json" ? jsonLine : textLine;
  const shown = { full: (address: string) => address, truncated: truncateAddress, off: () => "-" }[addresses];
  return (access) => write(lineOf(access, shown(access.address)));
}

/** Returns the network of an address, with the last 8 bits of IPv4 and the last 80 of IPv6 cleared. */
export function truncateAddress(address: string): string {
  const dots = address.lastIndexOf(".");
  if (dots !== -1 && !address.includes(":")) return `${address.slice(0, dots)}.0`;
  const [head = ""] = address.split("::");
  const groups = head.split(":").slice(0, 3);
  return address.includes(":") ? `${groups.filter((group) => group !== "").join(":")}::` : address;
}

/** Returns a request's path for the log, without its query and without the code of a link. */
export function loggedPath(url: string): string {
  const path = pathOf(url);
  if (path.startsWith("/setup/")) return "/setup/…";
  return path.startsWith("/account/") ? "/account/…" : path;
}

/** Lines are written at most this much later. */
const MAX_DELAY_MS = 1000;

/** This many characters are written without waiting for more. */
const BATCH_LENGTH = 64 * 1024;

/** A reader of the log that does not keep up costs each thread this much memory; further lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024;

interface LineWriter {
  /** Queues a line, which includes its line break. Never waits and never throws. */
  write(line: string): void;
  /** Writes all queued lines, and ignores further ones. */
  close(): Promise<void>;
}

/** Calls `run` once after the delay, unless the returned function is called before. */
type Schedule = (run: () => void, delay: number) => () => void;

/**
 * Returns a writer to a file descriptor that writes lines in batches, so that a request costs no system call. One write
 * runs at a time. If the reader is too slow, lines are dropped and counted, and no request waits.
 */
export function lineWriter(fd: number, schedule: Schedule = later): LineWriter {
  let waiting = "";
  let dropped = 0;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;

  const take = (): Buffer => {
    cancel?.();
    cancel = null;
    if (dropped > 0)
      waiting += `${new Date().toISOString()} warn  ${dropped} lines were dropped: the log is read too slowly\n`;
    const batch = Buffer.from(waiting);
    waiting = "";
    dropped = 0;
    return batch;
  };
  const flush = () => {
    running ??= writeAll(fd, take()).finally(() => {
      running = null;
      if (waiting.length > 0) cancel ??= schedule(flush, MAX_DELAY_MS);
    });
  };

  return {
    write(line) {
      if (waiting.length > MAX_WAITING) {
        dropped++;
        return;
      }
      waiting += line;
      if (running !== null) return;
      if (waiting.length >= BATCH_LENGTH) flush();
      else cancel ??= schedule(flush, MAX_DELAY_MS);
    },
    async close() {
      await running;
      await writeAll(fd, take());
    },
  };
}

// --- internal ---

function later(run: () => void, delay: number): () => void {
  const timer = setTimeout(run, delay).unref();
  return () => clearTimeout(timer);
}

const FULL_PIPE_PAUSE_MS = 10;

/** Resolves when everything is written, or cannot be written. A failing log stops nothing. */
function writeAll(fd: number, batch: Buffer): Promise<void> {
  return new Promise((done) => {
    const writeFrom = (start: number) => {
      write(fd, batch, start, (error, written) => {
        // A non-blocking pipe is full until its reader reads.
        if (error?.code === "EAGAIN") setTimeout(writeFrom, FULL_PIPE_PAUSE_MS, start);
        else if (error || start + written >= batch.length) done();
        else writeFrom(start + written);
      });
    };
    writeFrom(0);
  });
}

// Templates instead of JSON.stringify of an object, because there is a line per request, and this takes less than a
// microsecond.
function jsonLine(access: Access, address: string): string {
  const { at, method, host, path, status, duration, userAgent } = access;
  return `{"time":"${time(at)}","level":"info","event":"request","address":"${address}","method":"${method}","host":${quotedHosts.get(host, quote)},"path":${quote(path)},"status":${status},"ms":${tenths(duration)},"agent":${agents.get(userAgent, quote)}}\n`;
}

function textLine(access: Access, address: string): string {
  const { at, method, host, path, status, duration, userAgent } = access;
  return `${time(at)} ${address} ${method} ${hosts.get(host, printable)} ${printable(path)} ${status} ${tenths(duration)}ms ${agents.get(userAgent, quote)}\n`;
}

/** Most requests are for one of a few hosts, and come from one of a few browsers. */
const hosts = new BoundedMemo<string, string>(1000);
const quotedHosts = new BoundedMemo<string, string>(1000);
const agents = new BoundedMemo<string, string>(1000);

/** Like `toFixed(1)`, which takes three times as long. The value is not negative. */
function tenths(value: number): string {
  const count = Math.round(value * 10);
  const whole = Math.floor(count / 10);
  return `${whole}.${count - whole * 10}`;
}

/** Keeps a line on one line and free of terminal control characters, whatever a client sends. */
function printable(text: string): string {
  return /^[!-~…]+$/.test(text) ? text : quote(text).replaceAll(" ", "%20");
}

let lastSecond = -1;
let lastText = "";

/** Most requests share their second with the one before: only the milliseconds are formatted again. */
function time(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toISOString().slice(0, 20);
  }
  return `${lastText}${String(at - second * 1000).padStart(3, "0")}Z`;
}
