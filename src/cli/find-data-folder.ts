import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { type Config, namedSettingsFile, type Sources } from "../config/settings.ts";
import { errorCode } from "../domain/error-message.ts";
import {
  dataFolder,
  hasDatabase,
  isDatabaseElsewhere,
  isServed,
  UnusableDataFolder,
} from "../storage/folder/data-folder.ts";

/** The unit that `install.sh` writes. */
const UNIT_FILE = "/etc/systemd/system/vitrine.service";

/** The data folder that a command works on, with the settings that belong to it. */
export interface FoundDataFolder {
  readonly config: Config;
  /** The settings file, if it is not in the data folder. */
  readonly settingsFile: string | null;
  /** True if it is the installed service's and was not named by the caller. */
  readonly isInstalled: boolean;
}

/** A possible location of the data folder. */
interface Place {
  /** Its description in messages. */
  readonly owner: string;
  readonly sources: Sources;
}

type Load = (sources: Sources) => Config;

/**
 * Returns the data folder of a command: the one in the options or variables,
 * otherwise the installed service's or the working folder's: the first one that a server uses, otherwise the first
 * that exists, or that has its metadata in PostgreSQL. Throws UnusableDataFolder with the checked folders if there is none.
 */
export function findDataFolder(load: Load, sources: Sources, unitFile = UNIT_FILE): FoundDataFolder {
  const { folders, unreadable } = look(load, sources, unitFile);
  const there = folders.filter(({ config }) => hasMetadata(config));
  const used = there.length > 1 ? there.find(({ config }) => isServed(dataFolder(config.dataDir))) : undefined;
  const found = used ?? there[0];
  if (found) return found;
  throw nothingFound(folders, unreadable);
}

/**
 * Like `findDataFolder`, for a command that needs no existing data folder: if there is none, returns its first possible
 * location.
 */
export function placeForDataFolder(load: Load, sources: Sources, unitFile = UNIT_FILE): FoundDataFolder {
  try {
    return findDataFolder(load, sources, unitFile);
  } catch (error) {
    const { folders, unreadable } = look(load, sources, unitFile);
    if (!(error instanceof UnusableDataFolder) || unreadable !== null || !folders[0]) throw error;
    return folders[0];
  }
}

/**
 * Like `placeForDataFolder`, for a command that examines a server before its first start too. A folder that nobody named
 * must exist, because the server is elsewhere then.
 */
export function placeToExamine(load: Load, sources: Sources, unitFile = UNIT_FILE): FoundDataFolder {
  const place = placeForDataFolder(load, sources, unitFile);
  const isMeant = isNamed(sources) || place.isInstalled || existsSync(place.config.dataDir);
  return isMeant ? place : findDataFolder(load, sources, unitFile);
}

// --- internal ---

type Looked = FoundDataFolder & Pick<Place, "owner">;

/** `unreadable` is the settings file or data folder of the installed service that the caller may not read. */
function look(load: Load, sources: Sources, unitFile: string): { folders: Looked[]; unreadable: string | null } {
  const installed = isNamed(sources) ? null : installedPlace(sources, unitFile);
  const unreadable = installed && unreadablePart(load, installed.sources);
  const own: Place = { owner: whoNames(sources), sources };
  const places = installed && unreadable === null ? [installed, own] : [own];
  const folders = places.map((place) => ({
    owner: place.owner,
    config: load(place.sources),
    settingsFile: namedSettingsFile(place.sources),
    isInstalled: place === installed,
  }));
  return { folders, unreadable };
}

/** Commands report a folder without its setting, so that nobody takes another folder for it. */
function hasMetadata({ dataDir, database }: Config): boolean {
  const folder = dataFolder(dataDir);
  return database !== null || hasDatabase(folder) || isDatabaseElsewhere(folder);
}

function isNamed(sources: Sources): boolean {
  const { flags, env } = sources;
  return Boolean(flags?.dataDir ?? (env?.VITRINE_DATA_DIR || namedSettingsFile(sources)));
}

function whoNames(sources: Sources): string {
  if (sources.flags?.dataDir !== undefined) return "named by --data-dir";
  if (sources.env?.VITRINE_DATA_DIR) return "named by VITRINE_DATA_DIR";
  const file = namedSettingsFile(sources);
  return file === null ? "in the working folder" : `with the settings of ${file}`;
}

/** Returns the folder of the installed service; null if none is installed, or its unit names no folder. */
function installedPlace(sources: Sources, unitFile: string): Place | null {
  if (!existsSync(unitFile)) return null;
  const unit = readFileSync(unitFile, "utf8").replaceAll("\\\n", " ");
  const [command = ""] = /^ExecStart=.*/m.exec(unit) ?? [];
  const variables = [...unit.matchAll(/^Environment=.*/gm)].flatMap(([line]) => [
    ...line.matchAll(/(VITRINE_[A-Z_]+)=([^\s"']+)/g),
  ]);
  const installed: Sources = {
    flags: { ...sources.flags, dataDir: optionOf(command, "data-dir") },
    env: { ...Object.fromEntries(variables.map(([, name, value]) => [name, value])), ...sources.env },
    configFile: optionOf(command, "config"),
  };
  return isNamed(installed) ? { owner: "of the installed service", sources: installed } : null;
}

function optionOf(command: string, name: string): string | undefined {
  return new RegExp(`\\s--${name}[= ]+(\\S+)`).exec(command)?.[1];
}

function unreadablePart(load: Load, sources: Sources): string | null {
  const file = namedSettingsFile(sources);
  if (file !== null && isBarred(file, constants.R_OK)) return file;
  const { dataDir } = load(sources);
  return isBarred(dataDir, constants.X_OK) ? dataDir : null;
}

function isBarred(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    return errorCode(error) === "EACCES";
  }
}

function nothingFound(folders: readonly Looked[], unreadable: string | null): UnusableDataFolder {
  const places = folders.map(({ config, owner }) => `${config.dataDir} (${owner})`);
  const detail = `there is no database in ${places.join(" nor in ")}`;
  if (unreadable === null) {
    return new UnusableDataFolder(
      detail,
      "name the server's data folder with --data-dir; only vitrine serve makes a new one",
    );
  }
  return new UnusableDataFolder(
    `${detail}, and you may not read ${unreadable} of the installed service`,
    "run this with sudo, or name the data folder with --data-dir",
  );
}
