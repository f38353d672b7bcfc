import { settled } from "./mount.ts";

/** Takes the place of a global of the browser until the end of the block. */
export function replaceGlobal(name: string, value: unknown): Disposable {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return {
    [Symbol.dispose]() {
      if (before) Object.defineProperty(globalThis, name, before);
      else Reflect.deleteProperty(globalThis, name);
    },
  };
}

/** A request that waits for its response. */
interface Waiting {
  /** Such as `GET /sites`. */
  readonly line: string;
  readonly respond: (response: Response) => void;
  readonly fail: (error: Error) => void;
}

/** The API, whose responses a test gives in the order that it wants. It replaces `fetch` until the end of the block. */
export class ManualApi implements Disposable {
  #waiting: Waiting[] = [];
  readonly #fetch = replaceGlobal("fetch", (path: string, { method }: RequestInit) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.#waiting.push({ line: `${method} ${path}`, respond: resolve, fail: reject });
    return promise;
  });

  /** The requests without a response, oldest first. */
  get waiting(): readonly string[] {
    return this.#waiting.map(({ line }) => line);
  }

  /** Responds to the oldest request of this kind with JSON, or with a string as it is. */
  async respond(line: string, body: unknown, status = 200): Promise<void> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    this.#take(line).respond(new Response(status === 204 ? null : text, { status }));
    await settled();
  }

  /** Cuts the connection of the oldest request of this kind. */
  async fail(line: string): Promise<void> {
    this.#take(line).fail(new TypeError("Failed to fetch"));
    await settled();
  }

  [Symbol.dispose](): void {
    this.#fetch[Symbol.dispose]();
  }

  #take(line: string): Waiting {
    const found = this.#waiting.find((request) => request.line === line);
    if (!found) throw new Error(`no ${line} is waiting, only ${this.waiting.join(", ")}`);
    this.#waiting = this.#waiting.filter((request) => request !== found);
    return found;
  }
}

/** The storage of a tab. */
export class ManualStorage {
  readonly [key: string]: unknown;

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }

  setItem(key: string, value: string): void {
    Object.assign(this, { [key]: value });
  }

  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
}
