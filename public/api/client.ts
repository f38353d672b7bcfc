import { sentence } from "../format.ts";

export { messageOf } from "../../src/domain/error-message.ts";

/** An error with the API's message, or with its own if there was no response. */
export class ApiError extends Error {
  /** `status` is 0 if the server could not be reached; `reloaded` resolves once the page is reloaded. */
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly reloaded: Promise<unknown> = Promise.resolve(),
  ) {
    super(detail);
  }
}

/** Returns whether the server itself did not respond. */
export function isUnreachable({ status }: ApiError): boolean {
  return status === 0;
}

const UNREACHABLE = "The server cannot be reached. Check your connection, then try again.";
const UNREADABLE =
  "The response did not come from the server, or was incomplete. Check your connection, then try again.";

let holds = 0;

/** Prevents redirects to the sign-in page, which would lose data. Returns a function that allows them again. */
export function holdPage(): () => void {
  holds += 1;
  return () => {
    holds -= 1;
  };
}

/**
 * Calls the public API with the browser's session. Throws ApiError. Without a session, or with a frozen account, it
 * redirects to the sign-in page, unless the page is held.
 */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  try {
    const requested = reload<T>(method, path, body, signal);
    return await (method === "GET" ? requested : ownChange(requested));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isShutOut(error) && holds === 0) return leaveForSignIn();
    if (method === "GET" || !OUTDATED.includes(error.status)) throw error;
    throw new ApiError(error.status, error.detail, reloadPage());
  }
}

let ownChanges = 0;
let lastOwnChangeAt = Number.NEGATIVE_INFINITY;

/** The server sends an event within a fraction of a second; a slow connection may take longer. */
const OWN_CHANGE_ARRIVES_MS = 2000;

/** Marks a change as this tab's own, until the server's event for it arrives. */
export async function ownChange<T>(change: Promise<T>): Promise<T> {
  ownChanges += 1;
  try {
    return await change;
  } finally {
    ownChanges -= 1;
    lastOwnChangeAt = performance.now();
  }
}

/** Returns whether an event that arrives now is probably this tab's own change. */
export function isOwnChange(): boolean {
  return ownChanges > 0 || performance.now() - lastOwnChangeAt < OWN_CHANGE_ARRIVES_MS;
}

const NOT_MODIFIED = 304;

/** Downloads a file. Rejects with the API's error, which the browser would otherwise save as the file. */
export async function download(path: string): Promise<void> {
  // With this header the response has no body.
  const response = await send("GET", path, undefined, undefined, { "If-None-Match": "*" });
  if (response.status !== NOT_MODIFIED) throw refusalOf(response.status, await response.text());
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}

/** Statuses of a change if the page is out of date. */
const OUTDATED: readonly number[] = [403, 404, 409];

let reloadPage: () => Promise<unknown> = async () => {};

/** Calls `reload` whenever a change is refused, because the data may have changed elsewhere. */
export function onRefusal(reload: () => Promise<unknown>): void {
  reloadPage = reload;
}

async function reload<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await send(method, path, body, signal);
  if (!response.ok) throw refusalOf(response.status, await response.text());
  return (response.status === 204 ? null : await readJson(response)) as T;
}

/** Statuses of a proxy whose server is down. */
const GATEWAY: readonly number[] = [502, 503, 504];

function refusalOf(status: number, body: string): ApiError {
  const isAway = GATEWAY.includes(status) && !isJson(body);
  return isAway ? new ApiError(0, UNREACHABLE) : new ApiError(status, detailOf(body, status));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Detects responses of a proxy and truncated responses. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(response.status, UNREADABLE);
  }
}

/** Returns whether every request is refused: the session has ended, or the account is frozen, which its page explains. */
export function isShutOut({ status, detail }: Pick<ApiError, "status" | "detail">): boolean {
  return status === 401 || (status === 403 && /^account is frozen\b/i.test(detail));
}

/** Redirects to the sign-in page, which returns here. The promise never settles, because the page unloads. */
function leaveForSignIn(): Promise<never> {
  const here = location.pathname + location.search;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
  return new Promise(() => {});
}

/** Statuses for a URL that is too long. */
const TOO_LONG: readonly number[] = [414, 431];

/** Returns the message in an error's body; validation errors have one per field. */
export function detailOf(body: string, status: number): string {
  if (status === 401) return "Your session has ended. Sign in in another tab, then try again here.";
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    if (typeof detail === "string") return sentence(detail);
    if (Array.isArray(detail)) return detail.map(fieldSentence).join(" ");
  } catch {
    // The response is not from the API.
  }
  if (TOO_LONG.includes(status)) return "The text is too long to be sent.";
  return `The server answered with status ${status}. Try again in a moment.`;
}

/** `{loc: ["body", "site_name"], msg: "Field required"}` → `Site name: Field required.` */
function fieldSentence({ loc, msg }: { loc: readonly (string | number)[]; msg: string }): string {
  const field = loc.slice(1).join(" ").replaceAll("_", " ");
  const text = field === "" ? msg : `${field}: ${msg}`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function send(
  method: string,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const init: RequestInit = {
    method,
    headers: { ...type, ...headers },
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return fetch(path, init).catch((error: unknown) => {
    if (isAbort(error)) throw error;
    throw new ApiError(0, UNREACHABLE);
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
