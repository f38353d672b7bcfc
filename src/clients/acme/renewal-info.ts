import type { Certificate, RenewalInfo } from "../../domain/certificates/certificate.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { fetchJson } from "./transport.ts";

/** How often to ask where the CA does not say; what it says is kept between an hour and a day (RFC 9773 section 4.3.2). */
const USUAL_INTERVAL = 6 * HOUR;

/** Returns when the CA wants a certificate renewed; no window where it does not offer renewal information. */
export async function renewalInfo(
  resource: string | null,
  certificate: Certificate,
  now: number,
): Promise<RenewalInfo> {
  if (resource === null || certificate.renewalId === null) return { window: null, nextLookAt: now + DAY };
  const { body, retryAfter } = await fetchJson(`${resource}/${certificate.renewalId}`);
  const interval = Math.min(Math.max(retryAfter ?? USUAL_INTERVAL, HOUR), DAY);
  return { window: windowOf(body.suggestedWindow), nextLookAt: now + interval };
}

/** Returns where a CA answers for its certificates, from its directory; null where it does not, nor knows `replaces`. */
export async function renewalInfoUrl(directory: string): Promise<string | null> {
  const { renewalInfo: url } = (await fetchJson(directory)).body;
  return typeof url === "string" && URL.canParse(url) ? url.replace(/\/$/, "") : null;
}

// --- internal ---

function windowOf(value: unknown): RenewalInfo["window"] {
  const { start, end } = (value ?? {}) as { start?: unknown; end?: unknown };
  const window = { start: Date.parse(String(start)), end: Date.parse(String(end)) };
  return Number.isNaN(window.start) || Number.isNaN(window.end) ? null : window;
}
