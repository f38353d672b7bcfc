import { firstCharacters } from "../../domain/characters.ts";
import { DomainError } from "../../domain/errors.ts";
import { MAX_USER_NAME_LENGTH } from "../../domain/model/user.ts";
import { printable } from "../../domain/printable.ts";
import { FetchFailure, fetchJson, type JsonResponse } from "../http/fetch-json.ts";

/** Short, because a user waits for the page. */
export const PROVIDER_TIMEOUT_MS = 10_000;

/**
 * Requests a JSON object from a provider. Redirects are refused, because they could send the client secret
 * elsewhere. Throws `provider_lookup_failed` without a JSON object in time.
 */
export async function askProvider(
  label: string,
  url: string,
  init: RequestInit,
  timeout: number,
): Promise<JsonResponse> {
  try {
    return await fetchJson(url, { ...init, signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    if (error instanceof FetchFailure) throw lookupFailed(label, error.what);
    throw error;
  }
}

/** Returns the error of a failed request; `what` continues a sentence that begins with the provider's name. */
export function lookupFailed(label: string, what: string): DomainError {
  return new DomainError("provider_lookup_failed", `the provider lookup failed: ${label} ${what}`);
}

/** Returns a name as users are shown with it; null if the provider has none. */
export function nameOrNull(value: unknown): string | null {
  const name = textOrNull(value);
  return name && firstCharacters(printable(name), MAX_USER_NAME_LENGTH);
}

/** Returns a non-empty string, otherwise null: providers omit fields or leave them empty. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
