/** One of several servers in a URL. */
export interface Host {
  readonly hostname: string;
  readonly port: number;
}

/** The URL of the database with its credentials. */
export interface DatabaseUrl {
  /** In the order in which they are tried. */
  readonly hosts: readonly Host[];
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** The parameters of the URL, such as `sslmode=verify-full&sslrootcert=/ca.pem`; empty for none. */
  readonly query: string;
}

const DEFAULT_PORT = 5432;
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;

/**
 * Parses `postgres://user:password@host:port,host:port/database?sslmode=verify-full`, in which user, password and ports
 * are optional. Throws an Error whose message says what to give, without the password.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, login = "", authority = "", database = "", query = ""] = FORM.exec(text) ?? refuse("it has another form");
  const [username = "", ...password] = login.split(":");
  return {
    hosts: authority.split(",").map(parseHost),
    username: decode(username),
    password: decode(password.join(":")),
    database: decode(database),
    query: parseQuery(query),
  };
}

/** Returns the URL of one of the hosts, without user and password. */
export function urlOfHost(url: DatabaseUrl, host: Host): string {
  return `postgres://${formatHost(host)}${pathOf(url)}`;
}

/** Returns the URL without the password, to be shown. */
export function formatDatabaseUrl(url: DatabaseUrl): string {
  const user = url.username === "" ? "" : `${encodeURIComponent(url.username)}@`;
  return `postgres://${user}${url.hosts.map(formatHost).join(",")}${pathOf(url)}`;
}

/** Returns the host and port as they are shown, such as `db:5432` or `[::1]:5432`. */
export function formatHost({ hostname, port }: Host): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

// --- internal ---

function pathOf({ database, query }: DatabaseUrl): string {
  return `/${encodeURIComponent(database)}${query === "" ? "" : `?${query}`}`;
}

/** Parameters are shown, so that none of them may be the password. */
function parseQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  if (parameters.has("password")) refuse("the password stands before the @, or in VITRINE_DATABASE_PASSWORD");
  return String(parameters);
}

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
  throw new Error(`a URL such as postgres://USER@HOST:PORT/DATABASE (${why})`);
}
