/**
 * Returns the headers of pages of the base host: scripts and styles only from the server's own files, no requests to
 * other hosts except for images from `images`, no frames, and no Referer for other hosts.
 */
export function pagePolicy({ images = "" }: { readonly images?: string } = {}): Record<string, string> {
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${images}`.trim(),
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": directives.join("; "),
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  };
}
