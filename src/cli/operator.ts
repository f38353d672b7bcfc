import { type OperatorPorts, type ReadOnlyPorts, withDataFolder, withReadOnlyDataFolder } from "../app/operator.ts";
import { type Config, loadConfig, loadDataFolderConfig, type Sources } from "../config/settings.ts";
import { nearest } from "../config/spelling.ts";
import type { Site } from "../domain/model/site.ts";
import type { User } from "../domain/model/user.ts";
import type { Store } from "../domain/ports/store.ts";
import { sentence } from "../domain/sentence.ts";
import { StartFailure } from "../domain/start-failure.ts";
import { UnusableBackup, UnusableDataFolder } from "../storage/folder/data-folder.ts";
import type { OperatorOptions } from "./command.ts";
import { type FoundDataFolder, findDataFolder, placeForDataFolder, placeToExamine } from "./find-data-folder.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { warnOfUnknownVariables } from "./unknown-variables.ts";

/** Finds the data folder of a command, and reads the settings for it. */
export function operatorFolder(terminal: Terminal, options: OperatorOptions): FoundDataFolder {
  return located(terminal, options, (sources) => findDataFolder(loadDataFolderConfig, sources));
}

/** Like `operatorFolder`, for a command that can run before the first start, such as `restore`. */
export function placeForFolder(terminal: Terminal, options: OperatorOptions): FoundDataFolder {
  return located(terminal, options, (sources) => placeForDataFolder(loadDataFolderConfig, sources));
}

/** Like `operatorFolder`, with all settings of `serve`, for a server that may not have started yet. */
export function servedFolder(terminal: Terminal, options: OperatorOptions): FoundDataFolder {
  return located(terminal, options, (sources) => placeToExamine(loadConfig, sources));
}

/** Runs a command, and converts errors of the data folder to failures with advice. */
export function explainingDataFolder<T>(command: () => Promise<T>): Promise<T> {
  return command().catch((error) => {
    if (error instanceof UnusableDataFolder && error.advice !== undefined) {
      throw new Failure(error.detail, sentence(error.advice));
    }
    const isKnown = [UnusableDataFolder, UnusableBackup, StartFailure].some((known) => error instanceof known);
    throw isKnown ? new Failure(error.message) : error;
  });
}

type Command<T> = (ports: OperatorPorts, config: Config) => Promise<T>;
type ReadOnlyCommand<T> = (ports: ReadOnlyPorts, config: Config) => Promise<T>;

/** Runs a command on the data folder in the settings. Throws if there is none, because its name may be misspelled. */
export function onDataFolder<T>(terminal: Terminal, options: OperatorOptions, command: Command<T>): Promise<T> {
  return explainingDataFolder(async () => {
    const { config } = operatorFolder(terminal, options);
    return withDataFolder(config, (ports) => command(ports, config));
  });
}

/** Runs a read-only command on the data folder in the settings. Throws if there is none. */
export function readingDataFolder<T>(
  terminal: Terminal,
  options: OperatorOptions,
  command: ReadOnlyCommand<T>,
): Promise<T> {
  return explainingDataFolder(async () => {
    const { config } = operatorFolder(terminal, options);
    return withReadOnlyDataFolder(config, (ports) => command(ports, config));
  });
}

/**
 * Returns the user with a login, preferring the current identity provider. Users of an earlier provider can
 * still be found. Throws with advice if there is none.
 */
export async function findUser({ store, provider }: ReadOnlyPorts, login: string): Promise<User> {
  const user = await store.users.findByLogin(provider.name, login);
  if (user) return user;
  const others = (await store.users.list()).filter((other) => other.login.toLowerCase() === login.toLowerCase());
  if (others[0] && others.length === 1) return others[0];
  throw new Failure(`there is no user called ${login}`, "See all users: vitrine users list");
}

/** Returns a site by name. Throws with a list of similar names if there is none. */
export async function findSite(store: Pick<Store, "sites" | "users">, name: string): Promise<Site> {
  const site = await store.sites.find(name);
  if (site) return site;
  throw new Failure(`there is no site called ${name}`, whichThereAre(name, await siteNames(store)));
}

// --- internal ---

/** Prints the folder if it was not named, so that nobody changes a different one than intended. */
function located(
  terminal: Terminal,
  { dataDir, database, config: configFile }: OperatorOptions,
  find: (sources: Sources) => FoundDataFolder,
): FoundDataFolder {
  warnOfUnknownVariables(terminal);
  const found = find({ flags: { dataDir, database }, env: terminal.env, configFile });
  if (found.isInstalled) {
    terminal.say(terminal.style.dim(`Data folder of the installed service: ${found.config.dataDir}`));
  }
  return found;
}

const MAX_NAMED = 10;

async function siteNames({ sites, users }: Pick<Store, "sites" | "users">): Promise<string[]> {
  const owned = await Promise.all((await users.list()).map(({ id }) => sites.listOfOwner(id)));
  return owned.flatMap((some) => some.map(({ name }) => name)).sort();
}

function whichThereAre(wanted: string, names: readonly string[]): string {
  const meant = nearest(wanted, names);
  if (meant) return `Did you mean ${meant}?`;
  if (names.length === 0) return "There are no sites yet.";
  const others = names.length - MAX_NAMED;
  return `Sites: ${names.slice(0, MAX_NAMED).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
