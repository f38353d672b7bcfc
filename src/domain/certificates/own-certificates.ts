import type { Store } from "../ports/store.ts";
import type { Clock } from "../ports/system.ts";
import { catchUpWithClaims, wantOwnCertificates } from "./manage.ts";
import { type RenewalOutcome, type RenewalPorts, renewCertificates } from "./renew.ts";
import { challengeRecordName, type ServerHosts, wantedByServer, wantedLocally } from "./wanted.ts";

/**
 * Issues certificates for the server's own hosts from the local CA, at the start. Returns the certificates that could
 * not be issued, each with the reason.
 */
export async function issueOwnLocally(
  ports: RenewalPorts & { readonly store: Pick<Store, "claims"> },
  hosts: ServerHosts,
): Promise<RenewalOutcome["failed"]> {
  await wantOwnCertificates(ports, wantedLocally(hosts));
  const { failed } = await renewCertificates(ports);
  return failed;
}

/**
 * Requests certificates for the server's own hosts from public CAs, at the start, and catches up with the claims.
 * Orders nothing yet. Returns the DNS-01 records that the server must serve.
 */
export async function requestOwn(
  { store, clock }: { readonly store: Pick<Store, "acme" | "certificates" | "claims">; readonly clock: Clock },
  hosts: ServerHosts,
): Promise<readonly string[]> {
  await store.acme.deleteExpiredChallenges(clock.now());
  const wanted = wantedByServer(hosts);
  await wantOwnCertificates({ store, clock }, wanted);
  await catchUpWithClaims({ store, clock });
  return wanted
    .filter(({ challenge }) => challenge === "dns-01")
    .map(({ identifiers: [name = ""] }) => challengeRecordName(name));
}

/** OpenSSL and browsers refuse `*.localhost`: a wildcard needs at least two labels below it. */
export function acceptsWildcard(sitesDomain: string): boolean {
  return sitesDomain.includes(".");
}
