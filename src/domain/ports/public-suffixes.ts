/** The public suffix list (publicsuffix.org), including private suffixes such as `github.io`. */
export interface PublicSuffixes {
  /** Returns the registrable domain: the suffix and one label. Null if the hostname is itself a suffix. */
  registrableDomain(hostname: string): string | null;
}
