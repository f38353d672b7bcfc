import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { type BackupDestination, parseS3Url, S3_SCHEME, type S3Destination } from "../../domain/backups/destination.ts";
import { formatBytes } from "../../domain/byte-size.ts";
import type { RoutingTarget } from "../../domain/claims/observation.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../domain/database-url.ts";
import { formatDuration, parseDuration } from "../../domain/duration.ts";
import { messageOf } from "../../domain/error-message.ts";
import { MAX_WINDOW } from "../../domain/limits/rate-limit.ts";
import type { Rate } from "../../domain/model/rate.ts";
import { SECOND } from "../../domain/timestamp.ts";

/** An unusable value. `usable` completes the sentence "… is not usable: give ". */
export class Unusable extends Error {
  constructor(readonly usable: string) {
    super(usable);
  }
}

/** Parses the text of a setting. `folder` is the base of relative paths. Throws `Unusable`. */
export interface Parser<T> {
  (text: string, folder: string): T;
  /** The placeholder of the value in the help, such as `URL`. */
  readonly placeholder: string;
  /** Returns the text of a value; empty for none. */
  format(value: T): string;
}

export function parser<T>(
  placeholder: string,
  parse: (text: string, folder: string) => T,
  format: (value: T) => string = String,
): Parser<T> {
  return Object.assign((value: string, folder: string) => parse(value, folder), { placeholder, format });
}

/** An address to listen on. `host` null means every interface, IPv4 and IPv6. */
export interface ListenAddress {
  readonly host: string | null;
  readonly port: number;
}

interface AddressAndPort {
  readonly address: string;
  readonly port: number;
}

interface ProbePorts {
  readonly http: number;
  readonly https: number;
}

/** A text as it is given; `placeholder` says which. */
export function text(placeholder: string): Parser<string> {
  return parser(placeholder, (value) => value);
}

export const file = parser("FILE", (value, folder) => resolve(folder, value));

export const folder = parser("FOLDER", file);

/** Extends a parser to optional settings. */
export function optional<T>(parse: Parser<T>): Parser<T | null> {
  return parser<T | null>(parse.placeholder, parse, (value) => (value === null ? "" : parse.format(value)));
}

/** Extends a parser to settings that can be `off`. */
export function orOff<T>(parse: Parser<T>): Parser<T | null> {
  const parseOrOff = (value: string, folder: string) => {
    if (value === "off") return null;
    try {
      return parse(value, folder);
    } catch (error) {
      if (error instanceof Unusable) throw new Unusable(`${error.usable}, or off`);
      throw error;
    }
  };
  return parser<T | null>(parse.placeholder, parseOrOff, (value) => (value === null ? "off" : parse.format(value)));
}

export function oneOf<const T extends string>(placeholder: string, choices: readonly T[]): Parser<T> {
  return parser(placeholder, (value) => {
    const choice = choices.find((candidate) => candidate === value.toLowerCase());
    if (choice === undefined) throw new Unusable(`one of ${choices.join(", ")}`);
    return choice;
  });
}

const SWITCH: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
};

export const onOff = parser<boolean>(
  "on|off",
  (value) => {
    const key = value.toLowerCase();
    if (!Object.hasOwn(SWITCH, key)) throw new Unusable("on or off");
    return SWITCH[key] as boolean;
  },
  (value) => (value ? "on" : "off"),
);

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parser<number> {
  const usable =
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} up` : `a whole number ${least}-${most}`;
  return parser("N", (value) => {
    const digits = value.replaceAll("_", "");
    const number = Number(digits);
    if (!/^\d+$/.test(digits) || number < least || number > most) throw new Unusable(usable);
    return number;
  });
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:b|([kmgt])(ib|b)?)?$/i;

/** Bytes: a plain number or with a unit. `MiB` and `M` are powers of 1024, `MB` of 1000. */
export const bytes = parser<number>(
  "SIZE",
  (value) => {
    const [, number, prefix = "", unit = ""] = SIZE.exec(value.replaceAll("_", "")) ?? [];
    const base = unit.toLowerCase() === "b" ? 1000 : 1024;
    const exponent = prefix === "" ? 0 : "kmgt".indexOf(prefix.toLowerCase()) + 1;
    const size = Math.round(Number(number) * base ** exponent);
    if (!Number.isSafeInteger(size) || size < 1) throw new Unusable("a number of bytes, such as 536870912 or 512MiB");
    return size;
  },
  (value) => formatBytes(value).replace(" ", ""),
);

/** Milliseconds, from 90s, 15m, 12h or 30d. */
export const duration = parser<number>(
  "TIME",
  (value) => {
    const time = parseDuration(value);
    if (time === null) throw new Unusable("a time such as 90s, 15m, 12h or 30d");
    return time;
  },
  formatDuration,
);

/** A duration between two bounds in milliseconds. */
export function durationWithin(least: number, most: number): Parser<number> {
  const within = (value: string, folder: string) => {
    const time = duration(value, folder);
    if (time < least || time > most)
      throw new Unusable(`a time from ${formatDuration(least)} to ${formatDuration(most)}`);
    return time;
  };
  return parser(duration.placeholder, within, formatDuration);
}

/** A duration up to a maximum in milliseconds, or 0 for none. */
export function durationUpTo(most: number): Parser<number> {
  const upTo = durationWithin(SECOND, most);
  return parser(upTo.placeholder, (value, folder) => (value === "0" ? 0 : upTo(value, folder)), formatDuration);
}

/** A bucket of S3, or the part of it below a prefix. */
export const s3Url = parser<S3Destination>("URL", (value) => {
  const destination = parseS3Url(value);
  if (typeof destination === "string") throw new Unusable(destination);
  return Object.freeze(destination);
});

/** A duration, or 0 for none. */
export const durationOrZero = parser<number>(
  "TIME",
  (value, folder) => (value === "0" ? 0 : duration(value, folder)),
  formatDuration,
);

/** The URL of a PostgreSQL database. */
export const databaseUrl = parser<DatabaseUrl>("URL", (value) => {
  try {
    return Object.freeze(parseDatabaseUrl(value));
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
});

/** A folder, or a URL in S3. */
export const backupDestination = parser<BackupDestination>("PLACE", (value, folder) => {
  if (value.startsWith(S3_SCHEME)) return s3Url(value, folder);
  return Object.freeze({ kind: "folder", path: resolve(folder, value) });
});

/** The secret of a webhook as in Standard Webhooks: base64, after `whsec_`. */
export const webhookSecret = parser<string>("SECRET", (value) => {
  const key = value.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]{4,}={0,2}$/.test(key) || Buffer.from(key, "base64").length < 3) {
    throw new Unusable("whsec_ and 24 to 64 random bytes in base64");
  }
  return `whsec_${Buffer.from(key, "base64").toString("base64")}`;
});

function formatRate({ count, window }: Rate): string {
  return `${count}/${formatDuration(window)}`;
}

const RATE = /^(\d+)\s*\/\s*(\d*)\s*(s|m|h|d)$/;
const MAX_EVENTS = 1_000_000;

/** A rate such as `10/15m` or `100/s`. */
export const rate = parser<Rate>(
  "N/TIME",
  (value) => {
    const [, number, times = "", unit = "s"] = RATE.exec(value.replaceAll("_", "")) ?? [];
    const count = Number(number ?? 0);
    const window = parseDuration(`${times === "" ? 1 : times}${unit}`) ?? 0;
    if (count < 1 || count > MAX_EVENTS || window < 1 || window > MAX_WINDOW) {
      throw new Unusable("a number and a time of at most a day, such as 10/15m or 100/s");
    }
    return { count, window };
  },
  formatRate,
);

const PORT_USABLE = "a port from 1 to 65535";

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 65_535) throw new Unusable(PORT_USABLE);
  return number;
}

/** Splits `host:port` and `[v6]:port`; null for other forms. */
function splitPort(value: string): { readonly host: string; readonly port: string } | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]*)):(\d+)$/.exec(value);
  return match ? { host: match[1] ?? match[2] ?? "", port: match[3] as string } : null;
}

export const listenAddress = parser<ListenAddress>(
  "ADDRESS",
  (value) => {
    const parts = splitPort(value);
    const everyInterface = parts?.host === "" || parts?.host === "*";
    const known = parts && (everyInterface || isIP(parts.host) !== 0 || isHostname(parts.host));
    if (!known || Number(parts.port) > 65_535) {
      throw new Unusable("an address such as 127.0.0.1:8080, [::1]:8080 or :443");
    }
    return { host: everyInterface ? null : parts.host, port: Number(parts.port) };
  },
  formatListenAddress,
);

/** Formats a listen address as on the command line. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host === null ? "" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** One base URL: scheme, host and port; returned without a trailing slash, and without a trailing dot of the host. */
export const origin = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  const bare = url && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!bare || !isWebUrl(url)) throw new Unusable("a URL without a path, such as https://pages.example.org");
  url.hostname = url.hostname.replace(/\.$/, "");
  return url.origin;
});

export const webUrl = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  if (!url || !isWebUrl(url)) throw new Unusable("a URL that begins with https://");
  return value;
});

/** The URL of a token issuer, without trailing slashes: HTTPS, or plain HTTP for loopback. */
export const issuer = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  const isLoopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
  if (!isSafe || /[?#]/.test(value)) throw new Unusable("URLs that begin with https://, such as https://gitlab.com");
  return value.replace(/\/+$/, "");
});

function isWebUrl(url: URL): boolean {
  return (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "";
}

function isHostname(value: string): boolean {
  return (
    value.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(value)
  );
}

/** A DNS name, in lower case and without a trailing dot. IP addresses are refused: they have no subdomains. */
export const domainName = parser<string>("DOMAIN", (value) => {
  const name = value.toLowerCase().replace(/\.$/, "");
  if (!isHostname(name) || isIP(name) !== 0) throw new Unusable("a domain name, such as pages.example.org");
  return name;
});

/** A name that fits into tables and URLs, such as a host name. */
export const nodeName = parser<string>("NAME", (value) => {
  if (!/^[\w.-]{1,100}$/.test(value)) throw new Unusable("up to 100 letters, digits, dots, dashes and underscores");
  return value;
});

export const email = parser<string>("EMAIL", (value) => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Unusable("an e-mail address");
  return value;
});

/** A key in base64url, or in base64 as some CAs provide it; returned in base64url without padding. */
export const base64url = parser<string>("KEY", (value) => {
  const key = value.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (!/^[\w-]+$/.test(key) || key.length % 4 === 1) {
    throw new Unusable("the key in base64url or base64, as the CA gave it out");
  }
  return key;
});

/** A list separated by commas, spaces or line ends. */
export function listOf<T>(parse: Parser<T>): Parser<readonly T[]> {
  const parseAll = (value: string, folder: string) => {
    const items = value.split(/[\s,]+/).filter((item) => item !== "");
    return Object.freeze(items.map((item) => parse(item, folder)));
  };
  const plural = `${parse.placeholder}${parse.placeholder.endsWith("S") ? "ES" : "S"}`;
  return parser<readonly T[]>(plural, parseAll, (values) => values.map(parse.format).join(","));
}

/** The characters of a scope are those of RFC 6749, section 3.3. */
export const scopes = parser<readonly string[]>(
  "SCOPES",
  (value) => {
    const all = value.split(/[\s,]+/).filter((scope) => scope !== "");
    if (all.includes("openid") && all.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      return Object.freeze(all);
    }
    throw new Unusable("scopes separated by spaces, openid among them, such as: openid profile email groups");
  },
  (values) => values.join(" "),
);

const RANGES_USABLE = "address ranges such as 10.0.0.0/8,2001:db8::/32";

/** The prefix length of IPv4-mapped IPv6 addresses, `::ffff:0:0/96`. */
const MAPPED_BITS = 96;

/** One IP range in canonical form. A single address is a range of one, and IPv4-mapped IPv6 is converted to IPv4. */
export const cidr = parser<string>("CIDR", (value) => {
  const range = isIP(value) ? `${value}/${isIP(value) === 4 ? 32 : 128}` : value;
  if (!ipaddr.isValidCIDR(range) || isIP(range.split("/")[0] as string) === 0) throw new Unusable(RANGES_USABLE);
  const [address, bits] = ipaddr.parseCIDR(range);
  if (!(address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())) return `${address.toString()}/${bits}`;
  // A shorter prefix is meant for the IPv4 range. As an IPv6 prefix it would never match an IPv4 address.
  if (bits < MAPPED_BITS) throw new Unusable(RANGES_USABLE);
  return `${address.toIPv4Address().toString()}/${bits - MAPPED_BITS}`;
});

/** IP ranges, or the path of a file with one range per line and comments after `#`. */
export const cidrsOrFile = parser<readonly string[]>("CIDRS|FILE", (value, folder) => {
  const ranges = listOf(cidr);
  const isList = value.split(/[\s,]+/).every((item) => isIP(item.split("/")[0] as string) !== 0);
  if (isList) return ranges(value, folder);
  try {
    return ranges(readFileSync(resolve(folder, value), "utf8").replaceAll(/#.*/g, ""), folder);
  } catch (error) {
    const reason = error instanceof Unusable ? "whose every line is an address range" : "that can be read";
    throw new Unusable(`address ranges such as 173.245.48.0/20, or a file ${reason}`);
  }
});

/** `ip:port`, `[v6]:port`, or an IP address with the default port. */
export function addressAndPort(usualPort: number): Parser<AddressAndPort> {
  return parser("ADDRESS", (value) => {
    if (isIP(value)) return { address: value, port: usualPort };
    const parts = splitPort(value);
    if (!parts || isIP(parts.host) === 0)
      throw new Unusable(`addresses such as 127.0.0.1:${usualPort},[::1]:${usualPort}`);
    return { address: parts.host, port: port(parts.port) };
  });
}

const TARGET_FITS: Readonly<Record<RoutingTarget["type"], (value: string) => boolean>> = {
  A: (value) => isIP(value) === 4,
  AAAA: (value) => isIP(value) === 6,
  CNAME: (value) => isIP(value) === 0 && isHostname(value.replace(/\.$/, "")),
};

export const routingTarget = parser<RoutingTarget>("RECORD", (value) => {
  const [, kind = "", target = ""] = /^([a-z]+):(.+)$/i.exec(value) ?? [];
  const type = kind.toUpperCase() as RoutingTarget["type"];
  const bare = target.replace(/^\[(.*)\]$/, "$1");
  if (!Object.hasOwn(TARGET_FITS, type) || !TARGET_FITS[type](bare)) {
    throw new Unusable("records such as A:203.0.113.7,AAAA:2001:db8::7,CNAME:pages.example.org");
  }
  return { type, value: type === "CNAME" ? bare.toLowerCase().replace(/\.$/, "") : bare };
});

export const probePorts = parser<ProbePorts>(
  "HTTP,HTTPS",
  (value) => {
    const match = /^(\d+)\s*,\s*(\d+)$/.exec(value);
    if (!match) throw new Unusable("the HTTP and the HTTPS port, such as 80,443");
    return { http: port(match[1] as string), https: port(match[2] as string) };
  },
  ({ http, https }) => `${http},${https}`,
);
