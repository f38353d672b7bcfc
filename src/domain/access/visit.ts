import { newCode } from "../accounts/sealed.ts";
import { DomainError } from "../errors.ts";
import type { SessionCaller } from "../model/caller.ts";
import type { CodeUse, VisitCode } from "../ports/store/visits.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { HOUR, SECOND } from "../timestamp.ts";

/** Lifetime of the code that carries a sign-in from the base URL to a private site. */
const VISIT_CODE_LIFETIME = 60 * SECOND;
/** A visit is renewed through redirects to the base URL while the user is signed in there. */
export const VISIT_LIFETIME = 12 * HOUR;

interface Ports {
  readonly store: Pick<Store, "readers" | "visits">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** The request of a visitor who must sign in. */
type VisitRequest = Pick<VisitCode, "host" | "path" | "stateHash">;

/** The path on the site's host that redeems a code. It cannot collide with a file, because dotfiles are never served. */
export const ENTER_PATH = "/.vitrine/enter";

/** Longer paths are not preserved through sign-in, because the URL would exceed the listener's limit. */
const MAX_PATH = 2000;

/** Encodes a visitor's request as a query for the base URL. A path that is too long becomes `/`. */
export function visitQuery({ host, path, stateHash }: VisitRequest): URLSearchParams {
  return new URLSearchParams({ host, path: isLocalPath(path) ? path : "/", state: stateHash });
}

/** Decodes such a query. Throws `invalid` if this server did not create it. */
export function readVisitRequest(query: URLSearchParams): VisitRequest {
  const [host = "", path = "", stateHash = ""] = ["host", "path", "state"].map((name) => query.get(name) ?? "");
  const isHost = /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/.test(host);
  if (isHost && isLocalPath(path) && /^[\da-f]{64}$/.test(stateHash)) return { host, path, stateHash };
  throw new DomainError("invalid", "this sign-in link is invalid: open the page of the private site again");
}

/** Begins with exactly one slash: `//elsewhere` would lead to another host. */
function isLocalPath(path: string): boolean {
  return path.length <= MAX_PATH && /^\/(?![/\\])[\x21-\x7e]*$/.test(path);
}

/**
 * Returns a one-time code for the site's host, or null if the user is neither its owner nor a reader.
 * `siteId` null is a host without a site.
 */
export async function grantVisit(
  ports: Ports,
  caller: SessionCaller,
  siteId: number | null,
  request: VisitRequest,
): Promise<string | null> {
  const { store, clock, secrets } = ports;
  if (siteId === null || !(await store.readers.mayRead(siteId, caller.user.id, caller.at))) return null;
  const code = newCode(secrets);
  await store.visits.addCode({
    ...request,
    codeHash: secrets.sha256(code),
    siteId,
    userId: caller.user.id,
    sessionId: caller.sessionId,
    expiresAt: clock.now() + VISIT_CODE_LIFETIME,
  });
  return code;
}

/** Returns whether a code was issued for this host, site and browser, and has not expired. */
export function isCodeGoodFor(code: VisitCode, { host, siteId, stateHash, now }: CodeUse): boolean {
  return code.host === host && code.siteId === siteId && code.stateHash === stateHash && now < code.expiresAt;
}

/**
 * Redeems a code on the site's host. Returns the token for its cookie and the requested path.
 * Throws `invalid` for a code that is unknown, used, expired, or for another host, site or browser.
 */
export async function openVisit(
  ports: Ports,
  at: { readonly host: string; readonly siteId: number },
  presented: { readonly code: string; readonly state: string },
): Promise<{ readonly token: string; readonly path: string }> {
  const { store, clock, secrets } = ports;
  const now = clock.now();
  const token = newCode(secrets);
  const redeemed = await store.visits.redeem(
    secrets.sha256(presented.code),
    { ...at, stateHash: secrets.sha256(presented.state), now },
    { tokenHash: secrets.sha256(token), expiresAt: now + VISIT_LIFETIME },
  );
  if (redeemed === null)
    throw new DomainError("invalid", "this sign-in link was used or has expired: open the page again");
  return { token, path: redeemed.path };
}
