import { DomainError } from "../../domain/errors.ts";
import { FetchFailure, fetchJson, type JsonAnswer } from "../http/fetch-json.ts";

/** A provider that has not answered by then is not going to: people are waiting in front of a page. */
export const PROVIDER_TIMEOUT = 10_000;

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
): Promise<JsonAnswer> {
  try {
    return await fetchJson(url, { ...init, signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    if (error instanceof FetchFailure) throw lookupFailed(label, error.what);
    throw error;
  }
}

/** Returns the error for a provider that could not be asked; `what` completes the sentence that begins with its name. */
export function lookupFailed(label: string, what: string): DomainError {
  return new DomainError("provider_lookup_failed", `the provider lookup failed: ${label} ${what}`);
}

/** Returns the value where it is a string with something in it, else null: providers leave fields out, empty or null. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
