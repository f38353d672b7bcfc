/**
 * Returns the answer to what is no request of any host. It is the same for all of them, with the fields of a private
 * site's answers: a stranger learns nothing of the host.
 */
export function refuse(status: 400 | 414, detail: string): Response {
  const headers = {
    Connection: "close",
    "Cache-Control": "private, no-store",
    Vary: "Cookie",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
  };
  return Response.json({ detail }, { status, headers });
}
