import { DomainError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store.ts";
import type { SessionCaller } from "../sign-in/caller.ts";
import { newCode } from "../sign-in/sealed.ts";
import { HOUR, SECOND } from "../timestamp.ts";

/** How long the code lives that brings a person from the base address to a private site. */
const VISIT_CODE_LIFETIME = 60 * SECOND;
/** A visit renews itself through the base address, unseen, while the person is signed in there. */
export const VISIT_LIFETIME = 12 * HOUR;

interface Ports {
  readonly store: Pick<Store, "readers" | "visits">;
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** Where a visitor of a private site was when they were asked to sign in. */
export interface VisitRequest {
  readonly host: string;
  readonly path: string;
  /** SHA-256 of the state cookie that the site's own host has set in the visitor's browser. */
  readonly stateHash: string;
}

/**
 * Returns a one-time code for the site's own host, or null when the person is neither its owner nor a reader.
 * `siteId` null stands for a host without a site: to a stranger it looks like one that they may not read.
 */
export async function grantVisit(
  ports: Ports,
  caller: SessionCaller,
  siteId: number | null,
  request: VisitRequest,
): Promise<string | null> {
  const { store, clock, secrets } = ports;
  if (siteId === null || !(await store.readers.mayRead(siteId, caller.user.id))) return null;
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

/**
 * Redeems a code on the site's own host: returns the token for its cookie and the page that the visitor wanted.
 * Throws `invalid` for a code that is unknown, used, late, for another host or site, or of another browser.
 */
export async function openVisit(
  ports: Ports,
  at: { readonly host: string; readonly siteId: number },
  presented: { readonly code: string; readonly state: string },
): Promise<{ readonly token: string; readonly path: string }> {
  const { store, clock, secrets } = ports;
  const now = clock.now();
  const token = newCode(secrets);
  const stateHash = secrets.sha256(presented.state);
  const redeemed = await store.visits.redeem(
    secrets.sha256(presented.code),
    (code) =>
      code.host === at.host && code.siteId === at.siteId && code.stateHash === stateHash && now < code.expiresAt,
    { tokenHash: secrets.sha256(token), expiresAt: now + VISIT_LIFETIME },
  );
  if (redeemed === null) throw new DomainError("invalid", "This link is used up or too old. Open the page again.");
  return { token, path: redeemed.path };
}
