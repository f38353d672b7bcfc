import { existsSync } from "node:fs";
import { type LookingPorts, lookAtDataFolder, type OperatorPorts, withDataFolder } from "../app/operator.ts";
import { type Config, loadConfig, loadDataFolderConfig, type Sources } from "../config/settings.ts";
import { nearest } from "../config/spelling.ts";
import type { User } from "../domain/accounts/user.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Site } from "../domain/sites/site.ts";
import { UnusableBackup, UnusableDataFolder } from "../storage/data-folder/data-folder.ts";
import { Failure } from "./errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import type { OperatorOptions } from "./verb.ts";

/** Reads the settings for a command that works on the data folder. */
export function operatorConfig(terminal: Terminal, options: OperatorOptions): Config {
  return loadDataFolderConfig(sources(terminal, options));
}

/** Reads the settings as `serve` does. */
export function servingConfig(terminal: Terminal, options: OperatorOptions): Config {
  return loadConfig(sources(terminal, options));
}

/** Runs a command, and says in one line why a data folder cannot be used where that is what stopped it. */
export function explainingDataFolder<T>(command: () => Promise<T>): Promise<T> {
  return command().catch((error) => {
    const isKnown = error instanceof UnusableDataFolder || error instanceof UnusableBackup;
    throw isKnown ? new Failure(error.message) : error;
  });
}

type Command<T> = (ports: OperatorPorts, config: Config) => Promise<T>;
type Look<T> = (ports: LookingPorts, config: Config) => Promise<T>;

/** Runs a command on the data folder that the settings name. Rejects where there is none: its name may be mistyped. */
export async function onDataFolder<T>(terminal: Terminal, options: OperatorOptions, command: Command<T>): Promise<T> {
  requireDataFolder(terminal, options);
  return onNewDataFolder(terminal, options, command);
}

/** The same for commands that may be the first ones: makes the folder where it is missing. */
export function onNewDataFolder<T>(terminal: Terminal, options: OperatorOptions, command: Command<T>): Promise<T> {
  const config = operatorConfig(terminal, options);
  return explainingDataFolder(() => withDataFolder(config, (ports) => command(ports, config)));
}

/** Runs a command that changes nothing on the data folder that the settings name. Rejects where there is none. */
export async function lookingAtDataFolder<T>(terminal: Terminal, options: OperatorOptions, look: Look<T>): Promise<T> {
  const config = requireDataFolder(terminal, options);
  return explainingDataFolder(() => lookAtDataFolder(config, (ports) => look(ports, config)));
}

/**
 * Returns the person of a login, of the provider in use before others: people of a provider that was in use before can
 * still be removed. Rejects with advice where there is none.
 */
export async function findUser({ store, provider }: LookingPorts, login: string): Promise<User> {
  const user = await store.users.findByLogin(provider.name, login);
  if (user) return user;
  const others = (await store.users.list()).filter((other) => other.login.toLowerCase() === login.toLowerCase());
  if (others[0] && others.length === 1) return others[0];
  throw new Failure(`There is nobody called ${login}.`, "vitrine users list shows everybody.");
}

/** Returns the site of a name; rejects with the names that there are where it is none of them. */
export async function findSite(store: Pick<Store, "sites" | "users">, name: string): Promise<Site> {
  const site = await store.sites.find(name);
  if (site) return site;
  throw new Failure(`There is no site called ${name}.`, whichThereAre(name, await siteNames(store)));
}

// --- internal ---

function requireDataFolder(terminal: Terminal, options: OperatorOptions): Config {
  const config = operatorConfig(terminal, options);
  if (existsSync(config.dataDir)) return config;
  throw new Failure(
    `There is no data folder ${config.dataDir}.`,
    "Name it with --data-dir; vitrine serve makes a new one.",
  );
}

function sources({ env }: Terminal, { dataDir, config: configFile }: OperatorOptions): Sources {
  return { flags: { dataDir }, env, configFile };
}

/** Names that still fit on a line or two. */
const MOST_NAMED = 10;

async function siteNames({ sites, users }: Pick<Store, "sites" | "users">): Promise<string[]> {
  const owned = await Promise.all((await users.list()).map(({ id }) => sites.listOfOwner(id)));
  return owned.flatMap((some) => some.map(({ name }) => name)).sort();
}

function whichThereAre(wanted: string, names: readonly string[]): string {
  const meant = nearest(wanted, names);
  if (meant) return `Did you mean ${meant}?`;
  if (names.length === 0) return "There is no site yet.";
  const others = names.length - MOST_NAMED;
  return `There are: ${names.slice(0, MOST_NAMED).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
