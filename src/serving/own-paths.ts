import { respondToChallenge } from "../domain/claims/challenge.ts";
import { LOGO_PATH } from "../domain/request-target.ts";
import { ISOLATED } from "./http/resource-policy.ts";
import { respondWithLogo } from "./pages/render.ts";
import type { HostingPorts } from "./ports.ts";

const ACME_PREFIX = "/.well-known/acme-challenge/";

/**
 * Responds at the server's own paths, on every port and host: the challenge of a pending order, the probe of a claim,
 * the operator's logo, and 404 for everything else. Never a redirect, a sign-in, or content of a site.
 */
export async function respondToOwnPath(ports: Pick<HostingPorts, "store" | "clock">, path: string): Promise<Response> {
  if (path === LOGO_PATH) return respondWithLogo();
  const text = path.startsWith(ACME_PREFIX)
    ? keyAuthorization(ports, path.slice(ACME_PREFIX.length))
    : await respondToChallenge(ports.store, path);
  return new Response(text ?? "not found\n", {
    status: text === null ? 404 : 200,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...ISOLATED,
    },
  });
}

// --- internal ---

function keyAuthorization({ store, clock }: Pick<HostingPorts, "store" | "clock">, token: string): string | null {
  return store.acme.challengeValues("http-01", token, clock.now())[0] ?? null;
}
