import { getDomain } from "tldts";
import type { PublicSuffixes } from "../../domain/ports/public-suffixes.ts";

/** The public suffix list as it was when `tldts` was released. */
export function bundledPublicSuffixes(): PublicSuffixes {
  return {
    registrableDomain: (hostname) => getDomain(hostname, { allowPrivateDomains: true, validateHostname: false }),
  };
}
