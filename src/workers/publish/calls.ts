import { DomainError, type ErrorKind } from "../../domain/errors.ts";

/** One end of a channel between two threads: a `MessagePort`, a `Worker`, or the worker's `parentPort`. */
export interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

interface Call {
  readonly call: number;
  readonly argument: unknown;
}

type Answer = { readonly answer: number } & ({ readonly value: unknown } | { readonly error: WireError });

/** An error on its way to another thread: only plain values get there. */
type WireError =
  | { readonly kind: ErrorKind; readonly detail: string; readonly extra: DomainError["extra"] }
  | { readonly message: string; readonly stack: string | undefined };

/**
 * Answers every call that arrives with what `handle` returns or throws; `transfer` names the buffers that go along and
 * are no longer this thread's.
 */
export function answerCalls<Argument, Value>(
  port: Port,
  handle: (argument: Argument) => Promise<Value>,
  transfer: (value: Value) => ArrayBuffer[] = () => [],
): void {
  port.on("message", async (message) => {
    const { call, argument } = message as Call;
    try {
      const value = await handle(argument as Argument);
      port.postMessage({ answer: call, value } satisfies Answer, transfer(value));
    } catch (error) {
      port.postMessage({ answer: call, error: toWire(error) } satisfies Answer, []);
    }
  });
}

/**
 * Returns a function that calls the other end and settles with its answer: a `DomainError` arrives as one, any other
 * error with its message and stack. `fail` rejects all calls without an answer, when the other end is gone.
 */
export function callOver<Argument, Value>(port: Port) {
  const open = new Map<number, PromiseWithResolvers<Value>>();
  let calls = 0;
  port.on("message", (message) => {
    const answer = message as Answer;
    const waiting = open.get(answer.answer);
    open.delete(answer.answer);
    if ("error" in answer) waiting?.reject(fromWire(answer.error));
    else waiting?.resolve(answer.value as Value);
  });
  return {
    call(argument: Argument, transfer: ArrayBuffer[] = []): Promise<Value> {
      const waiting = Promise.withResolvers<Value>();
      const call = calls++;
      open.set(call, waiting);
      port.postMessage({ call, argument } satisfies Call, transfer);
      return waiting.promise;
    },
    fail(error: Error): void {
      for (const waiting of open.values()) waiting.reject(error);
      open.clear();
    },
  };
}

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
