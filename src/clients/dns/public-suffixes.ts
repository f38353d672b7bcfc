import { getDomain } from "tldts";
import type { PublicSuffixes } from "../../domain/claims/hostname.ts";

/** The public suffix list in the installed version of `tldts`. */
export function bundledPublicSuffixes(): PublicSuffixes {
  return {
    registrableDomain: (hostname) => getDomain(hostname, { allowPrivateDomains: true, validateHostname: false }),
  };
}
