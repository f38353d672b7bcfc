import { DomainError, type ErrorKind } from "../domain/errors.ts";

/** One end of a channel between two threads: a `MessagePort`, a `Worker` of node:worker_threads, or its `parentPort`. */
export interface Port {
  postMessage(message: unknown): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

/** The methods of one end of a channel. Each takes one value and returns one, both structured-cloneable. */
export type Methods = { readonly [name: string]: (argument: never) => unknown };

type Result<Method extends Methods[string]> = Awaited<ReturnType<Method>>;

/** Calls the methods of the other end. */
export interface Remote<M extends Methods> {
  /** Settles like the method. A `DomainError` keeps its class, any other error its message and stack. */
  call<Name extends keyof M & string>(name: Name, ...argument: Parameters<M[Name]>): Promise<Result<M[Name]>>;
  /** Rejects all pending calls once the other end is gone. */
  fail(error: Error): void;
}

interface WorkerRequest {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

type WorkerResponse = { readonly id: number } & ({ readonly value: unknown } | { readonly error: WireError });

/** An error as plain values, because a class does not survive the structured clone. */
type WireError =
  | { readonly kind: ErrorKind; readonly detail: string; readonly extra: DomainError["extra"] }
  | { readonly message: string; readonly stack: string | undefined };

/** Answers requests with the result or the error of the method. */
export function handleCalls<M extends Methods>(port: Port, methods: M): void {
  port.on("message", async (message) => {
    const { id, name, argument } = message as WorkerRequest;
    try {
      const value = await methods[name]?.(argument as never);
      port.postMessage({ id, value } satisfies WorkerResponse);
    } catch (error) {
      port.postMessage({ id, error: toWire(error) } satisfies WorkerResponse);
    }
  });
}

export function remote<M extends Methods>(port: Port): Remote<M> {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  port.on("message", (message) => {
    const response = message as WorkerResponse;
    const waiting = open.get(response.id);
    open.delete(response.id);
    if ("error" in response) waiting?.reject(fromWire(response.error));
    else waiting?.resolve(response.value);
  });
  return {
    call(name, argument?: unknown) {
      const waiting = Promise.withResolvers<unknown>();
      const id = calls++;
      open.set(id, waiting);
      port.postMessage({ id, name, argument } satisfies WorkerRequest);
      return waiting.promise as Promise<Result<M[typeof name]>>;
    },
    fail(error) {
      for (const waiting of open.values()) waiting.reject(error);
      open.clear();
    },
  };
}

// --- internal ---

function toWire(error: unknown): WireError {
  if (error instanceof DomainError) return { kind: error.kind, detail: error.detail, extra: error.extra };
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error), stack: undefined };
}

function fromWire(error: WireError): Error {
  if ("kind" in error) return new DomainError(error.kind, error.detail, error.extra);
  const failure = new Error(error.message);
  if (error.stack !== undefined) failure.stack = error.stack;
  return failure;
}
