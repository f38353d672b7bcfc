import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../domain/error-message.ts";
import type { SettingInForce } from "../domain/model/setting.ts";
import { ConfigError } from "./config-error.ts";
import { Unusable } from "./rows/parsers.ts";
import { type ConfigOf, type Known, type Setting, type SettingsTable, variableOf } from "./rows/setting.ts";
import { nearest } from "./spelling.ts";

export interface Sources {
  /** Values of command-line flags by row name (`dataDir`); undefined for absent flags. */
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The file of `--config`, which must exist. Without it, `vitrine.toml` in the data folder is read if it exists. */
  readonly configFile?: string | undefined;
}

/** A value as given, with the name of its source and the base folder of relative paths. */
interface Given {
  readonly text: string;
  readonly source: string;
  readonly folder: string;
}

type GivenSettings = Map<string, Given>;

const PREFIX = "VITRINE_";

/**
 * VITRINE_ variables that are not settings: those of the client, the settings file, and the switch for stack traces.
 */
const OTHER_VARIABLES = ["VITRINE_SERVER", "VITRINE_TOKEN", "VITRINE_ID_TOKEN", "VITRINE_CONFIG", "VITRINE_DEBUG"];

/** A VITRINE_ variable that is not a setting. */
export interface UnknownVariable {
  readonly name: string;
  /** The variable that was probably meant. */
  readonly meant: string | undefined;
}

/**
 * Reads all settings of a table. Precedence: flag, variable, file, default. The result is frozen.
 * Throws `ConfigError` for the first unusable key, variable or value.
 */
export function loadSettings<Table extends SettingsTable>(table: Table, sources: Sources): ConfigOf<Table> {
  const { inFile, variables, given } = givenBySources(table, sources);
  const values = valuesOf(table, given);
  for (const source of [inFile, variables]) refuseUnusable(table, source);
  return values;
}

/** Returns each setting as text with its source. `values` is the result of `loadSettings`. */
export function settingsInForce<Table extends SettingsTable>(
  table: Table,
  sources: Sources,
  values: ConfigOf<Table>,
): readonly SettingInForce[] {
  const { inFile, variables, given } = givenBySources(table, sources);
  return Object.entries(table).map(([name, { flag, defaultText, format, secret = false, withoutSecrets }]) => {
    const found = given.get(name);
    const isIn = (some: GivenSettings) => some.get(name) === found;
    const source = !found ? "default" : isIn(inFile) ? "file" : isIn(variables) ? "variable" : "flag";
    const value = values[name as keyof Table];
    const text = found ? (withoutSecrets?.(value) ?? found.text) : format(value) || null;
    const usual = defaultText.replaceAll("`", "");
    return { name: flag, value: secret ? (found ? "set" : null) : text, default: usual, source, secret };
  });
}

function givenBySources(table: SettingsTable, sources: Sources) {
  const flags = givenByFlags(table, sources.flags ?? {});
  const variables = givenByVariables(table, sources.env ?? {});
  const above = new Map([...variables, ...flags]);
  const file = namedSettingsFile(sources);
  const inFile = file === null ? givenInDataFolder(table, above) : givenByFile(table, file);
  return { inFile, variables, given: new Map([...inFile, ...above]) };
}

/** Overridden values are validated too, because they apply once the overriding source is removed. */
function refuseUnusable(table: SettingsTable, given: GivenSettings): void {
  for (const [name, value] of given) parseGiven(table[name] as Setting<unknown>, value);
}

/**
 * Returns the unknown VITRINE_ variables. They do not prevent a start: container platforms add some for a
 * service named vitrine (VITRINE_PORT, VITRINE_SERVICE_HOST).
 */
export function findUnknownVariables(table: SettingsTable, env: NonNullable<Sources["env"]>): UnknownVariable[] {
  const known = [...Object.values(table).map((row) => variableOf(row.flag)), ...OTHER_VARIABLES];
  const unprefixed = known.map((name) => name.slice(PREFIX.length));
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value && !known.includes(name))
    .map(([name]) => {
      const meant = nearest(name.slice(PREFIX.length), unprefixed);
      return { name, meant: meant && PREFIX + meant };
    });
}

/** Returns the settings file in `--config` or `VITRINE_CONFIG`; null without either. */
export function namedSettingsFile({ configFile, env = {} }: Sources): string | null {
  const named = configFile ?? (env.VITRINE_CONFIG || undefined);
  return named === undefined ? null : resolve(named);
}

function valuesOf<Table extends SettingsTable>(table: Table, given: GivenSettings): ConfigOf<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const value = given.get(name);
    values[name] = value ? parseGiven(row, value) : defaultOf(row, values);
  }
  // Each value was created by the parser or the default of its own row.
  return Object.freeze(values) as ConfigOf<Table>;
}

function parseGiven<T>(row: Setting<T>, { text, source, folder }: Given): T {
  try {
    return row.parse(text, folder);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const shown = row.secret || row.withoutSecrets ? "the value" : JSON.stringify(text);
    throw new ConfigError(`${source}: ${shown} is not usable; give ${error.usable}`);
  }
}

function defaultOf(row: Setting<unknown>, known: Record<string, unknown>): unknown {
  try {
    // Rows are in dependency order, so values for defaults are known already.
    return typeof row.default === "function" ? row.default(known as unknown as Known) : row.default;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new ConfigError(`--${row.flag} is needed here: give ${error.usable}`);
  }
}

function givenByFlags(table: SettingsTable, flags: Readonly<Record<string, unknown>>): GivenSettings {
  const given: GivenSettings = new Map();
  for (const [name, row] of Object.entries(table)) {
    const value = flags[name];
    if (value === undefined) continue;
    given.set(name, { text: String(value).trim(), source: `--${row.flag}`, folder: process.cwd() });
  }
  return given;
}

/** An empty variable counts as not set, because compose files and CI systems use it for "none". */
function givenByVariables(table: SettingsTable, env: NonNullable<Sources["env"]>): GivenSettings {
  const given: GivenSettings = new Map();
  for (const [name, row] of Object.entries(table)) {
    const variable = variableOf(row.flag);
    const value = env[variable]?.trim();
    if (value) given.set(name, { text: value, source: variable, folder: process.cwd() });
  }
  return given;
}

function givenInDataFolder(table: SettingsTable, above: GivenSettings): GivenSettings {
  const dataDir = valuesOf({ dataDir: table.dataDir as Setting<string> }, above).dataDir;
  const file = join(dataDir, "vitrine.toml");
  if (!existsSync(file)) return new Map();
  const given = givenByFile(table, file);
  const moved = given.get("dataDir");
  if (moved && !above.has("dataDir") && resolve(moved.folder, moved.text) !== dataDir) {
    throw new ConfigError(`${moved.source}: the file is in the data folder and cannot move it; use --data-dir`);
  }
  return given;
}

/** Keys are the flags' names, with dashes or underscores. Relative paths start at the file's folder. */
function givenByFile(table: SettingsTable, file: string): GivenSettings {
  const names = new Map(Object.entries(table).map(([name, row]) => [row.flag, name]));
  const given: GivenSettings = new Map();
  for (const [key, value] of Object.entries(readToml(file))) {
    const flag = key.replaceAll("_", "-");
    const name = names.get(flag);
    if (name === undefined) {
      const meant = nearest(flag, [...names.keys()]);
      throw new ConfigError(
        `${file}: ${key} is not a setting; ${meant ? `did you mean ${meant}?` : "vitrine help serve lists them"}`,
      );
    }
    if (given.has(name)) throw new ConfigError(`${file}: ${flag} is there twice, with dashes and with underscores`);
    given.set(name, { text: textOf(file, key, value), source: `${file}: ${key}`, folder: dirname(file) });
  }
  return given;
}

/** Matches the part of the parser's message that quotes the file, which may contain a secret. */
const QUOTED = /( but found|: ["']|(?<=Cannot [^']*) ').*/s;

function readToml(file: string): object {
  let source: string;
  try {
    source = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${file}: ${unreadable(errorCode(error))}`);
  }
  try {
    return Bun.TOML.parse(source);
  } catch (error) {
    const why = (error as Error).message.replace(QUOTED, "");
    throw new ConfigError(`${file}, line ${unreadableLine(source)}: not a TOML file: ${why}`);
  }
}

function unreadable(code: string): string {
  if (code === "ENOENT") return "there is no such settings file; check --config and VITRINE_CONFIG";
  if (code === "EISDIR") return "this settings file is a folder";
  return `the settings file cannot be read (${code})`;
}

/** Returns the line of the first invalid statement, which the parser does not report. */
function unreadableLine(source: string): number {
  const lines = source.split("\n").map((line) => `${line}\n`);
  return lines.findLastIndex((_, index) => isToml(lines.slice(0, index).join(""))) + 1;
}

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(file: string, key: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => textOf(file, key, item)).join(",");
  if (["string", "number", "bigint", "boolean"].includes(typeof value)) return String(value).trim();
  throw new ConfigError(`${file}: ${key} must be text, a number, true or false, or a list of those`);
}
