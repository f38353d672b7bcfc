import type { JSX } from "preact";
import { formatMoment } from "../../../format.ts";
import { type DomainCertificate, validityOf } from "./certificate-words.ts";

/** How long a certificate is valid, with the exact time as a title. */
export function Validity({ certificate }: { certificate: DomainCertificate }): JSX.Element {
  const { text, soon } = validityOf(certificate, Date.now());
  return (
    <time
      class={soon ? "warn" : undefined}
      dateTime={certificate.not_after}
      title={formatMoment(certificate.not_after)}
    >
      certificate {text}
    </time>
  );
}
