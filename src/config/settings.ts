import { shareObjects } from "../domain/backups/destination.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../domain/database-url.ts";
import type { SettingInForce } from "../domain/model/setting.ts";
import { ConfigError } from "./config-error.ts";
import {
  findUnknownVariables,
  loadSettings,
  namedSettingsFile,
  type Sources,
  settingsInForce,
  type UnknownVariable,
} from "./load.ts";
import { ACCOUNT_SETTINGS } from "./rows/accounts.ts";
import { ACME_SETTINGS } from "./rows/acme.ts";
import { AGENT_SETTINGS } from "./rows/agents.ts";
import { BACKUP_SETTINGS } from "./rows/backups.ts";
import { CONSOLE_SETTINGS } from "./rows/console.ts";
import { CONTENT_SETTINGS } from "./rows/content.ts";
import { DATABASE_SETTINGS } from "./rows/database.ts";
import { DOMAIN_SETTINGS } from "./rows/domains.ts";
import { LIMIT_SETTINGS, RATE_SETTINGS } from "./rows/limits.ts";
import { LISTENING_SETTINGS } from "./rows/listening.ts";
import { LOGGING_SETTINGS } from "./rows/logging.ts";
import { formatListenAddress, type ListenAddress } from "./rows/parsers.ts";
import { type ConfigOf, settingsMarkdown, variableOf } from "./rows/setting.ts";
import { STORAGE_SETTINGS } from "./rows/storage.ts";

export { ConfigError } from "./config-error.ts";
export { namedSettingsFile, type Sources } from "./load.ts";
export { LIMIT_SETTINGS, RATE_SETTINGS } from "./rows/limits.ts";
export {
  bytes,
  duration,
  formatListenAddress,
  type ListenAddress,
  orOff,
  type Parser,
  Unusable,
  wholeNumber,
} from "./rows/parsers.ts";

/**
 * The table of all settings. A new setting is a new line of a file in `rows`: the flag of `serve`, the variable, the key
 * of vitrine.toml, the help and docs/reference.md are derived from its name, parser and default. Rows precede those whose defaults depend on them.
 */
export const SETTINGS = {
  ...LISTENING_SETTINGS,
  ...DATABASE_SETTINGS,
  ...CONTENT_SETTINGS,
  ...ACME_SETTINGS,
  ...DOMAIN_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...AGENT_SETTINGS,
  ...LIMIT_SETTINGS,
  ...RATE_SETTINGS,
  ...STORAGE_SETTINGS,
  ...BACKUP_SETTINGS,
  ...LOGGING_SETTINGS,
} as const;

/** Every setting, parsed and frozen. */
export type Config = ConfigOf<typeof SETTINGS> & {
  /** The settings as text, each with its source. */
  readonly inForce: readonly SettingInForce[];
  /** The settings file that was named; null for the optional one in the data folder. */
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
 * Like `loadConfig`, for commands that need only the data folder. Files in settings are not read, because they may be
 * missing where a backup is inspected or restored. ACME credentials are not required, because only the service may have
 * them.
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
    database: values.database && withPassword(values.database, values.databasePassword),
    inForce: settingsInForce(settings, sources, values),
    settingsFile: namedSettingsFile(sources),
  });
  refuseSharedListeners(config);
  refuseSharedPlace(config);
  return config;
}

/**
 * Returns the database at another URL than that in the settings, with their password. Throws an Error whose message says
 * what to give.
 */
export function databaseAt(url: string, { databasePassword }: Pick<Config, "databasePassword">): DatabaseUrl {
  return withPassword(parseDatabaseUrl(url), databasePassword);
}

/** The password in the URL has precedence over the setting. */
function withPassword(database: DatabaseUrl, databasePassword: string | null): DatabaseUrl {
  return Object.freeze({ ...database, password: database.password || (databasePassword ?? "") });
}

/** A CA treats an account without its external binding as a different one, or refuses it. */
function refuseHalfBinding(ca: string, kid: string | null, hmac: string | null): void {
  const why = (given: string) => `give what the CA gave out with --${ca}-eab-${given}`;
  if (kid && !hmac) throw new ConfigError(`--${ca}-eab-hmac is needed here: ${why("kid")}`);
  if (hmac && !kid) throw new ConfigError(`--${ca}-eab-kid is needed here: ${why("hmac")}`);
}

/** Keys are not part of URLs, which are shown. */
function refuseLackingSecrets(config: Config): void {
  const { backupTo, content, s3AccessKeyId, s3SecretAccessKey, operatorWebhook, operatorWebhookSecret } = config;
  const needed = (name: string, flag: string) => {
    throw new ConfigError(`${variableOf(name)} is needed for --${flag}`);
  };
  const inS3 = content === null ? (backupTo?.kind === "s3" ? "backup-to" : null) : "content";
  if (inS3 !== null && s3AccessKeyId === null) needed("s3-access-key-id", inS3);
  if (inS3 !== null && s3SecretAccessKey === null) needed("s3-secret-access-key", inS3);
  if (operatorWebhook !== null && operatorWebhookSecret === null) needed("operator-webhook-secret", "operator-webhook");
}

/** A backup aborts unfinished uploads below its prefix, and deletes content that no backup needs. */
function refuseSharedPlace({ backupTo, content }: Config): void {
  if (content === null || backupTo?.kind !== "s3" || !shareObjects(content, backupTo)) return;
  throw new ConfigError("--content and --backup-to contain each other; give each a bucket or a prefix of its own");
}

/** Listeners can share an address, which the threads need, so two settings with the same one would respond randomly. */
function refuseSharedListeners({ listen, httpListen, metricsListen }: Config): void {
  const listeners = Object.entries({ listen, "http-listen": httpListen, "metrics-listen": metricsListen });
  for (const [index, [flag, address]] of listeners.entries()) {
    for (const [other, taken] of listeners.slice(0, index)) {
      if (address === null || taken === null || !overlap(address, taken)) continue;
      throw new ConfigError(
        `--${flag}: ${formatListenAddress(address)} is where --${other} listens; give another port`,
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
 * Returns the variables that give another process of this program the flags of this one and its actual addresses.
 * Variables, unlike flags, are not shown by `ps`. The other process reads the settings file itself, because relative
 * paths in it start at its folder.
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
    // The shown URL has no password.
    ...(config.database?.password ? { VITRINE_DATABASE_PASSWORD: config.database.password } : {}),
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
