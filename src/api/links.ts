/** The addresses that answers name. */
export interface Links {
  /** Where the API and the dashboard live, without a trailing slash. */
  readonly base: string;
  /** The origin of a host that this server answers for. */
  origin(host: string): string;
  site(name: string): string;
  deployment(siteName: string, number: number): string;
  alias(siteName: string, alias: string): string;
}

/** Sites share the base address's scheme and port: one listener answers for all. */
export function makeLinks(baseUrl: string, sitesDomain: string): Links {
  const { protocol, port } = new URL(baseUrl);
  const origin = (host: string) => `${protocol}//${host}${port ? `:${port}` : ""}`;
  const below = (label: string) => origin(`${label}.${sitesDomain}`);
  return {
    base: baseUrl,
    origin,
    site: below,
    deployment: (siteName, number) => below(`${number}--${siteName}`),
    alias: (siteName, alias) => below(`${alias}--${siteName}`),
  };
}
