import { Unusable } from "./parsers.ts";
import type { Known } from "./setting.ts";

/** Returns null, or throws with what is usable where a setting cannot be left out. */
export function neededWhen(needed: boolean, usable: string): null {
  if (needed) throw new Unusable(usable);
  return null;
}

/** The server as it is reached from its own machine. */
export function localBaseUrl({ tls, listen }: Known): string {
  return new URL(`${tls === "off" ? "http" : "https"}://localhost:${listen.port}`).origin;
}

/** Loopback addresses stand for `localhost`; other addresses have no names below them. */
export function sitesDomainOf({ baseUrl }: Known): string {
  const { hostname } = new URL(baseUrl);
  if (hostname === "[::1]" || hostname.startsWith("127.")) return "localhost";
  if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) {
    throw new Unusable("a domain name below which sites get theirs, because the base URL is a bare address");
  }
  return hostname;
}

/** GitHub lives in one place; an OIDC issuer has to be named. */
export function providerUrlOf({ provider }: Known): string | null {
  if (provider === "github") return "https://github.com";
  return neededWhen(provider === "oidc", "the address of the OIDC issuer");
}
