import { quote } from "../domain/quote.ts";
import { pathOf } from "../domain/request-target.ts";

/** One answered request. Holds no secret: no query, no cookie, no credential, and paths that are one are cut. */
export interface Access {
  readonly at: number;
  readonly address: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly status: number;
  /** Milliseconds until the answer was ready to be sent. */
  readonly duration: number;
  readonly userAgent: string;
}

/** How much of a visitor's address is written down. */
export type LoggedAddresses = "full" | "truncated" | "off";

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

/** Returns the network that an address is in, the last 8 bits of IPv4 and the last 80 of IPv6 cleared. */
export function truncateAddress(address: string): string {
  const dots = address.lastIndexOf(".");
  if (dots !== -1 && !address.includes(":")) return `${address.slice(0, dots)}.0`;
  const [head = ""] = address.split("::");
  const groups = head.split(":").slice(0, 3);
  return address.includes(":") ? `${groups.filter((group) => group !== "").join(":")}::` : address;
}

/** Returns a request's path as it may be written down: without its query, and without the code of a set-up link. */
export function loggedPath(url: string): string {
  const path = pathOf(url);
  return path.replace(/^\/(setup|account)\/.*/s, "/$1/…");
}

// --- internal ---

// Templates instead of JSON.stringify of an object: a line costs less than a microsecond, and there is one per request.
function jsonLine(access: Access, address: string): string {
  const { at, method, host, path, status, duration, userAgent } = access;
  return `{"time":"${time(at)}","level":"info","event":"request","address":"${address}","method":"${method}","host":${quote(host)},"path":${quote(path)},"status":${status},"ms":${duration.toFixed(1)},"agent":${quote(userAgent)}}\n`;
}

function textLine(access: Access, address: string): string {
  const { at, method, host, path, status, duration, userAgent } = access;
  return `${time(at)} ${address} ${method} ${printable(host)} ${printable(path)} ${status} ${duration.toFixed(1)}ms ${quote(userAgent)}\n`;
}

/** A line stays a line, and a terminal unharmed, whatever a client sends. */
function printable(text: string): string {
  return /^[!-~…]+$/.test(text) ? text : quote(text).replaceAll(" ", "%20");
}

let lastSecond = -1;
let lastText = "";

/** Most requests share their second with the one before: only the milliseconds are formatted anew. */
function time(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toISOString().slice(0, 20);
  }
  return `${lastText}${String(at - second * 1000).padStart(3, "0")}Z`;
}
