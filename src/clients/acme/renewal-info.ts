import type { Certificate, RenewalInfo } from "../../domain/certificates/certificate.ts";
import { DAY, HOUR } from "../../domain/timestamp.ts";
import { type AcmeFetch, fetchJson } from "./transport.ts";

/** Interval where the CA gives none; the one it gives is kept between an hour and a day (RFC 9773 section 4.3.2). */
const DEFAULT_INTERVAL_MS = 6 * HOUR;

/** Returns when the CA wants a certificate renewed; no window where it does not offer renewal information. */
export async function renewalInfo(
  fetch: AcmeFetch,
  resource: string | null,
  certificate: Certificate,
  now: number,
): Promise<RenewalInfo> {
  if (resource === null || certificate.renewalId === null) return { window: null, nextLookAt: now + DAY };
  const { body, retryAfter } = await fetchJson(fetch, `${resource}/${certificate.renewalId}`);
  const interval = Math.min(Math.max(retryAfter ?? DEFAULT_INTERVAL_MS, HOUR), DAY);
  return { window: windowOf(body.suggestedWindow), nextLookAt: now + interval };
}

/** Returns where a CA answers for its certificates, from its directory; null where it does not, nor knows `replaces`. */
export async function renewalInfoUrl(fetch: AcmeFetch, directory: string): Promise<string | null> {
  const { renewalInfo: url } = (await fetchJson(fetch, directory)).body;
  return typeof url === "string" && URL.canParse(url) ? url.replace(/\/$/, "") : null;
}

// --- internal ---

function windowOf(value: unknown): RenewalInfo["window"] {
  const { start, end } = (value ?? {}) as { start?: unknown; end?: unknown };
  const window = { start: Date.parse(String(start)), end: Date.parse(String(end)) };
  return Number.isNaN(window.start) || Number.isNaN(window.end) ? null : window;
}
