import { sentence } from "../format.ts";

/** A refusal in the API's words, or in ours where no answer came. */
export class ApiError extends Error {
  /** `status` is 0 where the server could not be reached. */
  constructor(
    readonly status: number,
    readonly detail: string,
  ) {
    super(detail);
  }
}

const UNREACHABLE = "The server cannot be reached. Check your connection, then try again.";

/** Calls the public API with the browser's session. Throws ApiError; without a session the browser goes to sign in. */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  try {
    return await ask<T>(method, path, body, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return leaveForSignIn();
    throw error;
  }
}

/** The same for what would be lost by going away: without a session it throws, too. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await send(method, path, body, signal);
  if (!response.ok) throw new ApiError(response.status, detailOf(await response.text(), response.status));
  return (response.status === 204 ? null : await response.json()) as T;
}

/** Goes to the sign-in page, and comes back here afterwards. The promise never settles: the page is on its way out. */
function leaveForSignIn(): Promise<never> {
  const here = location.pathname + location.search;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
  return new Promise(() => {});
}

/** Returns the sentence in an error's body; validation errors have one for each field. */
export function detailOf(body: string, status: number): string {
  if (status === 401) return "You are signed out. Sign in in another tab, then try again here.";
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    if (typeof detail === "string") return sentence(detail);
    if (Array.isArray(detail)) return detail.map((field: { msg: string }) => field.msg).join(". ");
  } catch {
    // Something in between answered, in a language of its own.
  }
  return `The server answered with status ${status}. Try again in a moment.`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function send(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const init: RequestInit = {
    method,
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  };
  return fetch(path, init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, UNREACHABLE);
  });
}
