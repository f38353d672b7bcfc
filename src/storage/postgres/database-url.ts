import { isIP } from "node:net";

/** One of several servers in a URL. */
export interface Host {
  readonly hostname: string;
  readonly port: number;
}

/** The address of the database with its credentials. */
export interface DatabaseUrl {
  /** In the order in which they are tried. */
  readonly hosts: readonly Host[];
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Other parameters of the URL, such as `sslmode` and `sslrootcert`. */
  readonly parameters: URLSearchParams;
}

const DEFAULT_PORT = 5432;
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;

/**
 * Parses `postgres://user:password@host:port,host:port/database?sslmode=verify-full`, in which user, password and ports
 * are optional. Throws an Error with the problem, without the password.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, login = "", authority = "", database = "", query = ""] = FORM.exec(text) ?? refuse("it has another form");
  const [username = "", ...password] = login.split(":");
  return {
    hosts: authority.split(",").map(parseHost),
    username: decode(username),
    password: decode(password.join(":")),
    database: decode(database),
    parameters: new URLSearchParams(query),
  };
}

/** Returns the URL of one of the hosts, without user and password. */
export function urlOfHost({ database, parameters }: DatabaseUrl, { hostname, port }: Host): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  const query = parameters.size > 0 ? `?${parameters}` : "";
  return `postgres://${host}:${port}/${encodeURIComponent(database)}${query}`;
}

/** Returns the location of the database for messages, without credentials and parameters. */
export function placeOf({ hosts, database }: DatabaseUrl): string {
  const servers = hosts.map(({ hostname, port }) => `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`);
  return `postgres://${servers.join(",")}/${encodeURIComponent(database)}`;
}

// --- internal ---

function parseHost(text: string): Host {
  const [, bracketed, name, port = String(DEFAULT_PORT)] =
    /^(?:\[([\da-fA-F:]+)\]|([^\s:[\]]+))(?::(\d+))?$/.exec(text) ?? refuse(`"${text}" is no host`);
  if (Number(port) < 1 || Number(port) > 65_535) refuse(`"${text}" has no port between 1 and 65535`);
  return { hostname: bracketed ?? name ?? "", port: Number(port) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse("a % is not followed by two hexadecimal digits");
  }
}

function refuse(why: string): never {
  throw new Error(`The database's URL must be like postgres://USER@HOST:PORT/DATABASE: ${why}.`);
}
