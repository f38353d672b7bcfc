import type { BackupDestination } from "../../domain/backups/destination.ts";
import type { RoutingTarget } from "../../domain/claims/observation.ts";
import type { DatabaseUrl } from "../../domain/database-url.ts";
import { type ListenAddress, type Parser, Unusable } from "./parsers.ts";

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

/** A row of the settings table. The variable and the key of vitrine.toml are derived from the flag. */
export interface Setting<T> {
  /** Without the leading dashes; its camelCase form is the row's name. */
  readonly flag: string;
  /** The placeholder of the value in the help, such as `URL`. */
  readonly value: string;
  readonly parse: Parser<T>;
  /** The value if nothing is set. May throw `Unusable` if there is no suitable default. */
  readonly default: NoInfer<T> | ((known: Known) => NoInfer<T>);
  /** The default as text, for the help and docs/reference.md. */
  readonly defaultText: string;
  readonly help: string;
  /** Never shown in messages, logs or `doctor`. */
  readonly secret?: true;
  /** Returns the text to show of a value that contains a secret. Absent for values without one. */
  withoutSecrets?(value: NoInfer<T>): string;
}

/** Infers one type for a row's parser and default. */
export function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

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
