import { type Claim, challengePath, type Mode } from "./claim.ts";
import type { Observation } from "./observation.ts";
import { explain, isRedirectLoop } from "./probe-verdict.ts";

/** Where this server's certificates come from; decides which probes a connection must pass. */
export type TlsMode = "off" | "internal" | "manual" | "acme";

/** What the probes of a name amount to. `waiting`: something of our own is under way, nothing is wrong. */
type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "waiting"; readonly orderCertificate: boolean }
  | { readonly kind: "failed"; readonly error: string };

const PASSED: Verdict = { kind: "passed" };

/**
 * Judges the probes of a routed name that leads here as `observed`. TLS `off` is judged over HTTP alone, `manual` and
 * `internal` by HTTPS. With `acme` a certificate is ordered once HTTP came back, and HTTPS is judged when it is there.
 */
export function evaluateProbes(claim: Claim, observed: Mode, seen: Observation, tls: TlsMode): Verdict {
  const asked = { hostname: claim.hostname, path: challengePath(claim) };
  const { http, https } = seen;
  const httpError = explain(asked, "http", http);
  const httpsError = explain(asked, "https", https);

  if (tls === "off") return verdictOn(httpError);
  if (httpError !== null && httpsError !== null && isRedirectLoop(asked, https, http)) {
    return failure(`${claim.hostname} is a redirect loop between HTTP and HTTPS. ${httpsError}`);
  }
  if (tls !== "acme") return verdictOn(httpsError);

  const certificate = seen.certificate.state;
  if (certificate !== "ready") {
    // Behind an edge that forwards no HTTP none can be ordered, and visitors get the edge's own.
    if (httpError !== null) return observed === "proxy" && httpsError === null ? PASSED : failure(httpError);
    if (certificate === "failed") return failure(`no certificate for ${claim.hostname}: ${seen.certificate.error}`);
    return { kind: "waiting", orderCertificate: certificate === "none" };
  }
  if (httpsError !== null) return failure(httpsError);
  const ownCertificate = observed === "proxy" || (https?.kind === "answered" && https.certificateNamesHost);
  return ownCertificate ? PASSED : failure(notPresented(claim.hostname));
}

function verdictOn(error: string | null): Verdict {
  return error === null ? PASSED : failure(error);
}

function failure(error: string): Verdict {
  return { kind: "failed", error };
}

/** A certificate is ready once every listener presents it: another one comes from somewhere else. */
function notPresented(hostname: string): string {
  return `https://${hostname} presents a certificate for other names, although its own is ready: something in front of this server terminates TLS. Let TLS pass through, or present a certificate for ${hostname}.`;
}

/** Whether the challenge came back at all. Certificates are ordered by HTTP alone, see `evaluateProbes`. */
export function challengeCameBack({ http, https }: Observation): boolean {
  return [http, https].some((probe) => probe?.kind === "answered" && probe.returned);
}
