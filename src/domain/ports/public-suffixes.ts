/** The list of suffixes under which the public registers names (publicsuffix.org), private ones such as `github.io` included. */
export interface PublicSuffixes {
  /** Returns the name that is registered: one label more than the suffix. Null when the hostname is itself a suffix. */
  registrableDomain(hostname: string): string | null;
}
