import { challengeRecordName, type ServerHosts } from "../certificates/wanted.ts";
import { type Certificate, covers, type ManagedCertificate } from "../model/certificate.ts";
import { type Finding, ok, problem, warning } from "../model/finding.ts";
import { DAY } from "../timestamp.ts";

/** Renewal starts 30 days before expiry. Less than this means that it has been failing for weeks. */
const RENEWAL_OVERDUE = 14 * DAY;

/** Checks each certificate that the server orders. */
export function examineManaged(certificates: readonly ManagedCertificate[], now: number): Finding[] {
  return certificates.map(({ subject, current, attempts }) => {
    if (current) return examineEnd(subject, current.notAfter, attempts.error, now);
    const why = attempts.error ?? "it is being issued";
    const advice = "check that the name points to this server and that port 80 is open";
    return warning("certificate", `${subject} has no certificate yet: ${why}`, advice);
  });
}

/** Checks the operator's certificate in `file`, which must be valid for the base host and all sites. */
export function examineProvided(
  file: string,
  certificate: Pick<Certificate, "names" | "notAfter">,
  { baseHost, sitesDomain }: Pick<ServerHosts, "baseHost" | "sitesDomain">,
  now: number,
): Finding[] {
  const wanted = [baseHost, `*.${sitesDomain}`];
  const lacking = wanted.filter((name) => !covers(certificate.names, name));
  const end = examineEnd(file, certificate.notAfter, null, now);
  if (lacking.length === 0) return [end];
  const detail = `${file} is valid for ${certificate.names.join(", ")}, but not for ${lacking.join(", ")}`;
  return [end, problem("certificate", detail, `get a certificate for ${wanted.join(" and ")}`)];
}

/** Returns a warning if sites have no certificate from a public CA, which needs the DNS responder for a wildcard. */
export function examineWildcard({ baseHost, sitesDomain, wildcard }: ServerHosts): Finding[] {
  if (wildcard) return [];
  const advice = `set dns-listen, and add the DNS record ${challengeRecordName(sitesDomain)} NS ${baseHost}`;
  return [warning("certificate", `sites under ${sitesDomain} need a wildcard certificate, which takes DNS-01`, advice)];
}

// --- internal ---

function examineEnd(name: string, notAfter: number, error: string | null, now: number): Finding {
  const days = Math.floor((notAfter - now) / DAY);
  const why = error === null ? "" : `: ${error}`;
  if (days < 0) return problem("certificate", `${name} expired ${-days} days ago${why}`, "renew it");
  if (days * DAY < RENEWAL_OVERDUE) return warning("certificate", `${name} expires in ${days} days${why}`, "renew it");
  return ok("certificate", `${name} is valid for ${days} more days`);
}
