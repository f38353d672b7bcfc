import { VERSION } from "../../config/version.ts";
import { Failure, UsageError } from "../terminal/errors.ts";
import { apiError } from "./api-error.ts";
import { parseUrl } from "./parse-url.ts";

/** A client of one server with one credential. Its methods throw a `Failure` with advice. */
export class ApiClient {
  constructor(
    /** Base URL without a trailing slash. */
    readonly server: string,
    readonly token: string | null,
    /** Gets every response before it is read. */
    private readonly seen: (response: Response) => Promise<void> = async () => {},
  ) {}

  /** Returns a client of the same server with another credential. */
  withToken(token: string | null): ApiClient {
    return new ApiClient(this.server, token, this.seen);
  }

  get<Body>(path: string): Promise<Body> {
    return this.#json("GET", path);
  }

  /** Like `get`, for an array. */
  async list<Item>(path: string): Promise<readonly Item[]> {
    return readList<Item>(this.server, await this.request("GET", path));
  }

  post<Body>(path: string, body?: unknown): Promise<Body> {
    return this.#json("POST", path, body);
  }

  put<Body>(path: string, body?: unknown): Promise<Body> {
    return this.#json("PUT", path, body);
  }

  patch<Body>(path: string, body?: unknown): Promise<Body> {
    return this.#json("PATCH", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.request("DELETE", path);
  }

  /** Returns a successful response with its body unread. */
  async request(method: string, path: string, body?: unknown): Promise<Response> {
    return accept(this.server, await this.send(method, path, body));
  }

  /** Returns the response whatever its status. */
  send(method: string, path: string, body?: unknown): Promise<Response> {
    if (body === undefined) return this.fetch(path, { method });
    return this.fetch(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }

  /** Sends a request with the credential. Returns the response whatever its status. */
  async fetch(path: string, request: RequestInit & { readonly headers?: Record<string, string> }): Promise<Response> {
    const headers = {
      Accept: "application/json",
      "User-Agent": `vitrine/${VERSION.version}`,
      ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
      ...request.headers,
    };
    // Following a redirect could send the credential elsewhere, or turn a POST into a GET.
    const sent = { ...request, headers, redirect: "manual" } as const;
    const response = await reach(this.server, () => fetch(this.server + path, sent));
    await this.seen(response);
    return response;
  }

  async #json<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    return readResponse<Body>(this.server, await this.request(method, path, body));
  }
}

/**
 * Returns an API path in which each value becomes one segment. Throws `UsageError` for a value
 * that cannot be a segment.
 */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value, at) => segment(parts[at] ?? "", String(value))));
}

/** URL parsers resolve empty and dot segments even when encoded, so that they would address another resource. */
function segment(before: string, value: string): string {
  if (!["", ".", ".."].includes(value)) return encodeURIComponent(value);
  const noun = before.split("/").at(-2)?.replace(/s$/, "");
  throw new UsageError(`${noun}: ${JSON.stringify(value)} is not usable; give its name or id`);
}

/** Returns a successful response; otherwise throws the server's message with advice. */
export async function accept(server: string, response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (ok) return response;
  refuseRedirect(server, status, headers.get("location"));
  throw apiError(status, await response.text(), headers.get("retry-after"), server);
}

/** Returns the JSON object of a response. Its fields are not validated, because the acceptance tests cover the API. */
export async function readResponse<Body>(server: string, response: Response): Promise<Body> {
  const body = await readJson(server, response);
  if (isRecord(body)) return body as Body;
  throw foreign(server);
}

async function readList<Item>(server: string, response: Response): Promise<readonly Item[]> {
  const body = await readJson(server, response);
  if (Array.isArray(body) && body.every(isRecord)) return body as Item[];
  throw foreign(server);
}

async function readJson(server: string, response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Failure(`${server} did not respond with JSON`, IS_IT);
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function foreign(server: string): Failure {
  return new Failure(`${server} did not respond as a Vitrine server does`, IS_IT);
}

const IS_IT = "Check --server.";

function refuseRedirect(server: string, status: number, location: string | null): void {
  if (status < 300 || status > 399 || location === null) return;
  const target = parseUrl(location, server)?.origin ?? "an invalid URL";
  // Such as the sign-in page of a proxy.
  if (target === server) throw new Failure(`${server} redirects to another page`, IS_IT);
  throw new Failure(`${server} redirects to ${target}`, `Use that URL: --server ${target}`);
}

/** Turns connection errors into a `Failure` with advice. */
export async function reach<T>(server: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    throw cause instanceof Failure ? cause : unreachable(server, cause);
  }
}

/** Error codes of Bun, of the `fetch` of Node.js, whose errors have the real one as their cause, and of the system. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;
const REFUSED = /ConnectionRefused|ECONNREFUSED/;
const WITHOUT_TLS = /EPROTO|ERR_SSL/;
const BROKEN_OFF = /ConnectionClosed|ECONNRESET|EPIPE|UND_ERR_SOCKET/;

function unreachable(server: string, error: unknown): Failure {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (UNTRUSTED.test(code)) {
    return new Failure(
      `the certificate of ${server} is not trusted (${code})`,
      "If the server has its own CA: NODE_EXTRA_CA_CERTS=/path/to/ca.pem vitrine …",
    );
  }
  if (REFUSED.test(code)) {
    return new Failure(
      `no server responds at ${server}`,
      "Start it (vitrine serve), or give another URL with --server.",
    );
  }
  if (WITHOUT_TLS.test(code)) {
    return new Failure(
      `${server} does not respond with TLS`,
      "Check the port, or give a URL that begins with http://.",
    );
  }
  if (BROKEN_OFF.test(code)) {
    return new Failure(`${server} closed the connection`, "Try again: a change is made completely or not at all.");
  }
  return new Failure(`${server} cannot be reached: ${message || code}`, "Check --server, the name and the network.");
}
