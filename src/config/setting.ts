import type { ListenAddress, Parser, RoutingTarget } from "./parsers.ts";

/** The settings from which others take their default. They stand in the table before those that need them. */
export interface Known {
  readonly tls: "off" | "internal" | "manual" | "acme";
  readonly listen: ListenAddress;
  readonly baseUrl: string;
  readonly routingTargets: readonly RoutingTarget[];
  readonly provider: "local" | "github" | "oidc";
}

/** One row of the settings table. The variable and the key of vitrine.toml follow from the flag. */
export interface Setting<T> {
  /** Without the leading dashes; its camelCase form is the row's name. */
  readonly flag: string;
  /** What stands for the value in the help, such as `URL`. */
  readonly value: string;
  readonly parse: Parser<T>;
  /** The value where nothing is set. May throw `Unusable` where there is no default that fits. */
  readonly default: NoInfer<T> | ((known: Known) => NoInfer<T>);
  /** The default in words, for the help and docs/reference.md. */
  readonly defaultText: string;
  readonly help: string;
  /** Never shown: not in messages, logs or `doctor`. */
  readonly secret?: true;
}

/** Ties a row's parser and default to one type. */
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
