import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { SettingInForce } from "../domain/operators/settings.ts";
import { STANDARD_ISSUERS } from "../domain/publishers/manage.ts";
import { BACKUP_SETTINGS } from "./backups.ts";
import { brandColor, brandContact, brandLogo, brandName } from "./brand.ts";
import { LIMIT_SETTINGS, RATE_SETTINGS } from "./limits.ts";
import {
  ConfigError,
  findUnknownVariables,
  loadSettings,
  namedSettingsFile,
  type Sources,
  settingsInForce,
  type UnknownVariable,
} from "./load.ts";
import * as parse from "./parsers.ts";
import { formatListenAddress, type ListenAddress } from "./parsers.ts";
import {
  type ConfigOf,
  type Known,
  localBaseUrl,
  neededWhen,
  providerUrlOf,
  setting,
  settingsMarkdown,
  sitesDomainOf,
  variableOf,
} from "./setting.ts";

export { LIMIT_SETTINGS, RATE_SETTINGS } from "./limits.ts";
export { ConfigError, namedSettingsFile, type Sources } from "./load.ts";
export {
  bytes,
  duration,
  formatListenAddress,
  type ListenAddress,
  orOff,
  type Parser,
  type RoutingTarget,
  Unusable,
  wholeNumber,
} from "./parsers.ts";

const MIB = 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

/**
 * The table of all settings. A new setting is a new row: the flag of `serve`, the variable, the key of
 * vitrine.toml, the help and docs/reference.md are derived from it. Rows precede those whose defaults depend on them.
 */
export const SETTINGS = {
  dataDir: setting({
    flag: "data-dir",
    value: "FOLDER",
    parse: parse.path,
    default: () => resolve("vitrine-data"),
    defaultText: "`./vitrine-data`",
    help: "folder for the database, content, certificates and vitrine.toml",
  }),
  tls: setting({
    flag: "tls",
    value: "MODE",
    parse: parse.oneOf("off", "internal", "manual", "acme"),
    default: "off",
    defaultText: "`off`",
    help: "source of certificates: off, internal (own local CA), manual (files) or acme",
  }),
  tlsCert: setting({
    flag: "tls-cert",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: ({ tls }: Known) => neededWhen(tls === "manual", "the certificate chain as a PEM file"),
    defaultText: "none",
    help: "certificate chain (PEM) for --tls manual",
  }),
  tlsKey: setting({
    flag: "tls-key",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: ({ tls }: Known) => neededWhen(tls === "manual", "the certificate's private key as a PEM file"),
    defaultText: "none",
    help: "private key (PEM) for --tls manual",
  }),
  listen: setting({
    flag: "listen",
    value: "ADDRESS",
    parse: parse.listenAddress,
    default: ({ tls }: Known) => (tls === "off" ? { host: "127.0.0.1", port: 8080 } : { host: null, port: 443 }),
    defaultText: "`127.0.0.1:8080`; `:443` once TLS is on",
    help: "address to listen on, such as 127.0.0.1:8080, [::1]:8080 or :443",
  }),
  httpListen: setting({
    flag: "http-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: ({ tls }: Known) => (tls === "acme" ? { host: null, port: 80 } : null),
    defaultText: "`off`; `:80` with TLS `acme`",
    help: "plain HTTP address beside TLS, for ACME challenges and redirects to HTTPS",
  }),
  http2: setting({
    flag: "http2",
    value: "on|off",
    parse: parse.onOff,
    default: true,
    defaultText: "`on`",
    help: "offer HTTP/2 as well as HTTP/1.1, with TLS",
  }),
  hsts: setting({
    flag: "hsts",
    value: "TIME",
    parse: parse.orOff(parse.duration),
    default: 365 * DAY,
    defaultText: "`365d`",
    help: "how long browsers use only HTTPS for the base URL's host (with TLS manual or acme), or off",
  }),
  baseUrl: setting({
    flag: "base-url",
    value: "URL",
    parse: parse.origin,
    default: localBaseUrl,
    defaultText: "`http://localhost:<port>`; `https://` once TLS is on",
    help: "public URL of the dashboard and the API",
  }),
  sitesDomain: setting({
    flag: "sites-domain",
    value: "DOMAIN",
    parse: parse.domainName,
    default: sitesDomainOf,
    defaultText: "host of the base URL",
    help: "domain under which sites get their hostnames",
  }),
  workers: setting({
    flag: "workers",
    value: "N",
    parse: parse.wholeNumber(1, 256),
    default: () => availableParallelism(),
    defaultText: "number of cores",
    help: "threads that answer requests",
  }),
  drainDelay: setting({
    flag: "drain-delay",
    value: "TIME",
    parse: parse.orOff(parse.durationWithin(1000, 300_000)),
    default: null,
    defaultText: "`off`",
    help: "time before a stop during which `GET /ready` already answers 503, so that a load balancer sends requests elsewhere",
  }),
  trustedProxies: setting({
    flag: "trusted-proxies",
    value: "CIDRS",
    parse: parse.listOf(parse.cidr),
    default: [],
    defaultText: "none",
    help: "address ranges whose X-Forwarded-For, X-Forwarded-Proto and CF-IPCountry headers are trusted",
  }),
  acmeDirectory: setting({
    flag: "acme-directory",
    value: "URL",
    parse: parse.webUrl,
    default: "https://acme-v02.api.letsencrypt.org/directory",
    defaultText: "Let's Encrypt production",
    help: "directory URL of the ACME server",
  }),
  acmeCaFile: setting({
    flag: "acme-ca-file",
    value: "FILE",
    parse: parse.optional(parse.path),
    default: null,
    defaultText: "none",
    help: "extra trusted root certificate (PEM) for connections to the ACME server",
  }),
  acmeEmail: setting({
    flag: "acme-email",
    value: "EMAIL",
    parse: parse.optional(parse.email),
    default: null,
    defaultText: "none",
    help: "contact address of the ACME account",
  }),
  acmeEabKid: setting({
    flag: "acme-eab-kid",
    value: "ID",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "key ID of the external account binding, if the CA requires one",
  }),
  acmeEabHmac: setting({
    flag: "acme-eab-hmac",
    value: "KEY",
    parse: parse.optional(parse.base64url),
    default: null,
    defaultText: "none",
    help: "HMAC key of the external account binding, in base64url or base64",
    secret: true,
  }),
  acmeFallbackDirectory: setting({
    flag: "acme-fallback-directory",
    value: "URL",
    parse: parse.optional(parse.webUrl),
    default: null,
    defaultText: "none",
    help: "directory URL of a second ACME server, used after three failures of the first and while the first asks to wait",
  }),
  acmeFallbackEabKid: setting({
    flag: "acme-fallback-eab-kid",
    value: "ID",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "key ID of the external account binding at the second ACME server",
  }),
  acmeFallbackEabHmac: setting({
    flag: "acme-fallback-eab-hmac",
    value: "KEY",
    parse: parse.optional(parse.base64url),
    default: null,
    defaultText: "none",
    help: "HMAC key of the external account binding at the second ACME server, in base64url or base64",
    secret: true,
  }),
  dnsResolvers: setting({
    flag: "dns-resolvers",
    value: "ADDRESSES",
    parse: parse.listOf(parse.addressAndPort(53)),
    default: [],
    defaultText: "the system's",
    help: "DNS resolvers for custom domains, as a list of ip:port",
  }),
  dnsListen: setting({
    flag: "dns-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: null,
    defaultText: "`off`",
    help: "address of the built-in DNS-01 responder (UDP and TCP)",
  }),
  routingTargets: setting({
    flag: "routing-targets",
    value: "RECORDS",
    parse: parse.listOf(parse.routingTarget),
    default: [],
    defaultText: "none",
    help: "the server's public addresses, as records such as A:203.0.113.7,AAAA:2001:db8::7",
  }),
  domains: setting({
    flag: "domains",
    value: "on|off",
    parse: parse.onOff,
    default: ({ routingTargets }: Known) => routingTargets.length > 0,
    defaultText: "`on` when routing targets are known",
    help: "allow custom domains",
  }),
  proxyRanges: setting({
    flag: "proxy-ranges",
    value: "CIDRS|FILE",
    parse: parse.optional(parse.cidrsOrFile),
    default: null,
    defaultText: "built-in list",
    help: "address ranges of the edge, instead of the built-in list",
  }),
  probePorts: setting({
    flag: "probe-ports",
    value: "HTTP,HTTPS",
    parse: parse.probePorts,
    default: { http: 80, https: 443 },
    defaultText: "`80,443`",
    help: "HTTP and HTTPS port for probes of custom domains",
  }),
  allowPrivateProbes: setting({
    flag: "allow-private-probes",
    value: "on|off",
    parse: parse.onOff,
    default: false,
    defaultText: "`off`",
    help: "allow probes of custom domains to reach loopback and private addresses",
  }),
  allowPrivateWebhooks: setting({
    flag: "allow-private-webhooks",
    value: "on|off",
    parse: parse.onOff,
    default: false,
    defaultText: "`off`",
    help: "allow webhooks to reach loopback and private addresses, and any port",
  }),
  admin: setting({
    flag: "admin",
    value: "on|off",
    parse: parse.onOff,
    default: true,
    defaultText: "`on`",
    help: "the console for operators, /admin, and its API",
  }),
  brandName: setting({
    flag: "brand-name",
    value: "NAME",
    parse: parse.optional(brandName),
    default: null,
    defaultText: "none",
    help: "your name, on the pages that visitors get instead of a site's, such as 404 and frozen",
  }),
  brandColor: setting({
    flag: "brand-color",
    value: "COLOR",
    parse: parse.optional(brandColor),
    default: null,
    defaultText: "none",
    help: "colour of these pages, such as #4453d6; made darker or lighter where it would be hard to see",
  }),
  brandLogo: setting({
    flag: "brand-logo",
    value: "FILE",
    parse: parse.optional(brandLogo),
    default: null,
    defaultText: "none",
    help: "logo on these pages, a PNG or SVG file of at most 8 KiB",
  }),
  brandContact: setting({
    flag: "brand-contact",
    value: "URL",
    parse: parse.optional(brandContact),
    default: null,
    defaultText: "none",
    help: "link on these pages for people who need help: mailto: or https://",
  }),
  provider: setting({
    flag: "provider",
    value: "NAME",
    parse: parse.oneOf("local", "github", "oidc"),
    default: "local",
    defaultText: "`local`",
    help: "who signs users in: local (accounts on this server), github or oidc",
  }),
  providerUrl: setting({
    flag: "provider-url",
    value: "URL",
    parse: parse.optional(parse.webUrl),
    default: providerUrlOf,
    defaultText: "GitHub's for `github`",
    help: "URL of the provider: GitHub's, or the OIDC issuer",
  }),
  providerClientId: setting({
    flag: "provider-client-id",
    value: "ID",
    parse: parse.optional(parse.text),
    default: ({ provider }: Known) => neededWhen(provider !== "local", "the client ID that the provider gave out"),
    defaultText: "none",
    help: "client ID at the provider",
  }),
  providerClientSecret: setting({
    flag: "provider-client-secret",
    value: "SECRET",
    parse: parse.optional(parse.text),
    default: null,
    defaultText: "none",
    help: "client secret at the provider; a variable keeps it out of the process list",
    secret: true,
  }),
  signup: setting({
    flag: "signup",
    value: "MODE",
    parse: parse.oneOf("closed", "open"),
    default: "closed",
    defaultText: "`closed`",
    help: "who may sign in: closed (users who were added) or open (everyone the provider knows)",
  }),
  ciIssuers: setting({
    flag: "ci-issuers",
    value: "URLS",
    parse: parse.orOff(parse.listOf(parse.issuer)),
    default: Object.values(STANDARD_ISSUERS),
    defaultText: "GitHub's and gitlab.com's",
    help: "CI systems whose ID tokens publishers may rely on, as a list of issuers",
  }),
  ...LIMIT_SETTINGS,
  ...RATE_SETTINGS,
  cacheBytes: setting({
    flag: "cache-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 256 * MIB,
    defaultText: "`256MiB`",
    help: "memory for cached content, shared by all workers",
  }),
  answerBytes: setting({
    flag: "answer-bytes",
    value: "SIZE",
    parse: parse.bytes,
    default: 128 * MIB,
    defaultText: "`128MiB`",
    help: "memory for answers over TLS that slow visitors have not taken yet; with none left, large files are answered 503",
  }),
  keepLast: setting({
    flag: "keep-last",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "number of newest deployments kept per site; the active one, the one before it and pinned ones are always kept",
  }),
  keepDays: setting({
    flag: "keep-days",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: null,
    defaultText: "`off`",
    help: "days for which a deployment is kept after it was created or active; either rule keeps it",
  }),
  auditDays: setting({
    flag: "audit-days",
    value: "N",
    parse: parse.orOff(parse.wholeNumber(1)),
    default: 365,
    defaultText: "`365`",
    help: "days for which the audit log is kept; off keeps it forever",
  }),
  ...BACKUP_SETTINGS,
  log: setting({
    flag: "log",
    value: "FORMAT",
    parse: parse.oneOf("text", "json", "off"),
    default: "text",
    defaultText: "`text`",
    help: "access and event log on stderr: text, json or off",
  }),
  logAddresses: setting({
    flag: "log-addresses",
    value: "HOW",
    parse: parse.oneOf("full", "truncated", "off"),
    default: "full",
    defaultText: "`full`",
    help: "visitor addresses in the access log: full, truncated to their network, or off",
  }),
  metricsListen: setting({
    flag: "metrics-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: null,
    defaultText: "`off`",
    help: "address of a separate listener for /metrics in Prometheus format, such as 127.0.0.1:9464",
  }),
} as const;

/** Every setting, parsed and frozen. */
export type Config = ConfigOf<typeof SETTINGS> & {
  /** The settings as text, each with its source. */
  readonly inForce: readonly SettingInForce[];
  /** The settings file that was named; null for that of the data folder, which is read if it is there. */
  readonly settingsFile: string | null;
};

/** Reads the settings from their sources. Throws `ConfigError`. */
export function loadConfig(sources: Sources): Config {
  const config = loadChecked(SETTINGS, sources);
  if (config.tls === "acme") {
    refuseHalfBinding("acme", config.acmeEabKid, config.acmeEabHmac);
    refuseHalfBinding("acme-fallback", config.acmeFallbackEabKid, config.acmeFallbackEabHmac);
  }
  refuseLackingSecrets(config);
  return config;
}

/**
 * The same for commands that need only the data folder. Files in settings are not read, because they may be missing
 * where a backup is inspected or restored. ACME credentials are not required: only the service may know them.
 */
export function loadDataFolderConfig(sources: Sources): Config {
  const unread = { parse: () => null };
  const { proxyRanges, brandLogo } = SETTINGS;
  const settings = { ...SETTINGS, proxyRanges: { ...proxyRanges, ...unread }, brandLogo: { ...brandLogo, ...unread } };
  return loadChecked(settings, sources);
}

function loadChecked(settings: typeof SETTINGS, sources: Sources): Config {
  const values = loadSettings(settings, sources);
  const config = Object.freeze({
    ...values,
    inForce: settingsInForce(settings, sources, values),
    settingsFile: namedSettingsFile(sources),
  });
  refuseSharedListeners(config);
  return config;
}

/** A CA treats an account without its external binding as a different one, or refuses it. */
function refuseHalfBinding(ca: string, kid: string | null, hmac: string | null): void {
  const why = (given: string) => `give what the CA gave out with --${ca}-eab-${given}.`;
  if (kid && !hmac) throw new ConfigError(`--${ca}-eab-hmac is needed here: ${why("kid")}`);
  if (hmac && !kid) throw new ConfigError(`--${ca}-eab-kid is needed here: ${why("hmac")}`);
}

/** Keys are not part of addresses, which are shown. */
function refuseLackingSecrets(config: Config): void {
  const { backupTo, s3AccessKeyId, s3SecretAccessKey, operatorWebhook, operatorWebhookSecret } = config;
  const needed = (name: string, flag: string) => {
    throw new ConfigError(`${variableOf(name)} is needed for --${flag}.`);
  };
  if (backupTo?.kind === "s3" && s3AccessKeyId === null) needed("s3-access-key-id", "backup-to");
  if (backupTo?.kind === "s3" && s3SecretAccessKey === null) needed("s3-secret-access-key", "backup-to");
  if (operatorWebhook !== null && operatorWebhookSecret === null) needed("operator-webhook-secret", "operator-webhook");
}

/** Listeners can share an address, which the threads need, so that two settings with the same one would answer randomly. */
function refuseSharedListeners({ listen, httpListen, metricsListen }: Config): void {
  const listeners = Object.entries({ listen, "http-listen": httpListen, "metrics-listen": metricsListen });
  for (const [index, [flag, address]] of listeners.entries()) {
    for (const [other, taken] of listeners.slice(0, index)) {
      if (address === null || taken === null || !overlap(address, taken)) continue;
      throw new ConfigError(
        `--${flag}: ${formatListenAddress(address)} is where --${other} listens; give another port.`,
      );
    }
  }
}

function overlap(one: ListenAddress, other: ListenAddress): boolean {
  const everywhere = [null, "0.0.0.0", "::"];
  const meet = one.host === other.host || everywhere.includes(one.host) || everywhere.includes(other.host);
  return one.port !== 0 && one.port === other.port && meet;
}

/**
 * Returns the configuration with the port that the system chose for `--listen HOST:0`,
 * also if the base URL derived its port from it.
 */
export function withListenPort(config: Config, port: number): Config {
  const baseUrl = config.baseUrl.endsWith(":0") ? config.baseUrl.replace(/0$/, String(port)) : config.baseUrl;
  return Object.freeze({ ...config, listen: { ...config.listen, port }, baseUrl });
}

/** Returns the configuration with the port that the system chose for `--http-listen HOST:0`. */
export function withHttpPort(config: Config, port: number): Config {
  return config.httpListen ? Object.freeze({ ...config, httpListen: { ...config.httpListen, port } }) : config;
}

/**
 * Returns the variables that give another process of this program what the flags of this one set, and the addresses
 * that it really has. Variables, unlike flags, are not shown by `ps`. The other process reads the settings file by
 * itself, because relative paths in it begin at its folder.
 */
export function settingsAsVariables(config: Config): Record<string, string> {
  const given = config.inForce.flatMap(({ name, source, value, secret }) => {
    const text = secret ? config[camelCase(name) as keyof Config] : value;
    return source === "flag" && typeof text === "string" ? [[variableOf(name), text] as const] : [];
  });
  return {
    ...Object.fromEntries(given),
    VITRINE_LISTEN: formatListenAddress(config.listen),
    VITRINE_BASE_URL: config.baseUrl,
  };
}

/** Returns the unknown `VITRINE_…` variables. */
export function unknownVariables(env: NonNullable<Sources["env"]>): UnknownVariable[] {
  return findUnknownVariables(SETTINGS, env);
}

export function settingsTable(): string {
  return settingsMarkdown(SETTINGS);
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
