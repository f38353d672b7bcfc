/**
 * Returns the headers that every page of the base host carries: no script or style but our own files, no request to any
 * other host, nobody frames it, and its address goes nowhere. `formAction` names where its forms may lead, redirects
 * included: browsers hold a redirect after a form to the same list.
 */
export function pagePolicy({ formAction = "'self'" }: { readonly formAction?: string } = {}): Record<string, string> {
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": directives.join("; "),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  };
}
