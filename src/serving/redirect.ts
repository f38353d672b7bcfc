import { REFERRER_POLICY } from "./answer-headers.ts";
import type { Route } from "./ports.ts";

/** Returns the answer that leads a visitor elsewhere. */
export function redirect(route: Pick<Route, "private" | "isLive">, location: string, status: number): Response {
  const headers = new Headers({ location, "x-content-type-options": "nosniff", "referrer-policy": REFERRER_POLICY });
  // A redirect follows the deployment: a browser that kept a 301 for ever would never see the next one.
  headers.set("cache-control", route.private ? "private, no-store" : "public, max-age=0, must-revalidate");
  if (route.private) headers.set("vary", "Cookie");
  if (!route.isLive) headers.set("x-robots-tag", "noindex");
  return new Response(null, { status, headers });
}
