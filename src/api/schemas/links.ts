import type { SiteUrls } from "../../domain/model/events.ts";

/** The URLs in responses. */
export interface Links extends SiteUrls {
  /** The base URL of API and dashboard, without a trailing slash. */
  readonly base: string;
  /** Where agents connect, and the resource of their tokens. */
  readonly mcp: string;
  /** Returns the origin of a host of this server. */
  origin(host: string): string;
}

/** Returns the URL of an invitation, or of a link that sets a password. */
export function accountUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/account/${token}`;
}

/** Sites share the base URL's scheme and port, because one listener serves them all. */
export function makeLinks(baseUrl: string, sitesDomain: string): Links {
  const { protocol, port } = new URL(baseUrl);
  const origin = (host: string) => `${protocol}//${host}${port ? `:${port}` : ""}`;
  const below = (label: string) => origin(`${label}.${sitesDomain}`);
  return {
    base: baseUrl,
    mcp: `${baseUrl}/mcp`,
    origin,
    site: below,
    deployment: (siteName, number) => below(`${number}--${siteName}`),
    alias: (siteName, alias) => below(`${alias}--${siteName}`),
  };
}
