import { Failure } from "../errors.ts";
import { apiError } from "./api-error.ts";

/** Talks to one appliance with one credential. Every method rejects with a `Failure` that says what to do next. */
export class ApiClient {
  constructor(
    /** Base URL without a trailing slash. */
    readonly server: string,
    readonly token: string | null,
  ) {}

  get<Answer>(path: string): Promise<Answer> {
    return this.#json("GET", path);
  }

  post<Answer>(path: string, body?: unknown): Promise<Answer> {
    return this.#json("POST", path, body);
  }

  put<Answer>(path: string, body?: unknown): Promise<Answer> {
    return this.#json("PUT", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.request("DELETE", path);
  }

  /** Returns the whole answer, once it is a success; the caller reads its body. */
  async request(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await this.answer(method, path, body);
    if (response.ok) return response;
    throw apiError(response.status, await response.text(), response.headers.get("retry-after"), this.server);
  }

  /** Returns the answer whatever its status. */
  async answer(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await reach(this.server, () =>
      fetch(this.server + path, {
        method,
        headers: { ...this.headers(), ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would carry the credential elsewhere, or turn a POST into a GET.
        redirect: "manual",
      }),
    );
    refuseRedirect(this.server, response.status, response.headers.get("location"));
    return response;
  }

  /** The headers of every request: the credential, and an answer in JSON. */
  headers(): Record<string, string> {
    return { Accept: "application/json", ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }) };
  }

  async #json<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.request(method, path, body);
    try {
      // The answer's shape is the API's contract; the acceptance tests hold both sides to it.
      return (await response.json()) as Answer;
    } catch {
      throw new Failure(`${this.server}${path} did not answer with JSON.`, "Check --server: is that an appliance?");
    }
  }
}

/** Returns an API path; each value becomes one segment, whatever characters it holds. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

export function refuseRedirect(server: string, status: number, location: string | null): void {
  if (status < 300 || status > 399 || location === null) return;
  const target = URL.canParse(location, server) ? new URL(location, server).origin : location;
  throw new Failure(`${server} sends on to ${target}.`, `Use that address: --server ${target}`);
}

/** Runs a request; a failure to get through at all becomes a sentence about the way to the server. */
export async function reach<T>(server: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof Failure ? error : unreachable(server, error);
  }
}

/** Names of errors by their kind, as Bun and the system spell them. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;
const REFUSED = /ConnectionRefused|ECONNREFUSED/;
const BROKEN_OFF = /ConnectionClosed|ECONNRESET|EPIPE/;

function unreachable(server: string, error: unknown): Failure {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (UNTRUSTED.test(code)) {
    return new Failure(
      `The certificate of ${server} is not trusted (${code}).`,
      "With the appliance's own CA: NODE_EXTRA_CA_CERTS=/path/to/ca.pem vitrine …",
    );
  }
  if (REFUSED.test(code)) {
    return new Failure(
      `Nothing answers at ${server}.`,
      "Is the appliance running (vitrine serve)? Else give --server URL.",
    );
  }
  if (BROKEN_OFF.test(code)) {
    return new Failure(`${server} broke the connection off.`, "Try again: what was begun is done whole or not at all.");
  }
  return new Failure(`${server} cannot be reached: ${message || code}`, "Check --server, the name and the network.");
}
