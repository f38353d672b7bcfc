import type { BackupDestination } from "../../domain/backups/destination.ts";
import type { RoutingTarget } from "../../domain/claims/observation.ts";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { type ListenAddress, optional, type Parser, Unusable } from "./parsers.ts";

/** The settings on which defaults of others depend. They precede those in the table. */
export interface Known {
  readonly tls: "off" | "internal" | "manual" | "acme";
  readonly listen: ListenAddress;
  readonly baseUrl: string;
  readonly routingTargets: readonly RoutingTarget[];
  readonly provider: "local" | "github" | "oidc";
  readonly backupTo: BackupDestination | null;
  readonly database: DatabaseUrl | null;
}

/** A setting. Flag, variable and key of vitrine.toml are derived from its name in the table. */
export interface Setting<T> {
  /** Without the leading dashes. */
  readonly flag: string;
  /** The placeholder of the value in the help, such as `URL`. */
  readonly value: string;
  parse(text: string, folder: string): T;
  /** Returns the text of a value, as the settings file takes it; empty for none. */
  format(value: T): string;
  /** The value if nothing is set. May throw `Unusable` if there is no suitable default. */
  readonly default: T | ((known: Known) => T);
  /** The default as text, for the help and docs/reference.md. */
  readonly defaultText: string;
  readonly help: string;
  /** Never shown in messages, logs or `doctor`. */
  readonly secret: boolean;
  /** Returns the text to show of a value that contains a secret. Absent for values without one. */
  withoutSecrets?(value: T): string;
}

/** A setting before it gets its name. */
type Row<T> = Omit<Setting<T>, "flag">;

/** What most settings do not need. */
interface Extras<T> {
  /** The default in words; by default its text. */
  readonly defaultText?: string;
  readonly secret?: true;
  withoutSecrets?(value: T): string;
}

/** A row of the table: how to read a value, the default, and what the setting does. */
export function setting<T>(
  parse: Parser<T>,
  standard: NoInfer<T> | ((known: Known) => NoInfer<T>),
  help: string,
  extras: Extras<NoInfer<T>> = {},
): Row<T> {
  const { defaultText = textOf(parse, standard), secret = false, withoutSecrets } = extras;
  const { placeholder: value, format } = parse;
  const row = { value, parse, format, default: standard, defaultText, help, secret };
  return withoutSecrets ? { ...row, withoutSecrets } : row;
}

/** A row without a default: null unless it is given. */
export function optionalSetting<T>(
  parse: Parser<T>,
  help: string,
  extras: Extras<NoInfer<T> | null> = {},
): Row<T | null> {
  return setting(optional(parse), null, help, extras);
}

/** Names the settings of a table: `maxFiles` has the flag `--max-files`. */
export function settings<Rows extends Record<string, Row<unknown>>>(rows: Rows): Named<Rows> {
  const named = Object.entries(rows).map(([name, row]) => [name, { flag: flagOf(name), ...row }]);
  return Object.freeze(Object.fromEntries(named));
}

type Named<Rows> = { readonly [Name in keyof Rows]: Rows[Name] extends Row<infer T> ? Setting<T> : never };

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

export type ConfigOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export function variableOf(flag: string): string {
  return `VITRINE_${flag.replaceAll("-", "_").toUpperCase()}`;
}

/** Returns null, or throws `Unusable` if the setting is required. */
export function neededWhen(needed: boolean, usable: string): null {
  if (needed) throw new Unusable(usable);
  return null;
}

/** The base URL on the local machine. */
export function localBaseUrl({ tls, listen }: Known): string {
  return new URL(`${tls === "off" ? "http" : "https"}://localhost:${listen.port}`).origin;
}

/** For loopback addresses it is `localhost`; other IP addresses have no subdomains. */
export function sitesDomainOf({ baseUrl }: Known): string {
  const { hostname } = new URL(baseUrl);
  if (hostname === "[::1]" || hostname.startsWith("127.")) return "localhost";
  if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) {
    throw new Unusable("a domain name below which sites get theirs, because the base URL is a bare address");
  }
  return hostname;
}

/** GitHub has a default URL; an OIDC issuer must be set. */
export function providerUrlOf({ provider }: Known): string | null {
  if (provider === "github") return "https://github.com";
  return neededWhen(provider === "oidc", "the URL of the OIDC issuer");
}

export function settingsMarkdown(table: SettingsTable): string {
  const rows = Object.values(table).map(
    ({ flag, help, defaultText }) => `| \`--${flag}\` | \`${variableOf(flag)}\` | ${defaultText} | ${help} |`,
  );
  return ["| flag | variable | default | what it does |", "|---|---|---|---|", ...rows].join("\n");
}

// --- internal ---

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function textOf<T>(parse: Parser<T>, standard: T | ((known: Known) => T)): string {
  const text = typeof standard === "function" ? "" : parse.format(standard);
  return text === "" ? "none" : `\`${text}\``;
}
