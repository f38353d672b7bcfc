import { DomainError } from "../../domain/errors.ts";

/** A provider that has not answered by then is not going to: people are waiting in front of a page. */
export const PROVIDER_TIMEOUT = 10_000;
/** A profile is 2 kB. What is longer than this is not one. */
const MAX_ANSWER = 256 * 1024;

interface ProviderAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** How a provider is asked; replaced by nothing but a shorter time-out in tests. */
export interface Outbound {
  readonly timeout: number;
}

/**
 * Asks a provider for a JSON object. Redirects are refused, since they would carry our client secret to wherever they
 * point. Rejects with `provider_lookup_failed` when there is no answer in time, or one that is no JSON object.
 */
export async function askProvider(
  label: string,
  url: string,
  init: RequestInit = {},
  { timeout }: Outbound = { timeout: PROVIDER_TIMEOUT },
): Promise<ProviderAnswer> {
  const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeout) }).catch(
    (cause: unknown) => {
      throw lookupFailed(label, isTimeout(cause) ? "did not answer in time" : "cannot be reached");
    },
  );
  if (response.status >= 300 && response.status < 400) {
    throw lookupFailed(label, "redirected the request elsewhere; check --provider-url");
  }
  return { status: response.status, body: await readObject(label, response) };
}

/** Returns the error for a provider that could not be asked; `what` completes the sentence that begins with its name. */
export function lookupFailed(label: string, what: string): DomainError {
  return new DomainError("provider_lookup_failed", `the provider lookup failed: ${label} ${what}`);
}

/** Returns the value where it is a string with something in it, else null: providers leave fields out, empty or null. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

export function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

async function readObject(label: string, response: Response): Promise<Record<string, unknown>> {
  const text = await readText(label, response);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below: the text itself may hold anything and is shown to nobody.
  }
  throw lookupFailed(label, `gave an answer that is not JSON (status ${response.status})`);
}

async function readText(label: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw lookupFailed(label, isTimeout(cause) ? "did not answer in time" : "broke off its answer");
  }
  if (size > MAX_ANSWER) throw lookupFailed(label, "gave an answer that is too long");
  return Buffer.concat(chunks).toString("utf8");
}
